"""The OASiS library: where its files are."""

from pathlib import Path

FOLDER = Path(__file__).parent

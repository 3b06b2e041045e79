"""Batch experiments: methods x instances x seeds, run cell by cell, no finished cell ever lost."""

"""Frozen benchmark instances, one folder per formulation; see README.md and dmlopt.library."""

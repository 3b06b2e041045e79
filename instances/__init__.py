"""Instances: random generators, and the catalogues of clusters and job models they draw from."""

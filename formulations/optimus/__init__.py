"""Optimus (Peng et al., EuroSys 2018): parameter servers and workers for every job of a shared cluster."""

"""dmlopt: exact optimisation and certified bounds for scheduling distributed machine-learning jobs."""

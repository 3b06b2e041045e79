"""Published scheduling problems, one folder per paper: statement, checker, planner, methods."""

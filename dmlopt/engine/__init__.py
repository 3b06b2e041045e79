"""The engine: bounds, exact search and certificates for problem (P), through any planner. Knows no formulation."""

"""Solver libraries behind one border: arrays in (`Program`), `ProgramResult` out. Each is imported late, in its own file."""

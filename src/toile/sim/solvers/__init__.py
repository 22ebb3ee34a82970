"""Cloth solvers: one file a method, one line in `table`."""

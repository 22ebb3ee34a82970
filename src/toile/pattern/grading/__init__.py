"""Sizes: standard girths, and grading by rules."""

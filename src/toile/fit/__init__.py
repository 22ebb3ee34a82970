"""Ease, girths, sizes, alterations."""

"""Toile dresses virtual people: flat pieces and seams → sewn, draped, walking garments."""

__version__ = "0.1.0"

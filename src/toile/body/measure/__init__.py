"""Tailor's measures of a body."""

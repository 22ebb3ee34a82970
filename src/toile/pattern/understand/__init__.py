"""Pieces understood: what each one is, by name and by shape, and what is sewn to what."""

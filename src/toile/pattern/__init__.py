"""Patterns: flat pieces, seams and holds. `library` reads and writes them."""

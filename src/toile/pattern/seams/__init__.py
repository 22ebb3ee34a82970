"""Seams proposed for pieces that come without, and seams judged."""

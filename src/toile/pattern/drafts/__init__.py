"""Garments drafted from measurements, each a short program in tailoring words."""

"""Addresses of the shop, a module a subject."""

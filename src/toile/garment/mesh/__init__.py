"""Panels become triangles."""

"""Patterns drawn flat and described in words."""

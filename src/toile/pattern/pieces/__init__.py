"""Pieces as CAD and drawing files have them, made into panels."""

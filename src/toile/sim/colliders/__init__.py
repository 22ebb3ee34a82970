"""Colliders: one file a method."""

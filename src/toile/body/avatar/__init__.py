"""Skinned avatars become bodies."""

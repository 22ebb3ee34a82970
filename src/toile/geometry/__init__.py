"""Rotations, sections, triangle meshes as arrays."""

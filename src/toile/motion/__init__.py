"""Motions: files and our own walk, retargeted to any body."""

"""Unsewn panels placed round the body."""

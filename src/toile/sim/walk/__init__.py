"""A dressed body in motion, frame by frame."""

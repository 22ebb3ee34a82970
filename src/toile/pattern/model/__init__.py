"""What can be asked of a pattern and done to it: curves, lengths, checks, splits."""

"""The garment text file: words, panels, seams, and writing."""

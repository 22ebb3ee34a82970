"""SVG files: paths, pieces, and writing."""

"""The template: shape from measures, skeleton, skin."""

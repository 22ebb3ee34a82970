"""One reader and one writer a pattern format."""

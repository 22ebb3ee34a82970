"""cloth."""

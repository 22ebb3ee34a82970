"""What every caller can ask for."""

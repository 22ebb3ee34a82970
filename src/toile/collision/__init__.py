"""collision."""

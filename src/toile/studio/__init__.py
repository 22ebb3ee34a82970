"""The studio: a person, a pattern and living cloth that are edited together, each edit seen at once."""

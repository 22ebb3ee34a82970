"""What worker processes do for the shop: computing, and reading what strangers send. They see no database."""

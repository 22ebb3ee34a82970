"""Records, units, errors, choices by name and safe files: what every room uses."""

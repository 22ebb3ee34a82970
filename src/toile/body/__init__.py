"""Bodies: from measures, from scans, from avatars."""

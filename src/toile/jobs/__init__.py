"""What every caller can ask for: jobs as records, and one call that does them (docs/jobs.md)."""

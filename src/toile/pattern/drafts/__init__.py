"""drafts."""

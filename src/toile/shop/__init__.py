"""The try-on shop: what stands behind its pages."""

"""3D scans become bodies."""

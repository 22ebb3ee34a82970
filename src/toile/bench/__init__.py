"""Benchmarks that users can repeat: the engine's speed, peers on the same scenes, the papers' experiments."""

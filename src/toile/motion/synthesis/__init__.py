"""Our own motions: an actor, gait from published curves, acts in place."""

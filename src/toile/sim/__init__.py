"""Where time advances: solvers, colliders, dressing, walking."""

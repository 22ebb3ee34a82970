"""What is taken where nothing is asked for: on the command line, in Python, in jobs and in batches alike."""

from typing import Final

BODY = "woman"
FABRIC = "cotton"
EDGE_LENGTH = 0.015
"""of the mesh [m]"""
MESH: Final = "triangles"
SOLVER, COLLIDER = "xpbd", "surface"
MOTION = "walk"
SECONDS = 4.0
"""length of a walk [s]"""
FPS = 60.0
"""frames a second"""
SKINNING: Final = "linear"

"""The papers' methods to the letter: solver, collider, sewing, response and settings as published.

The defaults of the same solvers and colliders are the mended ones; each method's page lists the differences.
What a paper leaves open is filled with the default and named in `ours`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toile.core import defaults
from toile.core.choices import choose
from toile.sim.method import Method, make_method


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """One paper's method."""

    title: str
    solver: str
    collider: str
    tune: Mapping[str, Any]
    """settings that differ from the defaults"""
    mesh: str = defaults.MESH
    ours: str
    """what the paper does not give"""

    def options(self) -> dict[str, Any]:
        """Return what `dress` and `animate` take."""
        return {"solver": self.solver, "collider": self.collider, "tune": dict(self.tune)}

    def method(self) -> Method:
        """Return the method."""
        return make_method(**self.options())


SPRINGS: Mapping[str, Any] = {
    "structural": 8.0,
    "shear": 3.0,
    "flexion": 0.2,
    "even_mass": True,
    "sweeps": 1,
    "contact_queries": 0,
    "damping": 10.0,
    "air": 0.0,
    "thickness": 0.0,
    "response": "velocity",
    "slide": 0.7,
    "reflection": 0.1,
    "grip": 0.3,
    "midpoints": True,
    "speed_limit": 4.0,
    "sewing": "elastic",
    "seam_stiffness": 40.0,
    "size": 340,
    "tolerance": 0.005,
    "rim": 1,
    "refine": False,
    "by_depth": True,
    "depth_bits": 24,
    "colour_bits": 8,
}
"""what both papers of Vassilev and others share"""

PAPERS: dict[str, Paper] = {
    "000": Paper(
        title="Vassilev, Spanlang & Chrysanthou 2001, Fast Cloth Animation on Walking Avatars",
        solver="spring",
        collider="maps",
        tune={**SPRINGS, "over_elongation": "directional", "gravity_directs": True},
        mesh="grid",
        ours="stiffness, damping, C_fric and C_refl, limit of the speed, rim and tolerance (001's)",
    ),
    "001": Paper(
        title="Vassilev & Spanlang 2001, Efficient Cloth Model and Collisions Detection",
        solver="spring",
        collider="maps",
        # with soft springs the cloth beside a seam is too long at once, and "zero" lets nothing move on
        tune={
            **SPRINGS,
            "over_elongation": "zero",
            "grip": 0.0,
            "structural": 200.0,
            "shear": 60.0,
            "seam_stiffness": 20.0,
            "threshold": 0.15,
        },
        mesh="grid",
        ours="stiffness, damping, C_fric and C_refl, limit of the speed",
    ),
    "002": Paper(
        title="Rudomín & Castillo 2002, Real-Time Clothing: Geometry and Physics",
        solver="follow",
        collider="ellipsoids",
        tune={"following": "rigid", "near": 0.04, "radius": 0.06, "thickness": 0.0, "along_ray": True},
        ours="stiffness, damping, who is near enough to follow, the ellipsoids (fitted), friction",
    ),
    "003": Paper(
        title="Shi, Mao & Wang 2010, 3D Interactive Clothing Animation",
        solver="implicit",
        collider="bones",
        tune={"limits": "forces", "rubbing": 20.0, "rounds": 1},
        ours="time step, the factor of the friction, the tables round the bones (the paper cites them)",
    ),
    "004": Paper(
        title="Rodríguez-Navarro, Sainz & Susín 2005, Fast Body-Cloth Simulation with Moving Humanoids",
        solver="verlet",
        collider="limb_maps",
        tune={
            "iterations": 40,
            "threshold": 5e-4,
            "check_every": 1,
            "rounds": 1,
            "bend": 0.0,
            "shear": 0.0,
            "friction": 0.0,
            "thickness": 0.0,
            "every": 8,
            "rim": 0,
            "refine": False,
            "by_depth": True,
            "closed": False,
            "overlap": 0,
        },
        mesh="grid",
        ours="the drag ε, the threshold of the stop, the size of a pixel",
    ),
}
"""number in docs/papers.md → method"""


def paper(number: str) -> Paper:
    """Return a paper's method by its number, such as 004."""
    found: Paper = choose("paper", PAPERS, number)
    return found

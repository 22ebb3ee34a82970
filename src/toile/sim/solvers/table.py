"""Cloth solvers: a table of methods, each one file, one settings class, one line here."""

from typing import Any

from toile.core.choices import make_method
from toile.core.records import Garment
from toile.sim.solvers.base import Solver
from toile.sim.solvers.follow import FollowSettings, FollowSolver
from toile.sim.solvers.implicit import ImplicitSettings, ImplicitSolver
from toile.sim.solvers.spring import SpringSettings, SpringSolver
from toile.sim.solvers.verlet import VerletSettings, VerletSolver
from toile.sim.solvers.xpbd import XpbdSettings, XpbdSolver

SOLVERS: dict[str, tuple[Any, Any]] = {
    "xpbd": (XpbdSolver, XpbdSettings),
    "verlet": (VerletSolver, VerletSettings),
    "implicit": (ImplicitSolver, ImplicitSettings),
    "spring": (SpringSolver, SpringSettings),
    "follow": (FollowSolver, FollowSettings),
}
"""name → (solver class, settings class)"""


def make_solver(name: str, garment: Garment, **settings: Any) -> Solver:
    """Return the named solver for a garment; settings are the fields of its settings class."""
    made: Solver = make_method("solver", SOLVERS, name, garment, settings)
    return made

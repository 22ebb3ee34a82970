"""Cloth solvers: a table of methods, each one file, one settings class, one line here."""

from typing import Any

from toile.choose import make_method
from toile.cloth.follow import FollowSettings, FollowSolver
from toile.cloth.implicit import ImplicitSettings, ImplicitSolver
from toile.cloth.solver import Solver
from toile.cloth.spring import SpringSettings, SpringSolver
from toile.cloth.verlet import VerletSettings, VerletSolver
from toile.cloth.xpbd import XpbdSettings, XpbdSolver
from toile.types import Garment

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

"""Cloth solvers: a table of methods, each one file, one settings class, one line here."""

from dataclasses import fields
from typing import Any

from toile.cloth.follow import FollowSettings, FollowSolver
from toile.cloth.implicit import ImplicitSettings, ImplicitSolver
from toile.cloth.solver import Solver
from toile.cloth.spring import SpringSettings, SpringSolver
from toile.cloth.verlet import VerletSettings, VerletSolver
from toile.cloth.xpbd import XpbdSettings, XpbdSolver
from toile.errors import ToileError
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
    if name not in SOLVERS:
        raise ToileError(f"no solver '{name}': choose from {', '.join(SOLVERS)}")
    solver, settings_class = SOLVERS[name]
    known = {f.name for f in fields(settings_class)}
    unknown = sorted(set(settings) - known)
    if unknown:
        raise ToileError(
            f"solver {name} has no setting '{unknown[0]}': choose from {', '.join(sorted(known))}"
        )
    made: Solver = solver(garment, settings_class(**settings))
    return made

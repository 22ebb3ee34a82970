"""Which solver moves the cloth and which collider keeps it off the skin, by name, with their settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from toile.core.choices import choose, make_settings, present_name, setting_names
from toile.core.defaults import COLLIDER as COLLIDER
from toile.core.defaults import SOLVER as SOLVER
from toile.core.errors import ToileError
from toile.core.provenance import Provenance
from toile.core.records import Body, Floats, Garment
from toile.gpu.device import DEVICES, check_device
from toile.sim.colliders.base import Collider
from toile.sim.colliders.contacts import COLLIDERS
from toile.sim.colliders.surface import SurfaceSettings
from toile.sim.solvers.base import Solver
from toile.sim.solvers.table import SOLVERS
from toile.sim.solvers.xpbd import XpbdSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A solver and a collider with their settings."""

    solver: str = SOLVER
    collider: str = COLLIDER
    solver_settings: Any = field(default_factory=XpbdSettings)
    collider_settings: Any = field(default_factory=SurfaceSettings)

    def __post_init__(self) -> None:
        # read back from a file, settings are names and values
        for kind, table in (("solver", SOLVERS), ("collider", COLLIDERS)):
            name, settings = getattr(self, kind), getattr(self, f"{kind}_settings")
            if isinstance(settings, Mapping):
                made = make_settings(f"{kind} {name}", choose(kind, table, name)[1], settings)
                object.__setattr__(self, f"{kind}_settings", made)

    @property
    def is_default(self) -> bool:
        """Return whether it is the engine that also sews, with the skin itself."""
        return (self.solver, self.collider) == (SOLVER, COLLIDER)

    @property
    def sews_itself(self) -> bool:
        """Return whether the solver pulls the seams shut, not the default engine."""
        return getattr(self.solver_settings, "sewing", "engine") != "engine"

    @property
    def sewing_settings(self) -> XpbdSettings:
        """Return the settings of the engine that sews, whatever drapes afterwards."""
        own: XpbdSettings = self.solver_settings if self.solver == SOLVER else XpbdSettings()
        return own

    def make_solver(self, garment: Garment, worn: Floats) -> Solver:
        """Return the solver for a garment that sits on the body at worn [m], (n, 3)."""
        kind: type[Solver] = SOLVERS[self.solver][0]
        return kind.worn_on(garment, self.solver_settings, worn)

    def make_collider(self, body: Body) -> Collider:
        """Return the collider for a body."""
        made: Collider = COLLIDERS[self.collider][0](body, self.collider_settings)
        return made

    def provenance(self) -> Provenance:
        """Return what was chosen, to be kept with a recording."""
        return Provenance(
            solver=self.solver,
            collider=self.collider,
            solver_settings=asdict(self.solver_settings),
            collider_settings=asdict(self.collider_settings),
        )


def make_method(
    solver: str = SOLVER,
    collider: str = COLLIDER,
    tune: Mapping[str, Any] | None = None,
    engine: XpbdSettings | None = None,
) -> Method:
    """Return the named method.

    tune holds settings by name; a name that both have belongs to the solver, "collider.NAME" to the
    collider. engine are the whole settings of solver xpbd.
    """
    solver_class = choose("solver", SOLVERS, solver)[1]
    collider_class = choose("collider", COLLIDERS, collider)[1]
    of_solver, of_collider = _shared_out(tune or {}, solver, collider)
    if engine is not None and (solver != SOLVER or of_solver):
        raise ToileError(f"engine are all settings of solver {SOLVER}: name settings in one place only")
    return Method(
        solver=solver,
        collider=collider,
        solver_settings=engine or make_settings(f"solver {solver}", solver_class, of_solver),
        collider_settings=make_settings(f"collider {collider}", collider_class, of_collider),
    )


def device_tuning(solver: str, collider: str, device: str) -> dict[str, str]:
    """Return the settings by which a solver and a collider run on a device, as far as they can."""
    check_device("--device", device)
    found = {}
    for key, table, name in (("device", SOLVERS, solver), ("collider.device", COLLIDERS, collider)):
        if "device" in setting_names(choose(key, table, name)[1]):
            found[key] = device
    if not found and device != DEVICES[0]:
        able = [n for table in (SOLVERS, COLLIDERS) for n in table if "device" in setting_names(table[n][1])]
        raise ToileError(
            f"neither solver {solver} nor collider {collider} runs on a graphics device: "
            f"choose from {', '.join(able)}"
        )
    return found


def _shared_out(tune: Mapping[str, Any], solver: str, collider: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of the solver and those of the collider."""
    classes = {"solver": SOLVERS[solver][1], "collider": COLLIDERS[collider][1]}
    names = {kind: setting_names(settings_class) for kind, settings_class in classes.items()}
    parts: dict[str, dict[str, Any]] = {"solver": {}, "collider": {}}
    for key, value in tune.items():
        owner, dot, name = key.partition(".")
        if not dot:
            known = {k: present_name(c, key) for k, c in classes.items()}
            owner = next((k for k in ("solver", "collider") if known[k] in names[k]), "solver")
            name = known[owner]
        elif owner in classes:
            name = present_name(classes[owner], name)
        if name not in names.get(owner, ()):
            raise ToileError(
                f"no setting '{key[:40]}': solver {solver} has {', '.join(names['solver'])}; "
                f"collider {collider} has {', '.join(names['collider'])}"
            )
        parts[owner][name] = value
    return parts["solver"], parts["collider"]


def parse_tuning(words: Iterable[str]) -> dict[str, str]:
    """Return settings from words such as iterations=20."""
    found = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not (key.strip() and equals and value.strip()):
            raise ToileError(f"'{word[:40]}' is not a setting: write NAME=VALUE, such as iterations=20")
        found[key.strip()] = value.strip()
    return found

"""Settings as panels show them: made from the settings classes and the drafts, not listed by hand."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields
from functools import lru_cache
from typing import Any

import toile
from toile.body.model.check_measures import HUMAN
from toile.core.errors import ToileError
from toile.core.records import Fabric
from toile.export.library import EXPORTS
from toile.garment.fabric import FABRICS, LIMITS
from toile.jobs.records import Setting
from toile.motion.library import MOTIONS
from toile.pattern.drafts.library import DRAFTS, options
from toile.sim.colliders.contacts import COLLIDERS
from toile.sim.solvers.table import SOLVERS
from toile.studio.asked import Overlay, SceneName
from toile.studio.describe import field_words
from toile.studio.edit_project import STAND
from toile.studio.messages import PROTOCOL
from toile.studio.told import Control, Hello, Panel

_UNIT = re.compile(r"\[([^\]]{1,24})\]")
_PROBES = (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1e3, 1e4, 1e5)
"""values that are tried to find out what a settings class accepts"""


def hello(session: str, recovered: bool) -> Hello:
    """Return the first message of a session."""
    return Hello(
        protocol=PROTOCOL,
        version=toile.__version__,
        session=session,
        recovered=recovered,
        scenes=typing.get_args(SceneName),
        overlays=typing.get_args(Overlay),
        formats=tuple(ending[1:] for ending in EXPORTS),
        **_panels(),
    )


@lru_cache(maxsize=1)
def _panels() -> Mapping[str, Any]:
    return {
        "solvers": tuple(_of_class(name, *pair) for name, pair in SOLVERS.items()),
        "colliders": tuple(_of_class(name, *pair) for name, pair in COLLIDERS.items()),
        "drafts": tuple(_of_draft(name) for name in DRAFTS),
        "motions": (Panel(name=STAND, help="no motion"), *(_of_motion(name) for name in MOTIONS)),
        "fabrics": tuple(_of_fabric(name) for name in FABRICS),
        "measures": tuple(_of_measure(name) for name in HUMAN),
    }


def _first_line(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").split("\n")[0]


def _of_class(name: str, method: Any, settings: Any) -> Panel:
    """Return a solver or collider with its settings: words and units stand under the fields."""
    words = field_words(settings)
    hints = typing.get_type_hints(settings)
    controls = [
        _control(f.name, _default(f), words.get(f.name, ""), *_limits(settings, f.name, hints[f.name]))
        for f in fields(settings)
        if isinstance(_default(f), bool | int | float | str)
    ]
    return Panel(name=name, help=_first_line(inspect.getmodule(method)), controls=tuple(controls))


def _default(f: Any) -> Any:
    return f.default if f.default is not MISSING else None


def _limits(settings: Any, name: str, kind: Any) -> tuple[float | None, float | None]:
    """Return the least and the greatest of some round numbers that a settings class accepts for a field."""
    if kind not in (int, float):
        return None, None
    good = [value for value in _PROBES if _accepts(settings, name, kind(value))]
    return (min(good), max(good)) if good else (None, None)


def _accepts(settings: Any, name: str, value: Any) -> bool:
    try:
        settings(**{name: value})
    except (ToileError, ValueError, ZeroDivisionError):
        return False
    return True


def _control(name: str, default: Setting, help_: str, low: float | None, high: float | None) -> Control:
    unit = _UNIT.search(help_)
    choices = _choices(help_, default)
    kind: Any = "text"
    if isinstance(default, bool):
        kind = "switch"
    elif isinstance(default, int):
        kind = "whole"
    elif isinstance(default, float):
        kind = "number"
    elif choices:
        kind = "choice"
    return Control(
        name=name, kind=kind, default=default, help=help_, unit=unit[1] if unit else "", low=low, high=high,
        choices=choices,
    )  # fmt: skip


def _choices(help_: str, default: Setting) -> tuple[str, ...]:
    """Return the words that a text setting's help names first: draft, normal or fine."""
    if not isinstance(default, str):
        return ()
    head = re.split(r"[:;.(]", help_)[0]
    words = tuple(re.findall(r"[a-z_-]+", head.replace(" or ", ", ")))
    plain = all(len(part.split()) == 1 for part in re.split(r",| or ", head) if part.strip())
    return words if plain and default in words else ()


def _of_draft(name: str) -> Panel:
    """Return a draft with its style options; limits are those of the drafting table."""
    controls = []
    for option, default in options(name).items():
        kind: Any = "text"
        low = high = None
        if isinstance(default, bool):
            kind = "switch"
        elif isinstance(default, int):
            kind, low, high = "whole", 1.0, 200.0
        elif isinstance(default, float):
            kind, low, high = "number", -3.0, 3.0
        shown: Setting = default if isinstance(default, bool | int | float | str) else ""
        controls.append(
            Control(name=option, kind=kind, default=shown, unit="m" if kind == "number" else "", low=low,
                    high=high)
        )  # fmt: skip
    return Panel(name=name, help=_first_line(DRAFTS[name]), controls=tuple(controls))


def _of_motion(name: str) -> Panel:
    parameters = inspect.signature(MOTIONS[name]).parameters.values()
    controls = tuple(
        Control(name=p.name, kind="number", default=float(p.default))
        for p in parameters
        if isinstance(p.default, int | float) and not isinstance(p.default, bool)
    )
    return Panel(name=name, controls=controls)


def _of_fabric(name: str) -> Panel:
    fabric = FABRICS[name]
    words = field_words(Fabric)
    controls = tuple(
        _control(key, float(getattr(fabric, key)), words.get(key, ""), low, high)
        for key, (low, high) in LIMITS.items()
    )
    return Panel(name=name, help=fabric.source, controls=controls)


def _of_measure(name: str) -> Control:
    low, high = HUMAN[name]
    unit = "kg" if name == "weight" else "m"
    return Control(name=name, kind="number", default=0.5 * (low + high), unit=unit, low=low, high=high)

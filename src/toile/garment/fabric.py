"""The fabric database: how real cloths behave, by name.

`fabrics.toml` beside this file holds the figures and says where they come from; a file of the same form may
be written by a user and read with `read_fabrics`. See docs/fabrics.md for the meaning of each figure.
"""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib import resources
from pathlib import Path
from typing import Any

from toile.core.errors import ToileError
from toile.core.reading import read_plain
from toile.core.records import Fabric

Fabrics = str | Fabric | Sequence[str | Fabric]
"""of several garments, by name or in figures: one for all, or one for each"""
GRAVITY = 9.81
"""[m/s²]"""

LIMITS: Mapping[str, tuple[float, float]] = {
    "mass": (0.005, 5.0),
    "stretch_warp": (10.0, 1e6),
    "stretch_weft": (10.0, 1e6),
    "shear": (0.5, 1e6),
    "bend_warp": (1e-9, 0.1),
    "bend_weft": (1e-9, 0.1),
    "thickness": (1e-5, 0.02),
    "friction": (0.0, 2.0),
    "friction_cloth": (0.0, 2.0),
    "strain_limit": (0.001, 3.0),
    "damping": (0.0, 1000.0),
}
"""what a figure can sensibly be, in the units of `Fabric`"""

MAX_BYTES = 1 << 20
_NEEDED = ("mass", "stretch_warp", "stretch_weft", "shear", "bend_warp", "bend_weft")


def parse_fabrics(text: str, source: str = "fabrics") -> dict[str, Fabric]:
    """Return the fabrics of a TOML text, one table each, fields as in `Fabric`; errors name the source."""
    try:
        tables = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ToileError(f"{source}: not a fabric file: {error}") from error
    return {name: fabric_of_figures(name, table, source) for name, table in tables.items()}


def read_fabrics(path: str | Path) -> dict[str, Fabric]:
    """Return the fabrics of a TOML file by name."""
    try:
        text = read_plain(path, MAX_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise ToileError(f"{path}: cannot be read as a fabric file: {error}") from error
    return parse_fabrics(text, str(path))


def fabric_of_figures(name: str, table: Any, source: str) -> Fabric:
    """Return one checked fabric."""
    where = f"{source}: fabric '{name}'"
    if not isinstance(table, dict):
        raise ToileError(f"{where} must be a table of figures, such as [{name}] and mass = 0.12")
    known = {f.name for f in fields(Fabric)} - {"name"}
    if unknown := sorted(set(table) - known):
        raise ToileError(f"{where}: unknown entry '{unknown[0]}'; known are {', '.join(sorted(known))}")
    if missing := [key for key in _NEEDED if key not in table]:
        raise ToileError(f"{where}: '{missing[0]}' is missing")
    figures: dict[str, Any] = {key: _figure(table[key], key, where) for key in table if key in LIMITS}
    text = table.get("source", "")
    if not isinstance(text, str):
        raise ToileError(f"{where}: source must be text")
    if "colour" in table:
        figures["colour"] = _colour(table["colour"], where)
    return Fabric(name=name, source=text, **figures)


def _figure(value: Any, key: str, where: str) -> float:
    low, high = LIMITS[key]
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or not low <= value <= high:
        raise ToileError(f"{where}: {key} = {value!r} must be a number from {low:g} to {high:g}")
    return float(value)


def _colour(value: Any, where: str) -> tuple[float, float, float]:
    if (
        not isinstance(value, list)
        or len(value) != 3
        or not all(isinstance(c, (int, float)) and 0.0 <= c <= 1.0 for c in value)
    ):
        raise ToileError(f"{where}: colour must be three numbers from 0 to 1")
    return float(value[0]), float(value[1]), float(value[2])


def _load() -> dict[str, Fabric]:
    text = resources.files("toile.garment").joinpath("fabrics.toml").read_text(encoding="utf-8")
    return parse_fabrics(text, "fabrics.toml")


FABRICS: Mapping[str, Fabric] = _load()
"""the database, by name"""


def fabric(name: str) -> Fabric:
    """Return the fabric of that name."""
    found = FABRICS.get(name.strip().lower())
    if found is None:
        near = difflib.get_close_matches(name.strip().lower(), FABRICS, n=1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise ToileError(f"no fabric '{name}'{hint}; there are {', '.join(sorted(FABRICS))}")
    return found


def fabric_of_each(fabric: Fabrics, count: int) -> list[str | Fabric]:
    """Return a fabric for each of count garments."""
    fabrics = [fabric] * count if isinstance(fabric, str | Fabric) else list(fabric)
    if len(fabrics) != count:
        raise ToileError(f"{len(fabrics)} fabrics for {count} garments: give one, or one for each")
    return fabrics


def bending_length(fabric: Fabric) -> tuple[float, float]:
    """Return the bending length c = (B / σ g)^⅓ along warp and weft [m] (Peirce 1930)."""
    weight = fabric.mass * GRAVITY
    return (fabric.bend_warp / weight) ** (1 / 3), (fabric.bend_weft / weight) ** (1 / 3)

"""HPGL/PLT plotter files: pen moves, 0.025 mm per unit; outlines only."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Floats, Pattern
from toile.pattern.pieces import panels as pieces
from toile.pattern.pieces.loops import Loop, pieces_from_loops

UNIT = 0.025e-3
"""[m]"""
MOVE_LIMIT = 500_000
_COMMAND = re.compile(r"([A-Za-z]{2})([^A-Za-z;]*);?")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)")
_START = re.compile(rb"\s*(?:\x1b[^A-Za-z]*[A-Za-z])?\s*(?:IN|DF|SP\d?|PU|PA|PS|IP|LT|VS|BP)[;\d, ]")
_KNOWN = frozenset(
    {
        "IN", "DF", "SP", "PU", "PD", "PA", "PR", "AA", "LB", "SI", "DT", "IP", "SC", "LT", "VS", "PW",
        "PS", "BP", "PG", "CI", "RO", "NP", "FT", "SM", "DI", "SR", "CS", "PT", "WU",
    }
)  # fmt: skip


@dataclass(slots=True)
class _Plotter:
    at: tuple[float, float] = (0.0, 0.0)
    down: bool = False
    relative: bool = False
    line: list[tuple[float, float]] = field(default_factory=list)
    lines: list[Floats] = field(default_factory=list)
    labels: list[tuple[Floats, str]] = field(default_factory=list)
    moves: int = 0
    unknown: int = 0


def looks_like(data: bytes) -> bool:
    """Return whether a file starts like plotter commands."""
    return _START.match(data[:200]) is not None


def parse(data: bytes, name: str, source: str, *, units: str = "") -> Pattern:
    """Return the closed lines of a plotter file as pieces; words inside a piece name it."""
    del units  # the unit of the format is fixed
    plotter = _run(data.decode("latin-1"), source)
    loops, lines = [], []
    for line in _joined(plotter.lines):
        closed = len(line) > 3 and math.hypot(*(line[0] - line[-1])) < pieces.JOIN
        curves = pieces.ring_to_curves(line[:-1]) if closed else []
        if curves:
            loops.append(Loop(curves))
        else:
            lines.append(line)
    notes: list[str] = []
    found = pieces_from_loops(loops, lines, plotter.labels, notes)
    if not found:
        raise ToileError(f"{source}: no closed line is large enough to be a piece")
    return Pattern(name, pieces.panels_from_pieces(found), notes=tuple(notes))


def _run(text: str, source: str) -> _Plotter:
    plotter, at, count = _Plotter(), 0, 0
    while at < len(text):
        if text[at : at + 2].upper() == "LB":  # a label runs to its end mark
            end = next((i for i in range(at + 2, min(len(text), at + 300)) if text[i] in "\x03\n;"), at + 300)
            words = "".join(c for c in text[at + 2 : end] if c.isprintable()).strip()
            if words:
                plotter.labels.append((np.array(plotter.at) * UNIT, words[:80]))
            at, count = end + 1, count + 1
            continue
        match = _COMMAND.match(text, at)
        if match is None:
            at += 1
            continue
        at, count = match.end(), count + 1
        command = match[1].upper()
        if command not in _KNOWN:
            plotter.unknown += 1
        elif command in _ACTIONS:
            _act(plotter, command, [float(n) for n in _NUMBER.findall(match[2])], source)
        if plotter.unknown > 20 and plotter.unknown > count // 2:
            raise ToileError(f"{source}: not a plotter file: its commands are unknown")
    _lift(plotter)
    if not plotter.lines:
        raise ToileError(f"{source}: the pen draws nothing: not a plotter file")
    return plotter


def _act(plotter: _Plotter, command: str, values: list[float], source: str) -> None:
    plotter.moves += 1 + len(values)
    if plotter.moves > MOVE_LIMIT:
        raise ToileError(f"{source}: more than {MOVE_LIMIT} pen moves, too many for a pattern")
    if any(abs(v) > 1e7 for v in values):
        raise ToileError(f"{source}: the pen moves {max(map(abs, values)) * UNIT:.3g} m: the file is damaged")
    _ACTIONS[command](plotter, values)


def _lift(plotter: _Plotter) -> None:
    if len(plotter.line) > 1:
        plotter.lines.append(np.array(plotter.line) * UNIT)
    plotter.line = []


def _move(plotter: _Plotter, values: list[float]) -> None:
    for x, y in zip(values[::2], values[1::2], strict=False):
        if plotter.relative:
            x, y = plotter.at[0] + x, plotter.at[1] + y
        if plotter.down:
            plotter.line = plotter.line or [plotter.at]
            plotter.line.append((x, y))
        plotter.at = (x, y)


def _up(plotter: _Plotter, values: list[float]) -> None:
    _lift(plotter)
    plotter.down = False
    _move(plotter, values)


def _down(plotter: _Plotter, values: list[float]) -> None:
    plotter.down = True
    _move(plotter, values)


def _absolute(plotter: _Plotter, values: list[float]) -> None:
    plotter.relative = False
    _move(plotter, values)


def _relative(plotter: _Plotter, values: list[float]) -> None:
    plotter.relative = True
    _move(plotter, values)


def _arc(plotter: _Plotter, values: list[float]) -> None:
    """Draw an arc round a centre by an angle in degrees."""
    if len(values) < 3:
        return
    relative, plotter.relative = plotter.relative, False
    centre, start = np.array(values[:2]), np.array(plotter.at)
    turn = math.radians(max(-360.0, min(360.0, values[2])))
    count = max(2, int(abs(turn) / 0.05))
    for k in range(1, count + 1):
        c, s = math.cos(turn * k / count), math.sin(turn * k / count)
        x, y = centre + np.array([[c, -s], [s, c]]) @ (start - centre)
        _move(plotter, [float(x), float(y)])
    plotter.relative = relative


def _home(plotter: _Plotter, values: list[float]) -> None:
    del values
    _lift(plotter)
    plotter.down = plotter.relative = False


_ACTIONS = {"PU": _up, "PD": _down, "PA": _absolute, "PR": _relative, "AA": _arc, "IN": _home, "SP": _home}


def _joined(lines: list[Floats]) -> list[Floats]:
    """Return lines with those put together that continue where the one before ended."""
    result: list[Floats] = []
    for line in lines:
        if result and math.hypot(*(result[-1][-1] - line[0])) < pieces.JOIN / 5:
            before = result[-1]
            if math.hypot(*(before[0] - before[-1])) > pieces.JOIN:
                result[-1] = np.vstack([before, line[1:]])
                continue
        result.append(line)
    return result

"""SVG path data, shapes and transforms as curves, by the rules of SVG 1.1 (W3C 2011)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator

import numpy as np

from toile.core.errors import ToileError
from toile.core.records import Floats
from toile.pattern.pieces.panels import Curve

NUMBER_LIMIT = 80_000
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_TOKEN = re.compile(rf"([MmLlHhVvCcSsQqTtAaZz])|({_NUMBER})")
_TRANSFORM = re.compile(r"(matrix|translate|scale|rotate|skewX|skewY)\s*\(([^)]*)\)")
_COUNT = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}


def numbers(text: str) -> list[float]:
    """Return the finite numbers in an attribute."""
    if len(text) > 20 * NUMBER_LIMIT:
        raise ToileError("a line has too many points")
    found = [float(match) for match in re.findall(_NUMBER, text)]
    if len(found) > NUMBER_LIMIT or not all(math.isfinite(v) and abs(v) < 1e9 for v in found):
        raise ToileError("a coordinate is not usable, or there are too many")
    return found


def matrix_of(text: str) -> Floats:
    """Return the transform attribute as an affine matrix, (3, 3)."""
    result = np.eye(3)
    for name, arguments in _TRANSFORM.findall(text[:2000]):
        v = numbers(arguments)
        if len(v) not in _ARGUMENTS[name]:
            raise ToileError(f"transform {name}({arguments[:30]}) is not understood")
        result = result @ _MATRICES[name](v)
    return result


_ARGUMENTS = {
    "matrix": (6,),
    "translate": (1, 2),
    "scale": (1, 2),
    "rotate": (1, 3),
    "skewX": (1,),
    "skewY": (1,),
}


def _rotate(v: list[float]) -> Floats:
    c, s = math.cos(math.radians(v[0])), math.sin(math.radians(v[0]))
    x, y = v[1:] or (0.0, 0.0)
    return np.array([[c, -s, x - c * x + s * y], [s, c, y - s * x - c * y], [0.0, 0.0, 1.0]])


_MATRICES: dict[str, Callable[[list[float]], Floats]] = {
    "matrix": lambda v: np.array([[v[0], v[2], v[4]], [v[1], v[3], v[5]], [0.0, 0.0, 1.0]]),
    "translate": lambda v: np.array([[1.0, 0.0, v[0]], [0.0, 1.0, (v[1:] or [0.0])[0]], [0.0, 0.0, 1.0]]),
    "scale": lambda v: np.diag([v[0], (v[1:] or v)[0], 1.0]),
    "rotate": _rotate,
    "skewX": lambda v: np.array([[1.0, math.tan(math.radians(v[0])), 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    "skewY": lambda v: np.array([[1.0, 0.0, 0.0], [math.tan(math.radians(v[0])), 1.0, 0.0], [0.0, 0.0, 1.0]]),
}


def transformed(curve: Curve, matrix: Floats) -> Curve:
    """Return a curve under an affine map; circular arcs must be mapped by similarities only."""
    kind, points = curve
    return kind, points @ matrix[:2, :2].T + matrix[:2, 2]


def is_similarity(matrix: Floats) -> bool:
    """Return whether circles stay circles."""
    a = matrix[:2, :2]
    square = a @ a.T
    return bool(abs(square[0, 0] - square[1, 1]) + abs(square[0, 1]) <= 1e-9 * abs(square[0, 0]))


# ---------------------------------------------------------------------------- path data


def subpaths(data: str, *, circles: bool = True) -> list[tuple[list[Curve], bool]]:
    """Return the subpaths of path data as curves, and whether each is closed.

    ``circles``: circular arcs stay arcs; else all arcs become cubic curves.
    """
    walker = _Walker(circles)
    for command, values in _commands(data):
        walker.draw(command, values)
    return walker.finish()


def _commands(data: str) -> Iterator[tuple[str, list[float]]]:
    command, total = "", 0
    values: list[float] = []
    for letter, number in _split_flags(data):
        total += 1
        if total > NUMBER_LIMIT:
            raise ToileError("a path has too many points")
        if letter:
            if values:
                raise ToileError(f"path command {command} has {len(values)} numbers too many or too few")
            command = letter
            if command in "Zz":
                yield command, []
            continue
        if not command or command in "Zz":
            raise ToileError("path data starts with a number")
        values.append(number)
        if len(values) == _COUNT[command.upper()]:
            yield command, values
            values = []
            command = {"M": "L", "m": "l"}.get(command, command)
    if values:
        raise ToileError(f"path command {command} is cut off")


def _split_flags(data: str) -> Iterator[tuple[str, float]]:
    """Return letters and numbers; the two flags of an arc may be written without a space between."""
    at, command, place = 0, "", 0
    while at < len(data):
        if data[at] in " ,\t\r\n":
            at += 1
            continue
        if command in "Aa" and command and place % 7 in (3, 4) and data[at] in "01":
            yield "", float(data[at])
            at, place = at + 1, place + 1
            continue
        match = _TOKEN.match(data, at)
        if match is None:
            raise ToileError(f"path data is not understood at '{data[at : at + 12]}'")
        at = match.end()
        if match[1]:
            command, place = match[1], 0
            yield command, 0.0
        else:
            value = float(match[2])
            if not math.isfinite(value) or abs(value) > 1e9:
                raise ToileError(f"the number {match[2][:20]} in a path is too large")
            place += 1
            yield "", value


class _Walker:
    """Follows path commands; keeps the current point and the last control point."""

    def __init__(self, circles: bool) -> None:
        self.circles = circles
        self.done: list[tuple[list[Curve], bool]] = []
        self.curves: list[Curve] = []
        self.start = self.at = np.zeros(2)
        self.control: tuple[str, Floats] = ("", np.zeros(2))

    def draw(self, command: str, values: list[float]) -> None:
        """Add one segment."""
        kind, base = command.upper(), self.at if command.islower() else np.zeros(2)
        if kind == "Z":
            if self.curves and np.hypot(*(self.start - self.at)) > 1e-9:
                self._add("line", [self.start])
            self._break(closed=True)
        elif kind == "M":
            self._break(closed=False)
            self.start = self.at = base + values
        elif kind in "HV":
            end = self.at.copy()
            axis = int(kind == "V")
            end[axis] = base[axis] + values[0]
            self._add("line", [end])
        elif kind == "A":
            self._arc(values, base + values[5:])
        else:
            self._bezier(kind, base + np.array(values).reshape(-1, 2))

    def _bezier(self, kind: str, points: Floats) -> None:
        if kind in "ST":  # the first control point mirrors the last one
            family, last = self.control
            mirrored = 2.0 * self.at - last if family == kind else self.at
            points = np.vstack([mirrored, points])
        curve = {"L": "line", "C": "cubic", "S": "cubic", "Q": "quadratic", "T": "quadratic"}[kind]
        self._add(curve, list(points))
        self.control = (
            {"C": "S", "S": "S", "Q": "T", "T": "T"}.get(kind, ""),
            points[-2] if len(points) > 1 else self.at,
        )

    def _add(self, kind: str, points: list[Floats]) -> None:
        if kind != "line" or np.hypot(*(points[-1] - self.at)) > 0.0:
            self.curves.append((kind, np.vstack([self.at, *points])))  # type: ignore[arg-type]
        self.at = np.array(points[-1], dtype=np.float64)
        self.control = ("", self.at)

    def _break(self, *, closed: bool) -> None:
        if self.curves:
            end = self.curves[-1][1][-1]
            size = float(np.ptp(np.vstack([points for _, points in self.curves]), axis=0).max())
            closed = closed or float(np.hypot(*(end - self.curves[0][1][0]))) < 1e-6 * size
            self.done.append((self.curves, closed))
        self.curves = []
        self.at = self.start

    def _arc(self, values: list[float], end: Floats) -> None:
        radius_x, radius_y, tilt, large, sweep = abs(values[0]), abs(values[1]), *values[2:5]
        if np.hypot(*(end - self.at)) < 1e-12:
            return
        if radius_x == 0.0 or radius_y == 0.0:
            self._add("line", [end])
            return
        frame, low, turn = _ellipse(self.at, end, radius_x, radius_y, tilt, bool(large), bool(sweep))
        pieces = 2 if abs(turn) > math.pi * 1.9 else 1
        if self.circles and abs(radius_x - radius_y) <= 1e-9 * radius_x:
            for k in range(pieces):
                middle, stop = (_on(frame, low + turn * (k + s) / pieces) for s in (0.5, 1.0))
                self._add("arc", [middle, end if k == pieces - 1 else stop])
            return
        for a, b, c in _cubics(frame, low, turn):
            self._add("cubic", [a, b, c])
        self.curves[-1][1][-1] = end
        self.at = np.array(end)

    def finish(self) -> list[tuple[list[Curve], bool]]:
        """Return all subpaths."""
        self._break(closed=False)
        return self.done


def _ellipse(
    start: Floats, end: Floats, rx: float, ry: float, tilt: float, large: bool, sweep: bool
) -> tuple[Floats, float, float]:
    """Return the ellipse as (2, 3) map of the unit circle, the first angle and the turn (SVG 1.1, F.6.5)."""
    angle = math.radians(tilt)
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    half = turn.T @ (start - end) / 2.0
    grow = max(1.0, math.hypot(half[0] / rx, half[1] / ry))
    rx, ry = rx * grow, ry * grow
    x, y = half[0] / rx, half[1] / ry
    rest = max(0.0, 1.0 / (x * x + y * y) - 1.0)
    side = math.sqrt(rest) * (-1.0 if large == sweep else 1.0)
    unit = np.array([side * y, -side * x])
    centre = turn @ (unit * (rx, ry)) + (start + end) / 2.0
    low = math.atan2(y - unit[1], x - unit[0])
    high = math.atan2(-y - unit[1], -x - unit[0])
    way = (high - low) % math.tau if sweep else -((low - high) % math.tau)
    return np.column_stack([turn @ np.diag([rx, ry]), centre]), low, way


def _on(frame: Floats, angle: float) -> Floats:
    return np.asarray(frame[:, :2] @ [math.cos(angle), math.sin(angle)] + frame[:, 2])


def _cubics(frame: Floats, low: float, turn: float) -> Iterator[tuple[Floats, Floats, Floats]]:
    """Return cubic curves for an elliptic arc, 45° each at most: true to a millionth of the radius."""
    count = max(1, math.ceil(abs(turn) / (math.pi / 4.0) - 1e-9))
    step = turn / count
    reach = 4.0 / 3.0 * math.tan(step / 4.0)
    for k in range(count):
        a, b = low + k * step, low + (k + 1) * step
        first = (
            frame[:, :2] @ [math.cos(a) - reach * math.sin(a), math.sin(a) + reach * math.cos(a)]
            + frame[:, 2]
        )
        second = (
            frame[:, :2] @ [math.cos(b) + reach * math.sin(b), math.sin(b) - reach * math.cos(b)]
            + frame[:, 2]
        )
        yield first, second, _on(frame, b)

"""Axes, facing and unit of a scan: it is compared with ten mannequins in 48 frames."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import permutations, product

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from toile.body.scan.model import TURNED, ScanModel, ScanPose, posed_skin, scan_model, start_pose
from toile.core.errors import ToileError
from toile.core.records import Floats

UNITS = {"mm": 0.001, "cm": 0.01, "m": 1.0, "inch": 0.0254}
HEIGHTS = (1.30, 2.20)
"""a person's height [m]"""
SEATED_HEIGHTS = (0.75, 1.30)
"""of people who do not stand, and of things [m]"""
ARMS = (0.0, 25.0, 45.0, 65.0, 80.0)
"""arms of the mannequins, degrees below the horizontal"""
CROUCHES = (
    (90.0, 90.0, 0.0), (120.0, 140.0, 20.0), (20.0, 110.0, 0.0), (100.0, 60.0, 30.0), (70.0, 105.0, 10.0),
)  # fmt: skip
"""people who sit, squat, kneel and crouch: thighs raised, knees bent, trunk bent forward [degrees]"""
CROUCHED = 0.09
"""mean distances both ways between a scan and such a mannequin of its height, together [m]"""
FEW = 600
"""points that are compared"""
BEST = 12
ROUNDS = 15


@dataclass(frozen=True, eq=False, slots=True)
class ScanOrientation:
    """ours_from_file, and the mannequin that fits best."""

    rotation: Floats
    """(3, 3)"""
    scale: float
    """[m per unit]"""
    shift: Floats
    """[m], (3,)"""
    unit: str
    sex: str
    arm_down: float
    """[rad]"""
    margin: float
    """how much worse the best opposite facing fits, 0.1: a tenth"""
    short: str = ""
    """why it is refused unless something else is wrong: too small for a person who stands"""

    def place(self, points: Floats) -> Floats:
        """Return points of the file in our axes [m]."""
        return np.asarray(self.scale * points @ self.rotation.T + self.shift)


@dataclass(frozen=True, eq=False, slots=True)
class _Mannequin:
    """A person that scans are held against."""

    sex: str
    arm_down: float
    """[rad]"""
    points: Floats
    """on the skin [m], (n, 3)"""
    tree: cKDTree


@dataclass(frozen=True, eq=False, slots=True)
class _Guess:
    """How a scan may stand, as in Facing."""

    cost: float
    """mean distance to the mannequin and back [m]"""
    rotation: Floats
    scale: float
    shift: Floats
    mannequin: _Mannequin


def find_orientation(points: Floats, name: str) -> ScanOrientation:
    """Return how the scan stands; a height that no unit explains is refused."""
    refined = _guesses(points, _mannequins(scan_model()))
    best = refined[0]
    tall = float(np.ptp(points @ best.rotation[1]))
    unit, short = _unit(tall, HEIGHTS), ""
    if not unit:
        short = (
            f"{name}: {tall:.4g} units tall: neither mm, cm, m nor inches make that a person "
            "of 1.30 to 2.20 m; scan the whole person, or scale the file"
        )
        unit = _unit(tall, SEATED_HEIGHTS)
    if not unit:
        raise ToileError(short)
    other = [g.cost for g in refined if np.trace(g.rotation @ best.rotation.T) < 1.0]
    margin = min(other) / best.cost - 1.0 if other else 1.0
    scale = UNITS[unit]
    placed = scale * points @ best.rotation.T
    # the mannequin's middle, at the person's own size
    shift = best.shift * scale / best.scale
    shift = shift - np.array([0.0, placed[:, 1].min() + shift[1], 0.0])
    m = best.mannequin
    return ScanOrientation(best.rotation, scale, shift, unit, m.sex, m.arm_down, margin, short)


def crouches(points: Floats) -> bool:
    """Return whether the scan looks like a person who sits, squats or kneels."""
    return _guesses(points, _crouched(scan_model()))[0].cost < CROUCHED


def _guesses(points: Floats, mannequins: list[_Mannequin]) -> list[_Guess]:
    """Return how the mannequins fit the scan at best, the best first."""
    rng = np.random.default_rng(2)
    few = points[rng.permutation(len(points))[:FEW]]
    guesses = [_first(few, frame, m) for frame in _frames(points) for m in mannequins]
    guesses.sort(key=lambda g: g.cost)
    return sorted((_refined(few, guess) for guess in guesses[:BEST]), key=lambda g: g.cost)


def _unit(tall: float, heights: tuple[float, float]) -> str:
    """Return the unit that makes the scan as tall as that [m]; empty: none."""
    return next((u for u, size in UNITS.items() if heights[0] <= tall * size <= heights[1]), "")


def _mannequins(model: ScanModel) -> list[_Mannequin]:
    return [
        _mannequin(model, start_pose(model, sex, np.radians(degrees)), sex, degrees)
        for sex, degrees in product(("female", "male"), ARMS)
    ]


def _crouched(model: ScanModel) -> list[_Mannequin]:
    """Return people with bent hips and knees."""
    found = []
    for sex, (thigh, shin, trunk), degrees in product(("female", "male"), CROUCHES, (20.0, 45.0, 70.0)):
        pose = start_pose(model, sex, np.radians(degrees))
        rotation = pose.rotation.copy()
        for joint, angle in (("LowerBack", trunk), ("UpLeg", -thigh), ("Leg", shin)):
            for side in ("",) if joint == "LowerBack" else ("Left", "Right"):
                below = model.below[TURNED.index(side + joint)]
                rotation[below] = Rotation.from_euler("x", angle, degrees=True).as_matrix() @ rotation[below]
        found.append(_mannequin(model, replace(pose, rotation=rotation), sex, degrees))
    return found


def _mannequin(model: ScanModel, pose: ScanPose, sex: str, degrees: float) -> _Mannequin:
    rng = np.random.default_rng(3)
    # fingers and face are finer than the rest: choose by area
    rows = rng.choice(model.skin_count, 900, replace=False, p=_vertex_share(model)).astype(np.int32)
    points = posed_skin(model, pose, rows)
    return _Mannequin(sex, float(np.radians(degrees)), points, cKDTree(points))


def _vertex_share(model: ScanModel) -> Floats:
    tree = cKDTree(model.mean[: model.skin_count])
    gap = tree.query(tree.data, k=5)[0][:, -1] ** 2
    share: Floats = gap / gap.sum()
    return share


def _frames(points: Floats) -> list[Floats]:
    """Return 24 turns of the file's axes and 24 of the axes along which the points spread."""
    rotations = []
    for order in permutations(range(3)):
        for signs in product((1.0, -1.0), repeat=3):
            rotation = np.zeros((3, 3))
            rotation[range(3), order] = signs
            if np.linalg.det(rotation) > 0:
                rotations.append(rotation)
    _, axes = np.linalg.eigh(np.cov(points.T))
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    return rotations + [rotation @ axes.T for rotation in rotations]


def _first(few: Floats, frame: Floats, mannequin: _Mannequin) -> _Guess:
    turned = few @ frame.T
    low, high = turned.min(axis=0), turned.max(axis=0)
    theirs = mannequin.points
    scale = float(np.ptp(theirs[:, 1]) / max(high[1] - low[1], 1e-12))
    shift = (theirs.min(axis=0) + theirs.max(axis=0)) / 2 - scale * (low + high) / 2
    placed = scale * turned + shift
    width = np.ptp(placed, axis=0)
    if width[0] > 2.6 or width[2] > 1.3:
        return _Guess(np.inf, frame, scale, shift, mannequin)
    gap = np.minimum(mannequin.tree.query(placed[::3])[0], 0.3)
    back = np.minimum(cKDTree(placed).query(theirs[::4])[0], 0.3)
    return _Guess(float(gap.mean() + back.mean()), frame, scale, shift, mannequin)


def _refined(few: Floats, guess: _Guess) -> _Guess:
    """Return the guess after matching nearest points both ways and fitting a similarity (Umeyama 1991)."""
    rotation, scale, shift = guess.rotation, guess.scale, guess.shift
    theirs, cost = guess.mannequin.points, np.inf
    for _ in range(ROUNDS):
        placed = scale * few @ rotation.T + shift
        gap, near = guess.mannequin.tree.query(placed)
        gap_back, back = cKDTree(placed).query(theirs)
        cost = float(np.minimum(gap, 0.15).mean() + np.minimum(gap_back, 0.15).mean())
        ours, wanted = np.concatenate([few, few[back]]), np.concatenate([theirs[near], theirs])
        keep = np.concatenate([gap, gap_back]) < 0.2
        if keep.sum() < 50:
            break
        rotation, scale, shift = _similarity(ours[keep], wanted[keep])
    return _Guess(cost, rotation, scale, shift, guess.mannequin)


def _similarity(ours: Floats, wanted: Floats) -> tuple[Floats, float, Floats]:
    a, b = ours.mean(axis=0), wanted.mean(axis=0)
    u, s, v = np.linalg.svd((wanted - b).T @ (ours - a))
    sign = np.array([1.0, 1.0, np.sign(np.linalg.det(u @ v))])
    rotation = (u * sign) @ v
    scale = float((s * sign).sum() / max(((ours - a) ** 2).sum(), 1e-30))
    return rotation, scale, b - scale * rotation @ a

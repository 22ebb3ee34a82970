"""The Cusick drapemeter (BS 5058): a round cloth of 15 cm radius on a disc of 9 cm, seen from above."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import shapely
from scipy.signal import find_peaks

from toile.core.records import Contacts, Edge, Floats, Garment, Mark, Panel, Pattern, Scene, State
from toile.garment.build import build
from toile.garment.fabric import fabric
from toile.sim.solvers.xpbd import XpbdSettings, XpbdSolver

CLOTH, DISC = 0.15, 0.09
"""radii [m]"""


def circle(radius: float, turn: Floats) -> Floats:
    return radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)


def specimen(name: str, edge_length: float) -> Garment:
    """A disc of cloth with a ring of vertices above the rim of the support."""
    turn = np.linspace(0.0, 2.0 * math.pi, 7)[:-1]
    corners, middle = circle(CLOTH, turn), circle(CLOTH, turn + math.pi / 6)
    rim = Mark("internal", circle(DISC, np.linspace(0.0, 2.0 * math.pi, 73)))
    edges = tuple(Edge(i, (i + 1) % 6, "arc", middle[i : i + 1]) for i in range(6))
    panel = Panel("specimen", corners, edges, marks=(rim,))
    return build(Pattern("specimen", (panel,)), replace(fabric(name), damping=4.0), edge_length)


@cache
def draped(name: str, edge_length: float, seed: int, quality: str) -> tuple[float, int]:
    """Return the drape coefficient and the number of folds after three seconds."""
    cloth = specimen(name, edge_length)
    radius = np.hypot(*cloth.uv.T)
    # a trace of unevenness lets folds begin
    noise = np.random.default_rng(seed).normal(0.0, 1e-4, len(radius)) * (radius > DISC + 1e-6)
    state = State(np.stack([cloth.uv[:, 0], noise, cloth.uv[:, 1]], axis=1), np.zeros((len(radius), 3)))
    solver = XpbdSolver(cloth, XpbdSettings(quality=quality))
    solver.pin(np.flatnonzero(radius < DISC + 1e-6).astype(np.int32))
    none = np.zeros((0, 3))
    nothing = Contacts(np.zeros(0, np.int32), np.zeros(0), none, none)
    scene = Scene(None, lambda _: nothing, np.array([0.0, -9.81, 0.0]), np.zeros(3))
    for _ in range(180):
        state = solver.step(state, scene, 1 / 60)
    seen = state.position[:, [0, 2]]
    shadow = shapely.union_all(shapely.buffer(shapely.polygons(seen[cloth.triangles]), 1e-6)).area
    disc = math.pi * DISC**2
    return (shadow - disc) / (math.pi * CLOTH**2 - disc), _folds(seen[radius > CLOTH - 1e-6])


def middle(name: str, edge_length: float, quality: str, count: int = 9) -> tuple[float, float]:
    """Return the medians of some falls: how many folds there are is chance, and shifts the coefficient."""
    falls = [draped(name, edge_length, seed, quality) for seed in range(count)]
    share, folds = np.median(falls, axis=0)
    return float(share), float(folds)


def _folds(rim: Floats) -> int:
    """Count the places where the rim stands out by 3 mm and more."""
    angle = np.arctan2(rim[:, 1], rim[:, 0])
    order = np.argsort(angle)
    at = np.linspace(-math.pi, math.pi, 360, endpoint=False)
    even = np.interp(at, angle[order], np.hypot(*rim.T)[order], period=2 * math.pi)
    # start at the lowest place, so that no fold is cut in two
    even = np.roll(even, -int(np.argmin(even)))
    return len(find_peaks(np.append(even, even[0]), prominence=0.003)[0])


BANDS = {
    "silk": (0.20, 0.40),
    "cotton": (0.60, 0.76),
    "wool": (0.40, 0.70),
    "leather": (0.47, 0.70),
    "denim": (0.70, 0.90),
}
"""as cloth of that name is known to drape"""


@pytest.mark.parametrize("name", BANDS)
def test_fabrics_drape_as_they_are_known_to(name: str) -> None:
    # measured 28.8, 67.3, 45.6, 53.3 and 78.0 %; converged (1/9600 s, double precision) 37, 68, 54, 63, 78 %
    low, high = BANDS[name]
    assert low <= middle(name, 0.015, "fine")[0] <= high


@pytest.mark.parametrize("name", BANDS)
def test_they_do_in_the_default_settings(name: str) -> None:
    # measured 24.3, 66.3, 46.6, 53.0 and 76.1 %
    low, high = BANDS[name]
    assert low <= middle(name, 0.015, "normal")[0] <= high


@pytest.mark.parametrize(("edge_length", "count"), [(0.011, 5), (0.0175, 9)])
@pytest.mark.parametrize("name", BANDS)
def test_other_meshes_do_too(name: str, edge_length: float, count: int) -> None:
    # measured 32.0, 70.0, 46.1, 59.3, 78.4 % at 1.1 cm; 22.1, 62.2, 42.3, 49.6, 70.4 % at 1.75 cm, where the
    # 6 cm that hang down are three edges
    low, high = BANDS[name]
    assert low <= middle(name, edge_length, "normal", count)[0] <= high


TOO_MANY = pytest.mark.xfail(reason="11 folds: dropped flat and at once, limp cloth buckles too finely")


@pytest.mark.parametrize("quality", ["normal", "fine"])
@pytest.mark.parametrize("name", ["cotton", "wool", "leather", "denim", pytest.param("silk", marks=TOO_MANY)])
def test_it_falls_in_a_few_folds(name: str, quality: str) -> None:
    assert 3 <= middle(name, 0.015, quality)[1] <= 8


@pytest.mark.parametrize("name", ["silk", "cotton", "denim"])
def test_the_mesh_hardly_matters(name: str) -> None:
    coarse, fine = (middle(name, edge_length, "fine")[0] for edge_length in (0.015, 0.011))
    # denim has a fold more on the finer one
    assert coarse == pytest.approx(fine, abs=0.05)

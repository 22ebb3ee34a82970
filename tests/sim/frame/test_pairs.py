"""Garments over each other: the order in which they are worn, and folds that have tipped over."""

from dataclasses import replace

import numpy as np
import pytest

from cloth_samples import COTTON, empty_space, lying, sheet
from toile._kernels import SurfaceTree, Untangler, meeting_pairs, meeting_pairs_self
from toile.core.records import Bools, Contacts, Floats, Garment, Scene, State
from toile.garment.outfit import join, layered
from toile.sim.colliders.base import NO_CONTACTS
from toile.sim.solvers.xpbd import XpbdSettings, XpbdSolver

STEP = 0.003
"""between the sheets of the fold [m]"""


def folded(x: Floats, width: float = 0.05) -> Floats:
    """Return the sheet with an S-shaped fold: 12 cm onward, so far back [m], then onward again."""
    onward, back = x[:, 0] < 0.12, (x[:, 0] >= 0.12) & (x[:, 0] < 0.12 + width)
    along = np.where(onward, x[:, 0], np.where(back, 0.24 - x[:, 0], x[:, 0] - 2 * width))
    return np.stack([along, STEP * (2.0 - 2 * onward - back), x[:, 2]], axis=1)


def sheet_over_fold(width: float = 0.05) -> tuple[Garment, Floats]:
    """Return two garments and where they are: the outer one lies flat over the other one's fold."""
    inner, outer = sheet(31, 16, 0.3, 0.15), sheet(21, 16, 0.2, 0.15)
    turned = np.array([1.0, -1.0, -1.0])  # triangles of `sheet` face down when it lies
    x = np.concatenate([folded(lying(inner) * turned, width), lying(outer, -3 * STEP) * turned])
    return layered(join([inner, outer])), x


@pytest.mark.parametrize(("gravity", "width"), [(0.0, 0.05), (9.81, 0.05), (9.81, 0.1)])
def test_cloth_over_a_fold_that_has_tipped_over_stays_outside(gravity: float, width: float) -> None:
    # The middle sheet of the fold faces down. Pushed out of it along its own normal, the outer cloth would go
    # down through the fold, on and on: hundreds of pairs, thousands within half a second.
    both, x = sheet_over_fold(width)
    count = int((both.particle_garment == 0).sum())
    x[:, 1] += 0.004
    up = np.tile([0.0, 1.0, 0.0], (len(x), 1))

    def floor(x: Floats) -> Contacts:
        return Contacts(np.arange(len(x), dtype=np.int32), x[:, 1].copy(), up, np.zeros_like(x))

    solver, state = XpbdSolver(both, XpbdSettings()), State(x, np.zeros_like(x))
    for _ in range(30):
        state = solver.step(state, Scene(None, floor, np.array([0.0, -gravity, 0.0]), np.zeros(3)), 1 / 60)
        trees = [SurfaceTree(both.triangles[own], state.position) for own in _garments(both.triangles, count)]
        assert meeting_pairs(*trees)[0] == 0


def test_cloth_dented_into_a_fold_that_has_tipped_over_is_taken_out_of_it() -> None:
    # through two sheets of the fold; out of the one that faces down would be farther in
    both, x = sheet_over_fold()
    outer = both.particle_garment == 1
    beside = np.hypot(x[outer, 0] - 0.105, x[outer, 2] + 0.075)
    x[outer, 1] -= 0.008 * np.exp(-((beside / 0.02) ** 2))
    layer = both.garment_layer[both.particle_garment[both.triangles[:, 0]]]
    report = Untangler(both.triangles, x, layer).run(x, rounds=12)
    assert report["cloth_before"] > 50
    assert report["cloth_after"] == 0
    assert x[outer, 1][beside < 0.02].min() > 1.5 * STEP


def meshed(cells: int, friction: float, seed: int | None) -> Garment:
    """Return a square of cells of 1 cm; with a seed, inner vertices lie up to 3 mm beside their place."""
    fabric, size = replace(COTTON, friction_cloth=friction), 0.01 * cells
    garment = sheet(cells + 1, cells + 1, size, size, fabric)
    inner = np.all((garment.uv > 0) & (garment.uv < garment.uv.max(axis=0)), axis=1)
    beside = 0.0 if seed is None else np.random.default_rng(seed).uniform(-0.003, 0.003, garment.uv.shape)
    return replace(garment, uv=garment.uv + inner[:, None] * beside)


def sheet_on_sheet(friction: float, irregular: bool, place: Floats) -> tuple[XpbdSolver, Floats, Bools]:
    """Return a square of 8 cm over a held one of 40 cm, where they are and which particles are above."""
    table, upper = (meshed(cells, friction, cells if irregular else None) for cells in (40, 8))
    turned = np.array([1.0, -1.0, -1.0])  # triangles of `sheet` face down when it lies
    middle = np.array([-0.2, 0.0, 0.2]), np.array([-0.04, 0.0, 0.04])
    x = np.concatenate([lying(table) * turned + middle[0], lying(upper) * turned + middle[1] + place])
    above = np.arange(len(x)) >= table.particle_count
    solver = XpbdSolver(layered(join([table, upper])), XpbdSettings())
    solver.pin(np.flatnonzero(~above).astype(np.int32))
    return solver, x, above


@pytest.mark.parametrize("irregular", [False, True])
@pytest.mark.parametrize("friction", [0.0, 0.2, 0.4])
@pytest.mark.parametrize(("height", "angle"), [(0.002, 0.0), (0.002, 0.4), (0.003, 0.9), (0.005, 0.0)])
def test_cloth_slides_on_cloth_as_coulomb_says(
    irregular: bool, friction: float, height: float, angle: float
) -> None:
    # Planes across the way between nearest points stood in the way of sliding cloth wherever these lay beside
    # each other: it went a quarter of its way, and up, by 5 mm.
    along, speed, brake = np.array([np.cos(angle), 0.0, np.sin(angle)]), 0.8, 9.81 * friction
    solver, x, above = sheet_on_sheet(friction, irregular, np.array([0.0013, height, 0.0017]) - 0.1 * along)
    state, highest = State(x, above[:, None] * speed * along), 0.0
    for _ in range(15):
        state = solver.step(state, empty_space(), 1 / 60)
        highest = max(highest, state.position[above, 1].mean())
        assert state.position[above, 1].min() > 0.0015
    # v t − ½ μ g t², until it stops
    time = min(0.25, speed / max(brake, 1e-9))
    way = ((state.position - x)[above] @ along).mean()
    assert 0.88 < way / (speed * time - 0.5 * brake * time**2) < 1.02
    assert highest < height + 0.0005


def slipped(friction: float, angle: float) -> float:
    """Return how far [m] a sheet slips down another that slants by an angle, in a quarter of a second."""
    solver, x, above = sheet_on_sheet(friction, True, np.array([-0.1, 0.002, 0.0]))
    down = 9.81 * np.array([np.sin(angle), -np.cos(angle), 0.0])
    state = State(x, np.zeros_like(x))
    for _ in range(15):
        state = solver.step(state, Scene(None, lambda _: NO_CONTACTS, down, np.zeros(3)), 1 / 60)
    return float((state.position - x)[above, 0].mean())


def test_cloth_on_cloth_that_slants_holds_and_slips_as_coulomb_says() -> None:
    assert abs(slipped(0.3, 0.2)) < 0.0005
    # friction takes ½ μ g cos α t² of the way
    lost = 0.5 * 0.3 * 9.81 * np.cos(0.5) * 0.25**2
    assert abs(slipped(0.0, 0.5) - slipped(0.3, 0.5) - lost) < 0.1 * lost


def test_a_sleeve_lies_outside_the_front_of_the_garment_above() -> None:
    # Under an arm, from the trunk outward: shirt, coat, the coat's sleeve, the shirt's sleeve. By the normals
    # of the coat's front that sleeve would be on the wrong side, and go through both sheets of the coat.
    cloth = [sheet(13, 13, 0.12, 0.12) for _ in range(4)]
    both = replace(join(cloth), garment_layer=np.array([0, 1, 1, 0], np.int32))
    x = np.concatenate([lying(one, 0.0014 * k) for k, one in enumerate(cloth)])
    # triangles of `sheet` face down when it lies: the lower two, on the trunk, are turned over
    trunk = both.particle_garment < 2
    x[trunk, 2] = 0.12 - x[trunk, 2]
    solver, state = XpbdSolver(both, XpbdSettings()), State(x, np.zeros_like(x))
    for _ in range(5):
        state = solver.step(state, empty_space(gravity=0.0), 1 / 60)
    assert meeting_pairs_self(SurfaceTree(both.triangles, state.position), None)[0] == 0
    height = [state.position[both.particle_garment == k, 1].mean() for k in range(4)]
    assert np.diff(height).min() > 0.0014


def _garments(triangles: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    first = triangles[:, 0] < count
    return first, ~first

"""Sewing: seams close round the body, failures name the seam, threads change nothing."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import cast

import numpy as np
import pytest

from toile import _kernels
from toile.audit.check import Audit, audit
from toile.batches.catalogue import catalogue_body
from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose
from toile.core.errors import ToileError
from toile.core.records import Body, Ints, Pattern, Recording, State
from toile.garment.build import build, weld
from toile.garment.particles import sewn_labels
from toile.pattern.drafts.library import draft
from toile.sim.colliders.surface import SurfaceCollider
from toile.sim.dress.dress import dress, place_outfit
from toile.sim.dress.pinched_particles import PATIENCE, PinchedParticles
from toile.sim.dress.sew import (
    KEEPING_STEP,
    LIFT_STEP,
    SewSettings,
    _KeptHeights,
    _Sides,
    check_gaps,
    close_seams,
    drafted_heights,
    open_pairs,
    silent,
)
from toile.sim.solvers.xpbd import XpbdSettings, XpbdSolver

COARSE = 0.04
"""[m]"""
SHORT = SewSettings(closing=0.5, drape=0.3, repair_frames=4)
"""enough to see whether seams close; not to come to rest"""


@cache
def woman() -> Body:
    return named_body("woman")


@cache
def skirt() -> Pattern:
    return draft("skirt", woman().measurements)


@cache
def sewn_skirt() -> Recording:
    return dress([skirt()], woman(), edge_length=COARSE)


def judged(recording: Recording) -> Audit:
    return audit(recording.garment, recording.positions[-1], recording.body, previous=recording.positions[-2])


def smaller(pattern: Pattern, share: float) -> Pattern:
    """Return the pattern with all its pieces scaled."""
    panels = tuple(
        replace(
            panel,
            vertices=panel.vertices * share,
            edges=tuple(replace(e, controls=e.controls * share) for e in panel.edges),
            marks=(),
        )
        for panel in pattern.panels
    )
    return replace(pattern, panels=panels)


@pytest.fixture
def any_thread_count() -> Iterator[None]:
    before = _kernels.thread_count()
    yield
    _kernels.set_thread_count(before)


def test_a_skirt_is_sewn_on_the_woman() -> None:
    found = judged(sewn_skirt())
    assert found.finite
    assert found.inside_count == 0
    assert found.seam_gap == 0.0
    waist, hem = sorted(found.openings, key=lambda opening: opening.girth)
    assert waist.branches == ("head", "left_arm", "right_arm"), "what is above comes out of the waist"
    assert hem.branches == ("left_leg", "right_leg")
    assert not [o.problem for o in found.openings if o.problem]


def test_it_is_where_a_skirt_belongs() -> None:
    recording, measures = sewn_skirt(), woman().measurements
    height = recording.positions[-1][:, 1] - woman().vertices[:, 1].min()
    assert height.max() == pytest.approx(measures["waist_height"], abs=0.06)
    assert height.min() == pytest.approx(measures["knee_height"], abs=0.08)


def test_sewn_points_become_one_particle() -> None:
    garment = build(skirt(), "cotton", COARSE)
    welded = sewn_skirt().garment
    assert welded.particle_count < garment.particle_count
    pairs = welded.uv_particle[welded.seam_uv]
    assert len(pairs) == len(garment.seam_uv) > 0
    assert (pairs[:, 0] == pairs[:, 1]).all()


def test_closing_seams_leave_no_hem_folded_up() -> None:
    # the side seam of this dress flicked a corner of the hem up, and there it lay, folded over
    body = catalogue_body("m175-130")
    recording = dress([draft("dress", body.measurements)], body, edge_length=0.02)
    risen = recording.positions[-1][:, 1] - drafted_heights(recording.garment)
    assert np.isfinite(risen).all()
    assert (risen > 0.1).mean() < 0.005


@pytest.mark.parametrize("name", ["m150-58", "m200-130"])
def test_pleats_round_a_waist_of_any_size_stay_apart(name: str) -> None:
    """Held heights and coarse limits threw the waist about after welding, and pleats crossed for good."""
    body = catalogue_body(name)
    found = judged(dress([draft("pleated_skirt", body.measurements)], body, edge_length=0.02))
    assert (found.self_pairs, found.body_pairs, found.inside_count) == (0, 0, 0)
    assert found.ok, found.problems


def crossings_when_shut(cut: float) -> int:
    """Return how many pairs of a small shirt cross with its seams shut; cut [m] is added to its girths."""
    body = catalogue_body("w150-100")
    girths = {name: body.measurements[name] + cut for name in ("bust", "waist", "hips", "wrist")}
    garment, start = place_outfit(
        [build(draft("shirt", {**body.measurements, **girths}), "cotton", 0.02)], body
    )
    skin, engine = SurfaceCollider(body), XpbdSettings(evening=0.0)
    state = close_seams(garment, start, rest_pose(body), skin, SewSettings(), engine, silent)
    tree = _kernels.SurfaceTree(garment.triangles, state.position)
    return int(_kernels.meeting_pairs_self(tree, sewn_labels(garment))[0])


def test_seams_are_not_shut_over_cloth_that_crosses_itself() -> None:
    """A sleeve pushed up the arm crumples at once, its cuff with it: 10 pairs were sewn in on the mean."""
    found = [crossings_when_shut(cut) for cut in (-0.002, -0.0014, 0.0, 0.001)]
    assert max(found) <= 4
    assert sum(found) <= 6


def test_a_crumpled_cuff_is_sewn_flat() -> None:
    """Once its seam was shut, no repair could part what crossed from the seam to the hem."""
    body = catalogue_body("w150-100")
    found = judged(dress([draft("shirt", body.measurements)], body, edge_length=0.02))
    assert found.ok, found.problems


def test_a_held_edge_that_slipped_goes_back_in_small_steps() -> None:
    garment = build(skirt(), edge_length=COARSE)
    kept, height = _KeptHeights(garment, None), drafted_heights(garment)
    position = np.zeros((garment.particle_count, 3))
    position[:, 1] = np.where(np.isfinite(height), height, 0.0) - 0.05
    state = State(position=position, velocity=np.zeros_like(position))
    for _ in range(3):
        before, state = state, kept(state)
        moved = state.position - before.position
        # the cloth comes along as a whole, and must be able to follow the edge
        cloth = np.delete(moved, garment.hold_particle, axis=0)
        assert cloth[:, 1] == pytest.approx(LIFT_STEP, abs=1e-9)
        assert moved[garment.hold_particle, 1] == pytest.approx(LIFT_STEP + KEEPING_STEP, abs=1e-9)
        assert (cloth[:, [0, 2]] == 0).all()


def test_an_edge_that_slipped_in_one_place_goes_back_alone() -> None:
    garment = build(skirt(), edge_length=COARSE)
    kept, height = _KeptHeights(garment, None), drafted_heights(garment)
    position = np.zeros((garment.particle_count, 3))
    position[:, 1] = np.where(np.isfinite(height), height, 0.0)
    position[garment.hold_particle[0], 1] -= 0.05
    moved = kept(State(position=position, velocity=np.zeros_like(position))).position - position
    assert moved[garment.hold_particle[0], 1] == pytest.approx(KEEPING_STEP, abs=1e-9)
    assert (np.delete(moved, garment.hold_particle[0], axis=0) == 0).all()


def test_it_hangs_still() -> None:
    moving = judged(sewn_skirt()).moving_share
    assert moving is not None
    assert moving < 0.02


def test_a_reversed_seam_is_named() -> None:
    good = skirt()
    at, seam = next((k, s) for k, s in enumerate(good.seams) if s.name == "left side")
    turned = replace(seam, b=tuple(replace(ref, reversed=not ref.reversed) for ref in reversed(seam.b)))
    wrong = replace(good, seams=(*good.seams[:at], turned, *good.seams[at + 1 :]))
    # the twisted tube goes round nothing: the audit names the panels that the seam joins
    assert "front and back" in failure(wrong)


def test_a_garment_for_a_doll_is_refused() -> None:
    text = failure(smaller(skirt(), 0.3))
    names = [p.name for p in skirt().panels] + [s.name for s in skirt().seams]
    assert any(name in text for name in names if name), text
    assert "\n" not in text


def failure(pattern: Pattern) -> str:
    """Return how dressing fails: the error, or the audit's problems."""
    try:
        recording = dress([pattern], woman(), edge_length=COARSE, settings=SHORT)
    except ToileError as error:
        return str(error)
    found = judged(recording)
    assert not found.ok
    return "; ".join(found.problems)


def test_an_open_seam_is_named_with_its_panels() -> None:
    outfit, start = place_outfit([build(skirt(), "cotton", COARSE)], woman())
    with pytest.raises(ToileError, match=r"skirt: seam .+ between panels .+ and .+ stays open by [\d.]+ cm"):
        check_gaps(outfit, start, 0.001)
    # one seam torn open by hand is the one that is named
    number = outfit.seam_names.index("right side")
    pairs = outfit.seam_uv
    together = weld(outfit).uv_particle[np.arange(len(outfit.uv))].astype(float)
    position = np.stack([together, together, together], axis=1)
    check_gaps(outfit, position, 0.001)
    position[pairs[outfit.seam_id == number][3, 0]] += 0.05
    with pytest.raises(ToileError, match="seam right side between panels"):
        check_gaps(outfit, position, 0.02)


@pytest.mark.parametrize("wrong", [{"closing": 0.05}, {"drape": -1.0}, {"fps": 0.5}])
def test_impossible_settings_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ToileError, match="sewing needs"):
        SewSettings(**wrong)


def test_progress_never_goes_back() -> None:
    seen: list[tuple[str, float]] = []
    dress([skirt()], woman(), edge_length=0.06, settings=SHORT, progress=lambda *step: seen.append(step))
    for stage in ("sewing", "draping"):
        done = [share for what, share in seen if what == stage]
        assert done == sorted(done)
        assert done[-1] == 1.0


@pytest.mark.usefixtures("any_thread_count")
def test_the_number_of_threads_changes_no_bit() -> None:
    # fine enough for several chunks of 1200 particles: a coarse skirt is one chunk and proves nothing
    quick = SewSettings(closing=0.5, drape=0.1, repair_frames=2)
    results = []
    for count in (1, 2, 3):
        _kernels.set_thread_count(count)
        results.append(dress([skirt()], woman(), edge_length=0.018, settings=quick).positions)
    assert results[0].shape[1] > 2400
    assert results[0].tobytes() == results[1].tobytes() == results[2].tobytes()


def test_a_pleated_skirt_stays_on_a_wide_waist() -> None:
    """So much cloth drew its band down by 13 cm, under the belly, while the pleats closed."""
    body = catalogue_body("m175-130")
    recording = dress([draft("pleated_skirt", body.measurements)], body, edge_length=0.03)
    band, garment = recording.garment.hold_particle, recording.garment
    sunk = recording.positions[-1][band, 1] - drafted_heights(garment)[band]
    assert -0.03 < sunk.mean() < 0.03
    assert np.ptp(sunk) < 0.05


class _Pins:
    """Notes what is pinned."""

    def __init__(self) -> None:
        self.pinned: list[int] = []

    def pin(self, particles: Ints) -> None:
        self.pinned = particles.tolist()


@pytest.mark.parametrize(("moving", "pinned"), [([3, 4], [3, 4]), (list(range(40)), [])])
def test_pinched_cloth_is_held_in_small_places_only(moving: list[int], pinned: list[int]) -> None:
    """Held where two garments fight for room all round, what was free between was flung away by a metre."""
    solver = _Pins()
    pinched = PinchedParticles(cast(XpbdSolver, solver), 200, np.zeros(0, np.int32))
    before = State(np.zeros((200, 3)), np.zeros((200, 3)))
    after = replace(before, position=np.where(np.isin(np.arange(200), moving)[:, None], 0.001, 0.0))
    for _ in range(PATIENCE):
        pinched.watch(before, after, clean=True)
    assert solver.pinned == pinned


@pytest.mark.parametrize(("every", "pinned"), [(3, [3, 4]), (4, [3, 4]), (6, [])])
def test_cloth_that_hops_every_few_frames_is_pinched_too(every: int, pinned: list[int]) -> None:
    """Pulled in for three frames and pushed out in the fourth, a collar under a coat hopped for ever."""
    solver = _Pins()
    pinched = PinchedParticles(cast(XpbdSolver, solver), 200, np.zeros(0, np.int32))
    before = State(np.zeros((200, 3)), np.zeros((200, 3)))
    after = replace(before, position=np.where(np.isin(np.arange(200), [3, 4])[:, None], 0.001, 0.0))
    for frame in range(SewSettings().repair_frames // 2):
        pinched.watch(before, before if frame % every else after, clean=True)
    assert solver.pinned == pinned


def test_repairs_move_both_sides_of_a_shut_seam_alike() -> None:
    body = named_body("woman")
    garment = build(draft("skirt", body.measurements), edge_length=0.06)
    pairs = open_pairs(garment)
    position = np.random.default_rng(1).normal(size=(garment.particle_count, 3))
    shut, gaping = pairs[:4], pairs[-4:]
    assert not np.intersect1d(shut, gaping).size
    labels = sewn_labels(garment)
    for first in np.unique(labels[shut]):
        position[labels == first] = position[first]
    way = np.random.default_rng(2).normal(size=position.shape)
    before = State(position, np.zeros_like(position))
    after = _Sides(garment).together(before, replace(before, position=position + way)).position
    np.testing.assert_allclose(after[shut[:, 0]], after[shut[:, 1]], atol=1e-12)
    for first in np.unique(labels[shut]):
        mean = way[labels == first].mean(axis=0)
        np.testing.assert_allclose(after[first] - position[first], mean, atol=1e-12)
    alone = np.setdiff1d(np.arange(len(way)), np.flatnonzero(np.isin(labels, labels[shut])))
    assert np.array_equal(after[alone], (position + way)[alone])

"""The audit, fed with results that are right and with results that are wrong in every way it looks for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from toile.audit.check import LIMITS, AuditSettings, audit, audit_recording, check_file, seam_gap
from toile.audit.openings import BRANCHES, Branches, half_winding
from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose
from toile.core.errors import ToileError
from toile.core.records import LIMBS, Body, Floats, Garment, Panel, Pattern, Placement, Recording
from toile.garment.build import build
from toile.garment.outfit import join
from toile.garment.particles import sewn_labels
from toile.garment.place.place import place
from toile.garment.shapes import square_cloth, tube_cloth
from toile.pattern.drafts.library import draft
from toile.store.record import save_recording


@pytest.fixture(scope="module")
def body() -> Body:
    return named_body("woman")


def skirt(girth: float = 1.5) -> tuple[Garment, Floats]:
    """Return a wide tube round the hips, hem at the knees."""
    garment, position = tube_cloth(40, 16, girth, 0.5)
    return garment, position + np.array([0.0, 0.5, 0.0])


def along(start: Floats, end: Floats, position: Floats) -> Floats:
    """Return a tube round the y axis turned to run from start towards end."""
    y = (end - start) / np.linalg.norm(end - start)
    x = np.cross(y, [0.0, 0.0, 1.0])
    x /= np.linalg.norm(x)
    return np.asarray(start + position @ np.stack([x, y, np.cross(x, y)]))


def sleeve(body: Body, side: str = "left", shift: float = 0.0) -> tuple[Garment, Floats]:
    """Return a tube round an upper arm, made for the left arm; shift moves it to the front [m]."""
    garment, position = tube_cloth(20, 8, 0.45, 0.12)
    chain = Branches(body).at(body.vertices)[BRANCHES.index(f"{side}_arm")]
    start = chain[1] + 0.4 * (chain[2] - chain[1])
    placed = Placement(np.zeros(3), np.eye(3), "left_arm")
    pattern = Pattern("sleeve", (Panel("sleeve", [[0, 0], [1, 0], [0, 1]], (), placed),))
    position = along(start, chain[2], position) + np.array([0.0, 0.0, shift])
    return replace(garment, patterns=(pattern,), panel_names=("sleeve",)), position


def problems(garment: Garment, position: Floats, body: Body | None, **more: object) -> str:
    return "; ".join(audit(garment, position, body, **more).problems)  # type: ignore[arg-type]


def test_a_good_skirt_passes(body: Body) -> None:
    garment, position = skirt()
    found = audit(garment, position, rest_pose(body), previous=position)
    assert found.ok, found.lines()
    assert found.inside_count == found.body_pairs == found.self_pairs == found.layer_pairs == 0
    assert sorted(o.branches for o in found.openings) == [
        ("head", "left_arm", "right_arm"),
        ("left_leg", "right_leg"),
    ]
    assert [round(o.girth, 2) for o in found.openings] == [1.5, 1.5]
    assert found.moving_share == 0


def test_vertices_inside_are_counted_and_measured(body: Body) -> None:
    garment, position = skirt()
    wrong = position.copy()
    thigh = Branches(body).at(body.vertices)[3]
    middle = 0.5 * (thigh[2] + thigh[3])
    wrong[:3] = middle + np.array([[0, 0, 0], [0, 0.01, 0], [0, 0, 0.01]])
    found = audit(garment, wrong, body)
    assert found.inside_count == found.inside_deep_count == 3
    assert 0.04 < found.deepest < 0.12
    assert "3 vertices are inside" in "; ".join(found.problems)


def test_cloth_through_the_body_without_a_vertex_inside(body: Body) -> None:
    garment = square_cloth(1, 1, 1.0, 1.0)
    position = np.array([[-0.5, 1.1, 0.0], [0.5, 1.1, 0.0], [-0.5, 1.12, 0.6], [0.5, 1.12, 0.6]])
    found = audit(garment, position, body)
    assert found.inside_count == 0
    assert found.body_pairs > 10
    assert "cloth and body cross" in "; ".join(found.problems)


def test_a_garment_through_itself_and_through_another() -> None:
    garment, position = skirt()
    poked = position.copy()
    corner = int(np.argmax(position[:, 2] + position[:, 1] * 1e-3))
    poked[corner, 2] = -0.5
    assert audit(garment, position, None).self_pairs == 0
    assert audit(garment, poked, None).self_pairs > 0
    assert "within a garment cross" in problems(garment, poked, None)
    other, outside = skirt(1.6)
    both = join([garment, other])
    assert audit(both, np.concatenate([position, outside]), None).layer_pairs == 0
    swapped = audit(both, np.concatenate([position + np.array([0.1, 0, 0]), outside]), None)
    assert swapped.layer_pairs > 0
    assert swapped.self_pairs == 0
    assert "two garments cross" in "; ".join(swapped.problems)


def unsewn_tube() -> tuple[Garment, Floats]:
    """Return a tube whose side seam is closed but not welded."""
    flat = square_cloth(40, 16, 1.5, 0.5)
    angle = 2 * np.pi * flat.uv[:, 0] / 1.5
    radius = 1.5 / (2 * np.pi)
    position = np.stack([radius * np.sin(angle), flat.uv[:, 1] + 0.5, radius * np.cos(angle)], axis=1)
    left = np.arange(17, dtype=np.int32) * 41
    pairs = np.stack([left, left + 40], axis=1)
    return replace(flat, seam_uv=pairs, seam_id=np.zeros(17), seam_names=("side",)), position


def test_an_open_seam_is_named(body: Body) -> None:
    garment, position = unsewn_tube()
    assert audit(garment, position, body).ok
    assert len(np.unique(sewn_labels(garment))) == garment.particle_count - 17
    open_by_2_mm = position.copy()
    open_by_2_mm[40 + 41 * 5] += [-0.002, 0, 0]
    assert seam_gap(garment, open_by_2_mm) == (pytest.approx(0.002), "side")
    assert "seam side is open by 2.0 mm" in problems(garment, open_by_2_mm, body)


def test_a_skirt_beside_the_body_goes_round_nothing(body: Body) -> None:
    garment, position = skirt()
    text = problems(garment, position + np.array([0.0, 0.0, 0.7]), body)
    assert text.count("goes round nothing") == 2
    assert "left the body" in text


def test_both_legs_must_pass(body: Body) -> None:
    # a narrow tube round one thigh is fine for a stocking, so only the sets tell
    garment, position = tube_cloth(24, 8, 0.75, 0.1)
    thigh = Branches(body).at(body.vertices)[BRANCHES.index("left_leg")]
    found = audit(garment, along(0.5 * (thigh[2] + thigh[3]), thigh[3], position), body)
    assert ("left_leg",) in [o.branches for o in found.openings]


def test_a_sleeve_must_be_round_its_own_arm(body: Body) -> None:
    garment, position = sleeve(body)
    assert audit(garment, position, body).ok, audit(garment, position, body).lines()
    assert "round nothing, not round the left arm" in problems(*sleeve(body, shift=0.2), body)
    assert "not round the left arm" in problems(*sleeve(body, "right"), body)


def test_a_tube_wound_twice_is_found(body: Body) -> None:
    garment, position = skirt(3.0)
    angle = np.arctan2(position[:, 0], position[:, 2]) % (2 * np.pi)
    radius = 0.23 + 0.02 * np.sin(angle / 2)
    twice = np.stack([radius * np.sin(2 * angle), position[:, 1], radius * np.cos(2 * angle)], axis=1)
    assert "winds 2 times" in problems(garment, twice, body)


def test_winding_is_a_whole_number_for_any_shape_of_the_loop() -> None:
    rng = np.random.default_rng(0)
    angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    up = np.array([[0, 0, 0], [0.1, 1, 0], [0, 1e4, 0]], dtype=float)
    down = np.array([[0, 0, 0], [0, -1, 0.1], [0, -1e4, 0]], dtype=float)
    for turns in (0, 1, 2, -1):
        centre = [3.0, 0, 0] if turns == 0 else [0.0, 0, 0]
        loop = np.stack([np.sin(turns * angle), 0 * angle, np.cos(turns * angle)], 1) * rng.uniform(
            0.5, 2, (60, 1)
        )
        loop[:, 1] += rng.uniform(-0.3, 0.3, 60)
        number = half_winding(loop + centre, up) - half_winding(loop + centre, down)
        assert number == pytest.approx(turns, abs=1e-3)


def test_stretch_is_measured(body: Body) -> None:
    garment, position = skirt()
    found = audit(garment, position * [1.1, 1, 1.1], body)
    assert found.stretch.largest == pytest.approx(0.1, abs=0.005)
    text = "; ".join(found.problems)
    assert "mean stretch" in text
    assert "1 % of the edges" in text


def test_what_moves_is_not_at_rest(body: Body) -> None:
    garment, position = skirt()
    before = position.copy()
    before[: len(before) // 50] += [0, 0.0005, 0]
    found = audit(garment, position, body, previous=before)
    assert found.moving_share == pytest.approx(0.02, abs=0.002)
    assert "still move" in "; ".join(found.problems)
    assert audit(garment, position, body, previous=position - [0, 0.0001, 0]).moving_share == 0


def test_a_skirt_on_the_floor_or_at_the_knees_has_been_lost(body: Body) -> None:
    garment, position = skirt()
    fallen = position * [1, 0.02, 1]
    assert "lies on the floor" in problems(garment, fallen, body)
    assert "has slid down" in problems(garment, position - [0, 0.4, 0], body)


def test_nan_is_a_finding_not_a_crash(body: Body) -> None:
    garment, position = skirt()
    wrong = position.copy()
    wrong[7] = np.nan
    found = audit(garment, wrong, body)
    assert not found.ok
    assert not found.finite
    assert "1 vertices are not finite" in found.problems[0]
    with pytest.raises(ToileError, match="particles"):
        audit(garment, position[1:], body)


def test_limits_can_be_chosen(body: Body) -> None:
    garment, position = skirt()
    stretched = position * [1.1, 1, 1.1]
    loose = AuditSettings(stretch_mean=0.2, stretch_99=0.2)
    assert audit(garment, stretched, body, settings=loose).ok
    assert LIMITS["draft"].body_pairs > LIMITS["strict"].body_pairs == 0
    with pytest.raises(ToileError, match="seam_gap"):
        AuditSettings(seam_gap=-1.0)


def test_recordings_and_files(body: Body, tmp_path: Path) -> None:
    garment, position = skirt()
    lost = position + np.array([0.0, 0.0, 0.7])
    good = Recording(garment, body, np.zeros(2), np.stack([position] * 2), np.stack([body.vertices] * 2))
    bad = replace(good, positions=np.stack([lost, position]))
    assert [a.ok for a in audit_recording(good)] == [True, True]
    assert [a.ok for a in audit_recording(bad)] == [False, False]  # the second frame has jumped
    save_recording(good, tmp_path / "good.toile")
    save_recording(bad, tmp_path / "bad.toile")
    ok, lines = check_file(tmp_path / "good.toile")
    assert ok
    assert "clean frames     2 of 2" in lines
    ok, lines = check_file(tmp_path / "bad.toile")
    assert not ok
    assert any(line.startswith("FAILED") and "frame 0" in line for line in lines)


def test_a_body_that_crosses_itself_is_reported_as_pinched(body: Body) -> None:
    garment, position = skirt()
    assert audit(garment, position, body).pinched_skin == 0
    # the left thigh moves into the right one
    skin = np.array(body.vertices)
    skin[body.limb == LIMBS.index("left_thigh")] -= [0.12, 0.0, 0.0]
    found = audit(garment, position, body, body_vertices=skin)
    assert found.pinched_skin > 20
    assert any(line.startswith("pinched") for line in found.lines())
    # cloth in the fold counts as there
    mid = skin[body.limb == LIMBS.index("left_thigh")].mean(axis=0)
    moved = (position - position.mean(axis=0)) * [0.3, 1.0, 0.3] + mid
    found = audit(garment, moved, body, body_vertices=skin)
    assert 0 < found.pinched_pairs <= found.body_pairs


def test_crossings_name_their_place(body: Body) -> None:
    one, position = skirt()
    two = join([replace(one, panel_names=("inner",)), replace(one, panel_names=("outer",))])
    across = np.concatenate([position, position + np.array([0.02, 0.0, 0.0])])
    text = problems(two, across, body)
    assert "two garments cross, most in inner of tube and outer of tube" in text


def test_a_piece_that_is_not_sewn_on_can_be_lost_alone(body: Body) -> None:
    """A waistband sewn to nothing slid to the ankles while its trousers were well: the audit must tell."""
    whole = draft("skirt", body.measurements)
    loose = replace(whole, seams=tuple(s for s in whole.seams if not s.name.endswith("waist")))
    garment = build(loose, edge_length=0.05)
    position = place(garment, body)
    band = np.isin(garment.uv_panel, [garment.panel_names.index(n) for n in ("front_band", "back_band")])
    assert not any("slid down" in p for p in audit(garment, position, body).problems)
    position[band, 1] -= 0.8
    assert any("front_band has slid down" in p for p in audit(garment, position, body).problems)

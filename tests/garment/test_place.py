"""Panels round the body: bent and never stretched, outside the skin, on their side, whatever the origin."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from toile._kernels import SurfaceTree, meeting_pairs_self
from toile.body.model.make import named_body
from toile.body.model.slipping import narrow_ends
from toile.core.errors import ToileError
from toile.core.records import LIMBS, Edge, EdgeRef, Panel, Pattern, Placement, Seam
from toile.garment.build import build, panel_coordinates
from toile.garment.place.limbs import panel_limbs
from toile.garment.place.place import place
from toile.garment.place.roll import cone_over, convex_section, find_apex, roll_cone, roll_cylinder
from toile.pattern.drafts.library import DRAFTS, draft
from toile.pattern.formats.text.read import parse
from toile.pattern.library import read_pattern

SAMPLES = ("shirt_mean_specification.json", "skirt_8_panels.json", "wb_pants_straight.json")
MESH = 0.04


@pytest.fixture(scope="module", params=["woman", "man"])
def body(request):
    return named_body(request.param)


@pytest.fixture(scope="module")
def woman():
    return named_body("woman")


def sample(name):
    path = Path(os.environ.get("TOILE_SAMPLES", "samples")) / name
    if not path.exists():
        pytest.skip(f"{name} is not here; set TOILE_SAMPLES")
    return read_pattern(path)


def edges_of(garment):
    t = garment.triangles
    return np.vstack([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])


def check_start(garment, body, position):
    """Rest lengths kept up to chords of the bend; nothing inside the skin; threads of sane length."""
    e, uv = edges_of(garment), panel_coordinates(garment)
    rest = np.linalg.norm(uv[e[:, 0]] - uv[e[:, 1]], axis=1)
    now = np.linalg.norm(position[e[:, 0]] - position[e[:, 1]], axis=1)
    # a chord of a circle of radius r is shorter than its arc l by l²/24r²; the tightest bend is a sleeve's
    assert (now / rest).max() < 1.01
    tightest = 0.02 if garment.name == "circle_skirt" else 0.035
    assert (now / rest).min() > 1.0 - rest.max() ** 2 / (24 * tightest**2)
    # hands are narrow while sleeves are put on
    tree = SurfaceTree(body.triangles, narrow_ends(body, body.vertices))
    assert tree.nearest(position, 0.3)[1].min() > 0.005
    ends = position[garment.seam_uv]
    assert np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).max() < 0.45
    # threads may graze the skin, but not run through a limb
    along = np.linspace(0.0, 1.0, 15)[:, None, None]
    threads = ends[:, 0] * (1 - along) + ends[:, 1] * along
    depth = tree.nearest(np.ascontiguousarray(threads.reshape(-1, 3)), 0.5)[1]
    assert depth.min() > (-0.08 if garment.name == "circle_skirt" else -0.05)


@pytest.mark.parametrize("name", DRAFTS)
def test_drafts_start_well(name, body):
    garment = build(draft(name, body.measurements), edge_length=MESH)
    check_start(garment, body, place(garment, body))


@pytest.mark.parametrize("name", ["tshirt", "shirt", "coat", "trousers", "circle_skirt", "hooded_jacket"])
def test_no_panel_starts_through_another(name, body):
    """Sewing cannot part what begins crossed: sleeves through fronts, legs through each other."""
    garment = build(draft(name, body.measurements), edge_length=MESH)
    position = place(garment, body)
    assert len(meeting_pairs_self(SurfaceTree(garment.triangles, position), None, 100)[1]) == 0


@pytest.mark.parametrize("name", SAMPLES)
def test_files_start_well(name, body):
    garment = build(sample(name), edge_length=MESH)
    check_start(garment, body, place(garment, body))


def middle(garment, position, name):
    return position[garment.uv_panel == garment.panel_names.index(name)].mean(axis=0)


def test_sides(body):
    garment = build(draft("tshirt", body.measurements), edge_length=MESH)
    position = place(garment, body)
    assert middle(garment, position, "front")[2] > 0.08
    assert middle(garment, position, "back")[2] < -0.03
    assert middle(garment, position, "left_sleeve")[0] > 0.2
    assert middle(garment, position, "right_sleeve")[0] < -0.2
    assert position[:, 0].mean() == pytest.approx(0.0, abs=0.01)


def test_sleeves_go_round_their_arms(body):
    from toile.garment.place.limb_axes import limb_axis

    garment = build(draft("tshirt", body.measurements), edge_length=MESH)
    position = place(garment, body)
    for hand in ("left", "right"):
        inside = garment.uv_panel == garment.panel_names.index(f"{hand}_sleeve")
        local = limb_axis(body, f"{hand}_arm").limb(position[inside])
        angle = np.sort(np.arctan2(local[:, 0], local[:, 2]))
        gaps = np.diff(np.append(angle, angle[0] + 2 * np.pi))
        assert gaps.max() < np.pi / 1.4
        # the opening is below: inside of the arm that hangs
        opening = angle[np.argmax(gaps)] + gaps.max() / 2
        assert np.sin(opening) * (1 if hand == "left" else -1) < -0.8


@pytest.mark.parametrize(("name", "most"), [("shirt", 0.1), ("coat", 0.2)])
def test_thumbs_do_not_hold_sleeves_open(name, most, body):
    """Round a thumb that stands out the underarm seam of a shirt began 13 cm wide, that of a coat 26."""
    garment = build(draft(name, body.measurements), edge_length=MESH)
    sleeves = [garment.panel_names.index(f"{side}_sleeve") for side in ("left", "right")]
    underarm = garment.seam_uv[np.isin(garment.uv_panel[garment.seam_uv], sleeves).all(axis=1)]
    ends = place(garment, body)[underarm]
    assert np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).mean() < most


def test_outer_faces_look_outward(body):
    """Triangles run counter-clockwise seen from outside."""
    for name in ("skirt", "tshirt", "trousers", "hooded_jacket"):
        garment = build(draft(name, body.measurements), edge_length=MESH)
        position = place(garment, body)
        tree = SurfaceTree(body.triangles, body.vertices)
        a, b, c = (position[garment.triangles[:, k]] for k in range(3))
        normal = np.cross(b - a, c - a)
        away = (a + b + c) / 3 - tree.nearest((a + b + c) / 3, 1.0)[2]
        assert ((normal * away).sum(axis=1) > 0).mean() > 0.95


def shifted(pattern, by):
    panels = tuple(
        replace(p, placement=replace(p.placement, translation=p.placement.translation + by))
        for p in pattern.panels
    )
    return replace(pattern, panels=panels)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("by", [(0.0, 1.0, 0.0), (0.3, -2.0, 0.7)])
def test_origin_of_the_file_does_not_matter(name, by, woman):
    pattern = sample(name)
    here = place(build(pattern, edge_length=MESH), woman)
    there = place(build(shifted(pattern, np.array(by)), edge_length=MESH), woman)
    np.testing.assert_allclose(there, here, atol=1e-6)


@pytest.mark.parametrize("name", DRAFTS)
def test_drafts_without_heights_are_aligned(name, woman):
    """A draft that has lost its heights comes to lie near where it was drafted."""
    pattern = draft(name, woman.measurements)
    lost = replace(shifted(pattern, np.array([0.0, -3.0, 0.0])), origin="unknown")
    here = place(build(pattern, edge_length=MESH), woman)
    there = place(build(lost, edge_length=MESH), woman)
    assert np.abs((there - here)[:, 1].mean()) < 0.05


def test_shirt_hangs_from_the_shoulders_and_skirt_from_the_waist(woman):
    shirt = build(sample(SAMPLES[0]), edge_length=MESH)
    assert place(shirt, woman)[:, 1].max() == pytest.approx(woman.measurements["neck_height"], abs=0.03)
    pants = build(sample(SAMPLES[2]), edge_length=MESH)
    assert place(pants, woman)[:, 1].max() == pytest.approx(woman.measurements["waist_height"], abs=0.03)


def test_limbs_of_files():
    shirt, pants = panel_limbs(sample(SAMPLES[0])), panel_limbs(sample(SAMPLES[2]))
    assert shirt["left_sleeve_f"] == "left_arm"
    assert shirt["right_btorso"] == "torso"
    assert pants["Lfront"] == pants["Lback"] == "left_leg"
    assert pants["Rfront"] == "right_leg"
    assert pants["wb_front"] == "torso"
    assert set(panel_limbs(sample(SAMPLES[1])).values()) == {"torso"}


# ---------------------------------------------------------------------------- rolling


def test_cylinder_keeps_lengths():
    """On an ellipse-like section, arc lengths between points stay what they were on the flat."""
    angle = np.linspace(0, 2 * np.pi, 200)
    around = convex_section(np.stack([0.18 * np.cos(angle), 0.12 * np.sin(angle)], axis=1), 0.02)
    rng = np.random.default_rng(1)
    start = np.stack([rng.uniform(-0.4, 0.4, 500), rng.uniform(0, 1, 500)], axis=1)
    step = rng.normal(0, 0.001, (500, 2))
    a, b = (roll_cylinder(around, *(start + d).T) for d in (0 * step, step))
    np.testing.assert_allclose(np.linalg.norm(b - a, axis=1), np.linalg.norm(step, axis=1), rtol=2e-3)


def test_cylinder_starts_in_front_and_runs_to_the_left():
    angle = np.linspace(0, 2 * np.pi, 400)
    around = convex_section(0.1 * np.stack([np.cos(angle), np.sin(angle)], axis=1), 0.1)
    quarter = around.girth / 4
    at = around.at(np.array([0.0, quarter, 2 * quarter, 3 * quarter]))
    np.testing.assert_allclose(at, [[0, 0.2], [0.2, 0], [0, -0.2], [-0.2, 0]], atol=1e-3)


def test_cone_keeps_lengths():
    angle = np.linspace(0, 2 * np.pi, 200)
    around = convex_section(np.stack([0.18 * np.cos(angle), 0.12 * np.sin(angle)], axis=1), 0.03)
    cone = cone_over(around, 0.8, 1.0, 0.5, 0.0)
    apex = np.array([0.0, 1.5])
    rng = np.random.default_rng(2)
    start = np.stack([rng.uniform(-0.2, 0.2, 500), rng.uniform(0.4, 1, 500)], axis=1)
    step = rng.normal(0, 0.001, (500, 2))
    a, b = (roll_cone(cone, apex, 0.0, *(start + d).T) for d in (0 * step, step))
    np.testing.assert_allclose(np.linalg.norm(b - a, axis=1), np.linalg.norm(step, axis=1), rtol=5e-3)


def test_apex_of_a_flare():
    flare = np.array([[-0.3, 0.0], [0.3, 0.0], [0.1, 0.6], [-0.1, 0.6]])
    np.testing.assert_allclose(find_apex(flare), [0.0, 0.9], atol=0.01)
    assert find_apex(np.array([[-0.3, 0.0], [0.3, 0.0], [0.28, 0.6], [-0.28, 0.6]])) is None
    assert find_apex(-flare) is None


# ---------------------------------------------------------------------------- what cannot be placed


def square(name, placement, size=0.4):
    corners = np.array([[0, 0], [size, 0], [size, size], [0, size]]) - size / 2
    return Panel(name, corners, tuple(Edge(i, (i + 1) % 4) for i in range(4)), placement)


def one_panel(name, placement):
    return build(Pattern("test", (square(name, placement),)), edge_length=0.1)


def test_unknown_limb_is_named(woman):
    garment = one_panel("wing", Placement(np.zeros(3), np.eye(3), "left_wing"))
    with pytest.raises(ToileError, match=r"wing.*left_arm"):
        place(garment, woman)


def test_panel_without_placement_says_what_to_add(woman):
    with pytest.raises(ToileError, match=r"patch.*'place front'"):
        place(one_panel("patch", None), woman)


def test_lid_is_refused(woman):
    lying = np.array([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]])
    with pytest.raises(ToileError, match="lid"):
        place(one_panel("lid", Placement(np.array([0.0, 1.0, 0.0]), lying)), woman)


def test_loose_sleeve_is_named(woman):
    pattern = Pattern("test", (square("left_sleeve", Placement(np.array([0.5, 1.2, 0.1]), np.eye(3))),))
    with pytest.raises(ToileError, match="left_sleeve"):
        place(build(pattern, edge_length=0.1), woman)


def test_names_place_panels_that_have_no_placement(woman):
    panels = (square("front", None, 0.45), square("back", None, 0.45))
    seams = (
        Seam((EdgeRef("front", 1),), (EdgeRef("back", 3, True),)),
        Seam((EdgeRef("front", 3),), (EdgeRef("back", 1, True),)),
    )
    garment = build(Pattern("tube", panels, seams), edge_length=0.05)
    position = place(garment, woman)
    assert middle(garment, position, "front")[2] > 0.08 > -0.03 > middle(garment, position, "back")[2]


LEGGINGS = """
garment leggings
panel left
  around left_leg
  turn 0 90 0
  from -11 0
  line to 11 0 as hem
  line to 30 72 as inside_front
  line to 24 98 as crotch_front
  line to -24 98 as waist
  line to -30 72 as crotch_back
  line to start as inside_back
panel right mirror of left
seam left.inside_front = -left.inside_back
seam right.inside_front = -right.inside_back
seam left.crotch_front = right.crotch_front
seam left.crotch_back = right.crotch_back
"""


def test_a_leg_in_one_piece_encloses_calf_and_ankle_from_the_beginning(woman):
    """It stood off by what the thigh needs, and its seam closed beside the shin."""
    body = woman
    garment = build(parse(LEGGINGS, "leggings", "leggings.txt"), edge_length=0.03)
    start = place(garment, body)
    mine = start[garment.uv_panel == 0]
    shin = body.vertices[body.limb == LIMBS.index("left_shin")]
    for height in (0.12, 0.2, 0.3):
        skin = shin[np.abs(shin[:, 1] - height) < 0.015]
        cloth = mine[np.abs(mine[:, 1] - height) < 0.025]
        # it reaches round the inner half of the shin, in front and behind
        inner = cloth[:, 0] < skin[:, 0].mean()
        assert (cloth[inner, 2] > skin[:, 2].mean()).any()
        assert (cloth[inner, 2] < skin[:, 2].mean()).any()

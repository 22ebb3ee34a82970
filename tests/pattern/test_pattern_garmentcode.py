import copy
import json
import math
import os
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from pattern_cases import patterns, tube
from toile.core.errors import ToileError
from toile.pattern.formats.garmentcode import parse, to_json
from toile.pattern.formats.text.read import parse as parse_text
from toile.pattern.library import read_pattern, write_pattern
from toile.pattern.model import curves
from toile.pattern.model.angles import degrees_from_rotation, rotation_from_degrees
from toile.pattern.model.check import check_pattern
from toile.pattern.model.compare import differences
from toile.pattern.model.split import explode_polylines, one_to_one

SAMPLES = Path(os.environ.get("TOILE_SAMPLES", "samples"))
SQUARE = {
    "vertices": [[0, 0], [40, 0], [40, 40], [0, 40]],
    "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}],
    "translation": [0, 100, 20],
    "rotation": [0, 0, 0],
}


def spec(**properties):
    """Two squares with one stitch."""
    return {
        "pattern": {
            "panels": {"front": copy.deepcopy(SQUARE), "back": copy.deepcopy(SQUARE)},
            "stitches": [[{"panel": "front", "edge": 1}, {"panel": "back", "edge": 3}]],
        },
        "properties": {"curvature_coords": "relative", "units_in_meter": 100, **properties},
    }


def read(root, **keywords):
    pattern = parse(json.dumps(root, **keywords), "p", "p.json")
    check_pattern(pattern, "p.json")
    return pattern


def test_units_and_seam_direction():
    root = spec()
    root["pattern"]["stitches"].append(
        [{"panel": "front", "edge": 3}, {"panel": "back", "edge": 1}, "right_wrong"]
    )
    pattern = read(root)
    assert np.ptp(pattern.panels[0].vertices, axis=0) == pytest.approx([0.4, 0.4])
    assert [(s.a[0].reversed, s.b[0].reversed) for s in pattern.seams] == [(False, True), (False, False)]
    assert np.ptp(read(spec(units_in_meter=300)).panels[0].vertices, axis=0) == pytest.approx([0.4 / 3] * 2)


@pytest.mark.parametrize("spelling", [[0.5, -0.1], {"type": "quadratic", "params": [[0.5, -0.1]]}])
def test_quadratic_curves_in_both_spellings(spelling):
    root = spec()
    root["pattern"]["panels"]["front"]["edges"][1]["curvature"] = spelling
    edge = read(root).panels[0].edges[1]
    # half way up the right side, a tenth of its length to the right of the direction of travel
    assert edge.kind == "quadratic"
    assert edge.controls == pytest.approx(np.array([[0.44, 0.2]]))


def test_absolute_curvature_and_cubics():
    root = spec(curvature_coords="absolute")
    edges = root["pattern"]["panels"]["front"]["edges"]
    edges[0]["curvature"] = [20, -5]
    edges[1]["curvature"] = {"type": "cubic", "params": [[44, 10], [44, 30]]}
    panel = read(root).panels[0]
    assert panel.edges[0].controls == pytest.approx(np.array([[0.2, -0.05]]))
    assert panel.edges[1].controls == pytest.approx(np.array([[0.44, 0.1], [0.44, 0.3]]))


@pytest.mark.parametrize(
    ("radius", "large", "right", "sagitta", "length"),
    [
        # chord 40 cm; radius 20 is a half circle
        (20, 0, 1, 0.2, math.pi * 0.2),
        (40, 0, 1, 0.4 - math.sqrt(0.12), 0.4 * math.pi / 3),
        (40, 0, 0, -(0.4 - math.sqrt(0.12)), 0.4 * math.pi / 3),
        (21, True, True, 0.21 + math.sqrt(0.21**2 - 0.04), None),
        (5, 0, 1, 0.2, math.pi * 0.2),
    ],
)
def test_circle_arcs_bulge_to_the_side_named(radius, large, right, sagitta, length):
    root = spec()
    curvature = {"type": "circle", "params": [radius, large, right]}
    root["pattern"]["panels"]["front"]["edges"][1]["curvature"] = curvature
    panel = read(root).panels[0]
    # edge 1 runs up the right side: its right is +x
    assert panel.edges[1].kind == "arc"
    assert panel.edges[1].controls[0] == pytest.approx([0.4 + sagitta, 0.2])
    if length is not None:
        assert curves.edge_length(panel, 1) == pytest.approx(length)


def test_rotation_order_is_z_after_y_after_x():
    rotation = rotation_from_degrees(90, 90, 0)
    # Rx takes y to z, then Ry takes z to x
    assert rotation @ [0, 1, 0] == pytest.approx([1, 0, 0])
    for angles in ([10, 20, 30], [-45, 180, 0], [30, 90, 10], [0, -90, 77], [180, 0, 180]):
        rotation = rotation_from_degrees(*angles)
        assert rotation_from_degrees(*degrees_from_rotation(rotation)) == pytest.approx(rotation, abs=1e-12)


def test_clockwise_panels_keep_their_edges():
    root = spec()
    front = root["pattern"]["panels"]["front"]
    front["vertices"] = [[0, 0], [0, 40], [40, 40], [40, 0]]
    panel = read(root).panels[0]
    assert curves.orientation(panel) == -1
    assert [(e.start, e.end) for e in panel.edges] == [(0, 1), (1, 2), (2, 3), (3, 0)]


def test_origin_is_told_from_the_height_of_the_cloth():
    root = spec()
    assert read(root).origin == "floor"
    for panel in root["pattern"]["panels"].values():
        panel["translation"] = [0, -20, 20]
    assert read(root).origin == "waist"
    for panel in root["pattern"]["panels"].values():
        del panel["translation"], panel["rotation"]
    assert read(root).origin == "unknown"


def test_edges_of_nine_tenths_of_a_millimetre_are_legal():
    root = spec()
    front = root["pattern"]["panels"]["front"]
    front["vertices"].insert(1, [0.09, 0])
    front["edges"] = [{"endpoints": [i, (i + 1) % 5]} for i in range(5)]
    assert curves.edge_length(read(root).panels[0], 0) == pytest.approx(0.0009)


def as_others_see_it(text):
    """Return a file without the whole garment that only we read."""
    root = json.loads(text)
    root["toile"].pop("whole", None)
    return json.dumps(root)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(patterns())
def test_any_pattern_survives_json(pattern):
    simple = one_to_one(explode_polylines(pattern))
    again = parse(as_others_see_it(to_json(pattern)), "other", "x.json")
    lost = [line for line in differences(simple, again, tolerance=1e-9) if "reversed" not in line]
    assert [
        line for line in lost if ".kind: 'arc' against 'line'" not in line and "controls" not in line
    ] == []
    for before, after in zip(simple.seams, again.seams, strict=True):
        assert (before.a[0].reversed == before.b[0].reversed) == (after.a[0].reversed == after.b[0].reversed)
    for panel, other in zip(simple.panels, again.panels, strict=True):
        for i in range(len(panel.edges)):
            points = [curves.sample_edge(p, i, np.linspace(0, 1, 9)) for p in (panel, other)]
            assert points[0] == pytest.approx(points[1], abs=1e-8)
        assert curves.area(panel) == pytest.approx(curves.area(pattern.panel(panel.name)), abs=1e-9)


def test_a_chain_is_written_edge_by_edge():
    pattern = tube()
    ref = type(pattern.seams[0].a[0])
    seam = type(pattern.seams[0])((ref("front", 2),), (ref("back", 2, True), ref("back", 1, True)), 2.0)
    many = type(pattern)("many", pattern.panels, (seam,))
    again = parse(as_others_see_it(to_json(many)), "many", "x.json")
    assert len(again.seams) == 2
    assert len(again.panels[0].edges) == 5
    for seam in again.seams:
        (a,), (b,) = seam.a, seam.b
        ratio = curves.edge_length(again.panel(b.panel), b.edge) / curves.edge_length(
            again.panel("front"), a.edge
        )
        assert ratio == pytest.approx(2.0)


def chained():
    """Return a tube with a seam of one edge to two, and a side drawn as a polyline."""
    text = """
garment chained
panel front
  from 0 0
  line to 40 0
  polyline 41 10  40 20 to 40 40 as side
  line to start as slope
panel back
  from 0 0
  line to 20 0 as one
  line to 60 0 as two
  line to 0 50
  line to start
seam long: front.slope = back.one, -back.two ease 1.06
seam rest: front.side[..60%] = back.3[0..20]
pin front.0
"""
    return parse_text(text, "chained", "chained.txt")


def test_seams_of_many_edges_and_polylines_come_back_whole():
    pattern = chained()
    again = parse(to_json(pattern), "other", "x.json")
    assert differences(pattern, again) == []
    assert len(parse(as_others_see_it(to_json(pattern)), "x", "x.json").seams) > len(pattern.seams)


def test_pieces_changed_by_another_program_count():
    root = json.loads(to_json(chained()))
    root["pattern"]["panels"]["front"]["vertices"][0][0] -= 1.0
    again = parse(json.dumps(root), "x", "x.json")
    assert again.panel("front").vertices[0, 0] == pytest.approx(-0.01)
    assert len(again.seams) == len(root["pattern"]["stitches"])


@pytest.mark.parametrize("text", ["garment x", [1, 2], ["garment x", "panel"]])
def test_a_bad_whole_garment_is_one_line(text):
    root = json.loads(to_json(chained()))
    root["toile"]["whole"]["text"] = text
    with pytest.raises(ToileError, match=r"x\.json: .*toile\.whole") as caught:
        parse(json.dumps(root), "x", "x.json")
    assert "\n" not in str(caught.value)


# ---------------------------------------------------------------------------- bad files


def changed(change):
    root = spec()
    change(root["pattern"]["panels"], root["pattern"]["stitches"], root)
    return root


BAD = {
    "open loop": (
        lambda p, s, r: p["front"]["edges"].pop(2),
        "panel 'front': the outline is open between edge 1",
    ),
    "two loops": (
        lambda p, s, r: p["front"].update(edges=[{"endpoints": [0, 1]}, {"endpoints": [1, 0]}] * 2),
        "panel 'front'",
    ),
    "missing panel": (lambda p, s, r: s[0][0].update(panel="hood"), "seam 1 names panel 'hood'"),
    "missing edge": (lambda p, s, r: s[0][0].update(edge=9), "seam 1 names edge 9 of panel 'front'"),
    "negative edge": (lambda p, s, r: s[0][0].update(edge=-1), "seam 1, panel 'front': edge -1"),
    "edge twice": (
        lambda p, s, r: s.append([s[0][0], {"panel": "back", "edge": 1}]),
        "edge 1 is in two seams",
    ),
    "edge to itself": (lambda p, s, r: s[0].__setitem__(1, s[0][0]), "is named twice"),
    "missing corner": (lambda p, s, r: p["front"]["edges"][1].update(endpoints=[1, 7]), "corner 7"),
    "crossing": (
        lambda p, s, r: p["front"].update(vertices=[[0, 0], [40, 40], [40, 0], [0, 50]]),
        "crosses or touches itself near .*between edge 0 and edge 2",
    ),
    "curve crossing": (
        lambda p, s, r: p["front"]["edges"][0].update(curvature=[0.5, 3.0]),
        "crosses or touches itself",
    ),
    "no area": (
        lambda p, s, r: p["front"].update(vertices=[[0, 0], [40, 0], [80, 0], [41, 0]]),
        "itself|area is only",
    ),
    "no length": (
        lambda p, s, r: p["front"]["vertices"].__setitem__(1, [0, 0]),
        "edge 0: its length is 0 cm",
    ),
    "huge": (lambda p, s, r: p["front"]["vertices"].__setitem__(2, [1e6, 1e6]), "check the units"),
    "far": (lambda p, s, r: p["front"].update(translation=[0, 1e9, 0]), "check the units"),
    "text for number": (
        lambda p, s, r: p["front"]["vertices"].__setitem__(2, ["a", 1]),
        "'a' is not a number",
    ),
    "null": (lambda p, s, r: p["front"].update(vertices=None), "must be a list, not None"),
    "panel list": (lambda p, s, r: r["pattern"].update(panels=[]), "must be a JSON object"),
    "no panels": (lambda p, s, r: p.clear(), "no panels"),
    "no pattern": (lambda p, s, r: r.pop("pattern"), "'pattern' must be a JSON object"),
    "curve type": (
        lambda p, s, r: p["front"]["edges"][0].update(curvature={"type": "x", "params": []}),
        "unknown",
    ),
    "curve number": (lambda p, s, r: p["front"]["edges"][0].update(curvature=7), "must be a JSON object"),
    "curve controls": (
        lambda p, s, r: p["front"]["edges"][0].update(curvature={"type": "cubic", "params": [[0, 0]]}),
        "has 1 control points",
    ),
    "stitch of one": (lambda p, s, r: s[0].pop(), "joins two edges"),
    "stitch text": (lambda p, s, r: s.append("x"), "seam 2: must be a list"),
    "zero units": (lambda p, s, r: r["properties"].update(units_in_meter=0), "units_in_meter"),
    "strange units": (lambda p, s, r: r["properties"].update(units_in_meter="cm"), "units_in_meter"),
    "empty name": (lambda p, s, r: p.update({"": p.pop("front")}), "panel name ''"),
    "surrogate": (lambda p, s, r: p.update({"\ud800": p.pop("front")}), "panel name"),
    "extra": (lambda p, s, r: r.update(toile={"panels": 3}), "under 'toile' is not understood"),
    "extra depth": (
        lambda p, s, r: r.update(toile={"holds": [["front", 77, "pin", 1.0]]}),
        "hold 0 names edge 77",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_patterns_are_explained_in_one_line(case, tmp_path):
    change, message = BAD[case]
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(changed(change)))
    with pytest.raises(ToileError, match=message) as error:
        read_pattern(path)
    assert str(error.value).startswith("bad.json: ")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


GARBAGE = {
    "empty": (b"", "the file is empty"),
    "spaces": (b" \n\t ", "the file is empty"),
    "nan": (json.dumps(spec()).replace("40", "NaN", 1).encode(), "NaN is not a number"),
    "infinity": (json.dumps(spec()).replace("40", "-Infinity", 1).encode(), "-Infinity is not a number"),
    "overflow": (json.dumps(spec()).replace("40", "1e999", 1).encode(), "1e999 is too large"),
    "long number": (json.dumps(spec()).replace("40", "4" * 5000, 1).encode(), "too large"),
    "deep": (b"[" * 200_000 + b"]" * 200_000, "nested deeper than 40"),
    "deep object": (b'{"a":' * 200_000, "nested deeper than 40"),
    "truncated": (json.dumps(spec()).encode()[:200], "not valid JSON at line 1"),
    "twice": (json.dumps(spec()).replace('"back"', '"front"', 1).encode(), "'front' appears twice"),
    "binary": (b"\x7fELF\0\0\0", "not a pattern file"),
    "not utf-8": (b'{"pattern": "\xff"}', "not UTF-8"),
    "other text": (b"hello world", "not a pattern file"),
    "too large": (b"[" + b"0," * 5_000_000 + b"0]", "too large for a pattern"),
    "many panels": (
        json.dumps({"pattern": {"panels": {str(i): SQUARE for i in range(501)}}}).encode(),
        "501 panels, at most 500",
    ),
}


@pytest.mark.parametrize("case", GARBAGE)
def test_hostile_files_are_refused_quickly(case, tmp_path):
    data, message = GARBAGE[case]
    path = tmp_path / "bad.json"
    path.write_bytes(data)
    start = time.perf_counter()
    with pytest.raises(ToileError, match=message) as error:
        read_pattern(path)
    assert time.perf_counter() - start < 2.0
    assert "\n" not in str(error.value)


def test_what_is_no_file_is_refused(tmp_path):
    for path in (tmp_path, tmp_path / "missing.json", Path("/dev/zero")):
        with pytest.raises(ToileError, match=r"no such file|not a file but"):
            read_pattern(path)


def test_nothing_is_written_for_a_bad_pattern(tmp_path):
    pattern = tube()
    bad = type(pattern)("bad", pattern.panels, pattern.seams * 2)
    with pytest.raises(ToileError, match="two seams"):
        write_pattern(bad, tmp_path / "bad.json")
    with pytest.raises(ToileError, match="cannot"):
        write_pattern(pattern, tmp_path / "missing" / "tube.json")
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------------------- real files


@pytest.mark.parametrize(
    ("name", "panels", "seams", "origin"),
    [
        ("shirt_mean_specification", 8, 18, "floor"),
        ("skirt_8_panels", 8, 16, "waist"),
        ("wb_pants_straight", 6, 12, "waist"),
    ],
)
def test_real_patterns_read_and_survive_both_formats(name, panels, seams, origin, tmp_path):
    path = SAMPLES / f"{name}.json"
    if not path.exists():
        pytest.skip("sample file not present (set TOILE_SAMPLES)")
    pattern = read_pattern(path)
    assert (len(pattern.panels), len(pattern.seams), pattern.origin) == (panels, seams, origin)
    for ending, tolerance in ((".txt", 0.0), (".json", 1e-12)):
        write_pattern(pattern, tmp_path / f"{name}{ending}")
        assert differences(read_pattern(tmp_path / f"{name}{ending}"), pattern, tolerance=tolerance) == []

"""DXF, SVG and HPGL: real habits of other programs, bad files, round trips."""

import io
import math
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from pattern_cases import square, tube
from toile.core.errors import ToileError
from toile.core.records import Edge, Mark, Notch, Panel, Pattern
from toile.pattern.formats.dxf.write import to_dxf
from toile.pattern.library import pattern_sizes, read_pattern, write_pattern
from toile.pattern.model import curves
from toile.pattern.model.allowance import with_allowance
from toile.pattern.model.compare import differences

SAMPLES = Path(os.environ.get("TOILE_SAMPLES", "samples"))


def dxf(*blocks: str, entities: str = "", header: str = "") -> str:
    """A small DXF file of blocks in short writing."""
    body = "0 SECTION 2 HEADER " + header + " 0 ENDSEC 0 SECTION 2 BLOCKS " + " ".join(blocks)
    words = f"{body} 0 ENDSEC 0 SECTION 2 ENTITIES {entities} 0 ENDSEC 0 EOF".split()
    return "\n".join(word.replace("~", " ") for word in words) + "\n"


def block(name: str, *entities: str) -> str:
    return f"0 BLOCK 2 {name} 10 0 20 0 {' '.join(entities)} 0 ENDBLK"


def polyline(points, layer=1, closed=True) -> str:
    vertices = " ".join(f"0 VERTEX 8 {layer} 10 {x} 20 {y}" for x, y in points)
    return f"0 POLYLINE 8 {layer} 66 1 70 {int(closed)} {vertices} 0 SEQEND"


def line(a, b, layer) -> str:
    return f"0 LINE 8 {layer} 10 {a[0]} 20 {a[1]} 11 {b[0]} 21 {b[1]}"


def point(at, layer) -> str:
    return f"0 POINT 8 {layer} 10 {at[0]} 20 {at[1]}"


def words(text, layer=1) -> str:
    return f"0 TEXT 8 {layer} 10 0 20 0 40 5 1 {text.replace(' ', '~')}"


SQUARE = [(0, 0), (400, 0), (400, 600), (0, 600)]


def read(tmp_path, data, name="a.dxf", **keywords):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_pattern(path, **keywords)


# ---------------------------------------------------------------------------- DXF habits


def test_closed_boundary_is_split_at_turn_points(tmp_path):
    ring = [(0, 0), (200, 0), (400, 0), (420, 300), (400, 600), (0, 600)]
    corners = [point(p, 2) for p in ((0, 0), (400, 0), (400, 600), (0, 600))]
    pattern = read(tmp_path, dxf(block("FRONT", polyline(ring), *corners, words("Piece Name: Front"))))
    panel = pattern.panels[0]
    assert panel.name == "Front"
    assert [edge.kind for edge in panel.edges] == ["polyline", "polyline", "line", "line"]
    assert np.ptp(panel.vertices, axis=0) == pytest.approx([0.4, 0.6])


def test_open_polylines_are_chained_head_to_tail(tmp_path):
    parts = [
        polyline([(0, 0), (400, 0)], closed=False),
        polyline([(400, 600), (420, 300), (400, 0)], closed=False),  # against the direction
        line((400, 600), (0, 600), 1),
        polyline([(0, 600), (0, 0)], closed=False),
    ]
    panel = read(tmp_path, dxf(block("A", *parts))).panels[0]
    assert [edge.kind for edge in panel.edges] == ["line", "polyline", "line", "line"]
    assert abs(curves.area(panel)) == pytest.approx(0.246)


def test_half_piece_is_unfolded_at_its_mirror_line(tmp_path):
    half = [(0, 0), (200, 0), (180, 600), (0, 580)]
    entities = [polyline(half), line((0, 0), (0, 580), 6), point((190, 300), 4)]
    panel = read(tmp_path, dxf(block("BACK", *entities))).panels[0]
    assert np.ptp(panel.vertices, axis=0) == pytest.approx([0.4, 0.6])
    assert len(panel.edges) == 6
    assert sorted(abs(panel.vertices[:, 0])) == pytest.approx([0.0, 0.0, 0.18, 0.18, 0.2, 0.2])
    places = [curves.sample_edge(panel, n.edge, [n.fraction])[0] for n in panel.notches]
    assert sorted(float(p[0]) for p in places) == pytest.approx([-0.19, 0.19], abs=1e-3)


def test_quantity_two_gives_the_mirrored_twin(tmp_path):
    text = dxf(block("SLEEVE_M", polyline(SQUARE), words("Piece Name: sleeve"), words("Quantity: 2")))
    assert [p.name for p in read(tmp_path, text).panels] == ["sleeve", "sleeve_mirrored"]
    text = dxf(block("SLEEVE_M", polyline(SQUARE), words("Annotation: Cut 2 of main fabric")))
    assert len(read(tmp_path, text).panels) == 2


@pytest.mark.parametrize(
    ("factor", "said", "unit"),
    [(1, "METRIC", "mm"), (0.1, "METRIC", "cm"), (1 / 25.4, "ENGLISH", "in"), (1, "", "mm"), (0.1, "", "cm")],
)
def test_unit_traps(tmp_path, factor, said, unit):
    ring = [(x * factor, y * factor) for x, y in SQUARE]
    extra = [words(f"Units: {said}")] if said else []
    pattern = read(tmp_path, dxf(block("A", polyline(ring), *extra)))
    assert np.ptp(pattern.panels[0].vertices, axis=0) == pytest.approx([0.4, 0.6])
    assert pattern.notes[0].startswith(f"units: {unit}")
    forced = read(tmp_path, dxf(block("A", polyline(SQUARE), *extra)), units="cm")
    assert np.ptp(forced.panels[0].vertices, axis=0) == pytest.approx([4.0, 6.0])


def test_sizes_are_told_apart(tmp_path):
    blocks = [
        block(
            f"A_{size}",
            polyline([(x * k, y * k) for x, y in SQUARE]),
            words("Piece Name: A"),
            words(f"Size: {size}"),
        )
        for size, k in (("S", 1.0), ("M", 1.1), ("L", 1.2))
    ]
    blocks[0] = blocks[0].replace("0 ENDBLK", words("Sample Size: M") + " 0 ENDBLK")
    path = tmp_path / "a.dxf"
    path.write_text(dxf(*blocks))
    assert pattern_sizes(path) == ["S", "M", "L"]
    assert np.ptp(read_pattern(path).panels[0].vertices, axis=0)[0] == pytest.approx(0.44)
    assert np.ptp(read_pattern(path, size="L").panels[0].vertices, axis=0)[0] == pytest.approx(0.48)
    with pytest.raises(ToileError, match="no size 'XL'"):
        read_pattern(path, size="XL")


def test_broken_block_names_stay_apart(tmp_path):
    text = dxf(
        block("??????", polyline(SQUARE)), block("??????", polyline([(x, y + 900) for x, y in SQUARE]))
    )
    pattern = read(tmp_path, text)
    assert len({p.name for p in pattern.panels}) == 2


def test_sew_line_becomes_the_outline(tmp_path):
    inner = [(10, 10), (390, 10), (390, 590), (10, 590)]
    for layer in (8, 14):
        panel = read(tmp_path, dxf(block("A", polyline(SQUARE), polyline(inner, layer)))).panels[0]
        assert np.ptp(panel.vertices, axis=0) == pytest.approx([0.38, 0.58])
        assert [mark.kind for mark in panel.marks] == ["cut"]
    pocket = [(100, 300), (200, 300), (200, 400), (100, 400)]
    panel = read(tmp_path, dxf(block("A", polyline(SQUARE), polyline(pocket, 8)))).panels[0]
    assert np.ptp(panel.vertices, axis=0) == pytest.approx([0.4, 0.6])
    assert [mark.kind for mark in panel.marks] == ["guide"]


def test_grain_cutouts_and_bulges(tmp_path):
    hole = polyline([(100, 100), (200, 100), (150, 200)], 11)
    arc = polyline(SQUARE).replace("10 400 20 0", "10 400 20 0 42 1.0", 1)  # half circle on the right side
    panel = read(tmp_path, dxf(block("A", arc, hole, line((50, 50), (150, 150), 7)))).panels[0]
    assert panel.grain == pytest.approx(-math.pi / 4)
    assert [m.kind for m in panel.marks] == ["cutout"]
    assert panel.edges[1].kind == "arc"
    assert abs(curves.area(panel)) == pytest.approx(0.24 + math.pi * 0.09 / 2)


def test_pieces_inside_blocks_inside_blocks(tmp_path):
    inner = block("IN", polyline([(x / 2, y / 2) for x, y in SQUARE]))
    outer = block("OUT", "0 INSERT 2 IN 10 100 20 0 41 2 42 2 50 90")
    pattern = read(tmp_path, dxf(inner, outer))
    sizes = {p.name: tuple(np.round(np.ptp(p.vertices, axis=0), 6)) for p in pattern.panels}
    assert sizes == {"IN": (0.2, 0.3), "OUT": (0.6, 0.4)}


# ---------------------------------------------------------------------------- hostile DXF


def nested(levels: int, copies: int) -> str:
    blocks = [block("B0", polyline(SQUARE))]
    for k in range(1, levels):
        blocks.append(block(f"B{k}", *[f"0 INSERT 2 B{k - 1} 10 {i} 20 0" for i in range(copies)]))
    return dxf(*blocks)


BAD_DXF = {
    "truncated": (dxf(block("A", polyline(SQUARE)))[:150], "truncated|damaged"),
    "no end": (dxf(block("A", polyline(SQUARE))).replace("0\nEOF\n", ""), "truncated"),
    "each other": (
        dxf(block("A", "0 INSERT 2 B 10 0 20 0"), block("B", "0 INSERT 2 A 10 0 20 0")),
        "contains itself",
    ),
    "itself": (dxf(block("A", "0 INSERT 2 A 10 0 20 0")), "contains itself"),
    "many copies": (
        dxf(block("A", polyline(SQUARE)), entities="0 INSERT 2 A 10 0 20 0 70 30000 71 30000"),
        "30000 × 30000",
    ),
    "nested wide": (nested(6, 60), "unfolds to more than"),
    "nested deep": (nested(30, 2), "nested deeper|unfolds to more"),
    "binary": (b"AutoCAD Binary DXF\r\n\x1a\0" + b"\0" * 100, "binary DXF"),
    "letters": ("0\nSECTION\nhello\nworld\n", "not a DXF group code"),
    "nan": (dxf(block("A", polyline([(0, 0), ("nan", 3), (3, 4)]))), "damaged DXF"),
    "huge": (dxf(block("A", polyline([(0, 0), ("1e300", 3), (3, 4)]))), "damaged DXF"),
    "nothing": (dxf(), "no closed outline"),
    "open": (dxf(block("A", polyline([(0, 0), (400, 0), (400, 600)], closed=False))), "no closed outline"),
    "crossing": (dxf(block("A", polyline([(0, 0), (400, 600), (400, 0), (0, 600)]))), "crosses"),
}


@pytest.mark.parametrize("case", BAD_DXF)
def test_bad_dxf_is_refused_quickly(case, tmp_path):
    data, message = BAD_DXF[case]
    start = time.process_time()
    with pytest.raises(ToileError, match=message) as error:
        read(tmp_path, data)
    assert time.process_time() - start < 5.0
    assert str(error.value).startswith("a.dxf")
    assert "\n" not in str(error.value)


def test_large_hostile_files_stay_within_memory_and_time(tmp_path):
    """Files of full size that try to fill memory: each is refused, none takes 5 s or 512 MB."""
    files = {
        "tags.dxf": "0\nSECTION\n2\nENTITIES\n" + "0\nX\n" * 1_000_000,
        "vertices.dxf": dxf(block("A", polyline([(i % 997, i) for i in range(100_000)]))),
        "blocks.dxf": dxf(*[block(f"B{i}", polyline(SQUARE)) for i in range(6_000)]),
        "paths.svg": '<svg width="1m" viewBox="0 0 1 1">' + '<path d="M0 0h1v1z"/>' * 90_000 + "</svg>",
        "points.svg": '<svg><path d="M0 0' + " 1 2 3 5" * 500_000 + 'z"/></svg>',
        "moves.plt": "IN;SP1;" + "PD1,2;PU3,4;" * 300_000,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    program = (
        "import sys, time\n"
        "from toile.core.errors import ToileError\nfrom toile.pattern.library import read_pattern\n"
        "for path in sys.argv[1:]:\n"
        "    start = time.process_time()\n"
        "    try:\n        read_pattern(path)\n        print('accepted', path)\n"
        "    except ToileError:\n        print('refused', time.process_time() - start)\n"
        "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])\n"
    )
    paths = [str(tmp_path / name) for name in files]
    done = subprocess.run([sys.executable, "-c", program, *paths], capture_output=True, text=True, check=True)
    *rows, kilobytes = done.stdout.splitlines()
    assert [row.split()[0] for row in rows] == ["refused"] * len(files)
    assert max(float(row.split()[1]) for row in rows) < 5.0
    assert int(kilobytes) < 512 * 1024


# ---------------------------------------------------------------------------- SVG


def svg(body: str, attributes: str = 'width="500mm" height="700mm" viewBox="0 0 500 700"') -> str:
    return f'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" {attributes}>{body}</svg>'


def test_svg_paths_transforms_and_units(tmp_path):
    body = '<g transform="translate(10 20) scale(2)"><path id="front" d="M0 0h200v100q-20 50 0 200H0z"/></g>'
    panel = read(tmp_path, svg(body), "a.svg").panels[0]
    assert panel.name == "front"
    assert [edge.kind for edge in panel.edges] == ["line", "line", "quadratic", "line", "line"]
    assert np.ptp(panel.vertices, axis=0) == pytest.approx([0.4, 0.6])
    # y is up in the panel: the first corner of the file is the upper left
    assert panel.vertices[0] == pytest.approx([0.01, -0.02])


def test_svg_arcs_and_smooth_curves(tmp_path):
    body = '<path d="M100 100 a50 50 0 01100 0 l0 200 C 180 320 120 320 100 300 S 90 200 100 100z"/>'
    panel = read(tmp_path, svg(body), "a.svg").panels[0]
    assert [edge.kind for edge in panel.edges] == ["arc", "line", "cubic", "cubic"]
    assert panel.edges[0].controls[0] == pytest.approx([0.15, -0.05])
    # S mirrors the control point before it: 2·(100, 300) − (120, 320)
    assert panel.edges[3].controls[0] == pytest.approx([0.08, -0.28])
    # a circle that is squeezed is no circle: cubic curves, true to a hundredth of a millimetre
    body = f'<g transform="scale(1 2)">{body}</g>'
    squeezed = read(tmp_path, svg(body), "a.svg").panels[0]
    points = curves.outline(Panel("", squeezed.vertices, squeezed.edges[:]), 1e-6)
    top = points[points[:, 1] > -0.2 + 1e-9]
    ellipse = ((top[:, 0] - 0.15) / 0.05) ** 2 + ((top[:, 1] + 0.2) / 0.1) ** 2
    assert np.sqrt(ellipse) == pytest.approx(1.0, abs=2e-5)


def test_svg_nested_lines_and_hidden_parts(tmp_path):
    body = (
        '<rect x="0" y="0" width="400" height="600"/><rect x="10" y="10" width="380" height="580"/>'
        '<circle cx="100" cy="100" r="20"/><g style="display: none"><rect width="300" height="300"/></g>'
        '<defs><rect id="x" width="300" height="300"/></defs><line x1="20" y1="20" x2="90" y2="300"/>'
    )
    pattern = read(tmp_path, svg(body), "a.svg")
    assert len(pattern.panels) == 1
    assert np.ptp(pattern.panels[0].vertices, axis=0) == pytest.approx([0.38, 0.58])
    assert sorted(mark.kind for mark in pattern.panels[0].marks) == ["cut", "internal", "internal"]


def test_svg_without_units_says_what_it_assumed(tmp_path):
    pattern = read(tmp_path, svg('<rect width="1500" height="2000"/>', ""), "a.svg")
    assert np.ptp(pattern.panels[0].vertices, axis=0)[0] == pytest.approx(1500 * 0.0254 / 96)
    assert "pixels" in pattern.notes[0]
    pattern = read(tmp_path, svg('<rect width="40" height="60"/>', ""), "a.svg")
    assert np.ptp(pattern.panels[0].vertices, axis=0)[0] == pytest.approx(0.4)
    assert "cm assumed" in pattern.notes[0]


BAD_SVG = {
    "entities": (
        '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + "<svg>&b;</svg>",
        "XML entities",
    ),
    "external": ('<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/passwd">]><svg>&a;</svg>', "XML entities"),
    "deep": ("<svg>" + "<g>" * 100_000, "nested deeper than"),
    "not svg": ("<html><body/></html>", "not <svg>"),
    "broken": ("<svg><path d='M0 0'", "not valid XML"),
    "no path": (svg(""), "no closed path"),
    "bad path": (svg('<path id="p" d="M 0 0 L banana"/>'), "'p': path data is not understood"),
    "number": (svg('<path id="p" d="M 0 0 L 1e999 5 z"/>'), "too large"),
    "cut off": (svg('<path id="p" d="M 0 0 C 1 2 3"/>'), "cut off"),
    "transform": (svg('<g transform="matrix(1 2)"><path d="M0 0z"/></g>'), "transform"),
}


@pytest.mark.parametrize("case", BAD_SVG)
def test_bad_svg_is_refused(case, tmp_path):
    data, message = BAD_SVG[case]
    start = time.process_time()
    with pytest.raises(ToileError, match=message) as error:
        read(tmp_path, data, "a.svg")
    assert time.process_time() - start < 5.0
    assert "\n" not in str(error.value)


# ---------------------------------------------------------------------------- HPGL


def test_plotter_file_gives_closed_lines_with_labels(tmp_path):
    # 40 units a millimetre
    text = "IN;SP1;PU0,0;PD16000,0,16000,24000;PD0,24000;PD0,0;PU4000,4000;LBFront\x03PU20000,0;PR;PD8000,0;"
    text += "PD0,8000;PD-8000,0;PD0,-8000;PA;PU;SP0;"
    pattern = read(tmp_path, text, "a.plt")
    assert [p.name for p in pattern.panels] == ["Front", "piece_2"]
    assert np.ptp(pattern.panels[0].vertices, axis=0) == pytest.approx([0.4, 0.6])
    assert len(pattern.panels[0].edges) == 4
    assert np.ptp(pattern.panels[1].vertices, axis=0) == pytest.approx([0.2, 0.2])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("IN;SP1;XX;YY;" + "QQ1;WW2;" * 50, "not a plotter file"),
        ("IN;PU0,0;PU5,5;", "draws nothing"),
        ("IN;PU0,0;PD99999999999,5,3,4;", "damaged"),
        ("IN;PU0,0;PD100,0,100,100,0,0;", "no closed line is large enough"),
        ("PU;" + "\x00\xff\x17" * 1000, "binary|plotter"),
    ],
)
def test_bad_plotter_files(text, message, tmp_path):
    with pytest.raises(ToileError, match=message):
        read(tmp_path, text.encode("latin-1"), "a.plt")


# ---------------------------------------------------------------------------- round trips


def rich() -> Pattern:
    """A pattern with every kind of edge, marks, notches, an umlaut."""
    vertices = np.array([[0, 0], [0.4, 0], [0.4, 0.5], [0.25, 0.6], [0, 0.5]])
    edges = (
        Edge(0, 1, "polyline", [[0.1, -0.01], [0.3, -0.01]], "hem"),
        Edge(1, 2, "quadratic", [[0.45, 0.25]], "side"),
        Edge(2, 3, "arc", [[0.34, 0.56]]),
        Edge(3, 4, "cubic", [[0.2, 0.5], [0.1, 0.65]]),
        Edge(4, 0),
    )
    cut = np.array([[-0.01, -0.02], [0.44, -0.02], [0.44, 0.51], [0.25, 0.63], [-0.01, 0.52], [-0.01, -0.02]])
    marks = (
        Mark("internal", np.array([[0.1, 0.1], [0.2, 0.3]])),
        Mark("drill", np.array([[0.2, 0.2]])),
        Mark("cutout", np.array([[0.3, 0.1], [0.35, 0.1], [0.35, 0.2], [0.3, 0.1]])),
        Mark("cut", cut),
    )
    panel = Panel("Ärmel 1", vertices, edges, grain=0.3, notches=(Notch(1, 0.25), Notch(3, 0.5)), marks=marks)
    other = tube()
    return Pattern("rich", (panel, *other.panels), other.seams, other.holds)


@pytest.mark.parametrize("ending", [".dxf", ".svg"])
def test_cutting_room_files_keep_geometry_and_seams(ending, tmp_path):
    pattern = rich()
    write_pattern(pattern, tmp_path / f"rich{ending}")
    assert (tmp_path / "rich.seams").exists()
    again = read_pattern(tmp_path / f"rich{ending}")
    assert [p.name for p in again.panels] == [p.name for p in pattern.panels]
    assert again.seams == pattern.seams
    assert again.holds == pattern.holds
    for before, after in zip(pattern.panels, again.panels, strict=True):
        assert [e.name for e in after.edges] == [e.name for e in before.edges]
        assert after.grain == pytest.approx(before.grain)
        assert sorted(m.kind for m in after.marks) == sorted(m.kind for m in before.marks)
        for i in range(len(before.edges)):
            samples = [curves.sample_edge(p, i, np.linspace(0, 1, 41)) for p in (before, after)]
            assert samples[0] == pytest.approx(samples[1], abs=1e-5)
        for a, b in zip(before.notches, after.notches, strict=True):
            assert (a.edge, a.fraction) == pytest.approx((b.edge, b.fraction), abs=1e-4)
    # a second time nothing moves any more
    write_pattern(again, tmp_path / f"again{ending}")
    third = read_pattern(tmp_path / f"again{ending}")
    assert differences(third.panels, again.panels, tolerance=1e-5) == []


def test_written_dxf_is_valid_for_other_programs():
    ezdxf = pytest.importorskip("ezdxf")
    document = ezdxf.read(io.StringIO(to_dxf(rich())))
    assert not document.audit().errors
    blocks = {b.name for b in document.blocks if not b.name.startswith("*")}
    assert len(blocks) == 3
    inserts = [e for e in document.modelspace() if e.dxftype() == "INSERT"]
    assert {e.dxf.name for e in inserts} == blocks


def test_written_svg_paths_agree_with_another_reader(tmp_path):
    svgpathtools = pytest.importorskip("svgpathtools")
    pattern = Pattern("one", (rich().panels[0],))
    write_pattern(pattern, tmp_path / "one.svg")
    paths, attributes = svgpathtools.svg2paths(str(tmp_path / "one.svg"))
    edges = [p for p, a in zip(paths, attributes, strict=True) if a.get("class") == "edge"]
    for i, path in enumerate(edges):
        assert path.length() == pytest.approx(curves.edge_length(pattern.panels[0], i) * 1000, rel=1e-5)


@pytest.mark.parametrize(("name", "count"), [("trousers_AAMA_R12.dxf", 11), ("teagan.svg", 4)])
def test_real_files_read_and_survive(name, count, tmp_path):
    path = SAMPLES / name
    if not path.exists():
        pytest.skip("sample file not present (set TOILE_SAMPLES)")
    pattern = read_pattern(path)
    assert len(pattern.panels) == count
    for ending in (".txt", ".dxf", ".svg"):
        write_pattern(pattern, tmp_path / f"a{ending}")
        again = read_pattern(tmp_path / f"a{ending}")
        for before, after in zip(pattern.panels, again.panels, strict=True):
            for i in range(len(before.edges)):
                samples = [curves.sample_edge(p, i, np.linspace(0, 1, 41)) for p in (before, after)]
                assert samples[0] == pytest.approx(samples[1], abs=1e-5)


def test_simple_square_is_one_piece_everywhere(tmp_path):
    pattern = Pattern("one", (square("a"),))
    for ending in (".dxf", ".svg", ".json", ".txt"):
        write_pattern(pattern, tmp_path / f"one{ending}")
        assert len(read_pattern(tmp_path / f"one{ending}").panels[0].edges) == 4
    assert not (tmp_path / "one.seams").exists()


def test_an_allowance_goes_back_to_the_cutting_room(tmp_path):
    pattern = with_allowance(tube(), 0.015)
    cut = [mark for mark in pattern.panels[0].marks if mark.kind == "cut"]
    assert np.ptp(cut[0].points, axis=0) == pytest.approx([0.43, 0.43])
    assert with_allowance(pattern, 0.02).panels[0].marks == pattern.panels[0].marks  # it has one
    write_pattern(pattern, tmp_path / "tube.dxf")
    back = read_pattern(tmp_path / "tube.dxf")
    assert np.allclose(back.panels[0].vertices, pattern.panels[0].vertices, atol=1e-5)
    assert any("sew line on layer 14" in note for note in back.notes)
    with pytest.raises(ToileError, match="a seam allowance of 50 cm"):
        with_allowance(tube(), 0.5)

import io
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from PIL import Image

from pattern_cases import square, tube
from toile.core.errors import ToileError
from toile.core.records import EdgeRef, Hold, Pattern, Seam
from toile.pattern.drawing.canvas import to_png
from toile.pattern.drawing.colours import seam_colour
from toile.pattern.drawing.draw import draw_pattern, sketch
from toile.pattern.drawing.info import describe
from toile.pattern.drawing.layout import lay_out
from toile.pattern.model import curves


def test_table_tells_sizes_lengths_and_ease():
    wide = Pattern(
        "pair",
        (square("small", 0.4), square("large", 0.5)),
        (Seam((EdgeRef("small", 2),), (EdgeRef("large", 0, True),), 1.25, "waist"),),
        (Hold(EdgeRef("large", 2), "elastic", 0.8),),
    )
    text = describe(wide)
    lines = {line.split()[0]: line.split() for line in text.splitlines() if line.strip()}
    assert lines["pair:"][1:5] == ["2", "pieces,", "1", "seam,"]
    assert lines["small"] == ["small", "40.0", "40.0", "1600", "4"]
    assert lines["1"] == ["1", "waist", "small.top", "-large.hem", "40.0", "50.0", "+25.0", "+25.0", "%"]
    assert lines["elastic"] == ["elastic", "large.top", "50.0", "0.8"]


def test_doubtful_seams_are_listed():
    pair = Pattern(
        "pair",
        (square("small", 0.4), square("large", 0.5)),
        (Seam((EdgeRef("small", 2),), (EdgeRef("large", 0, True),)),),
    )
    assert "to look at:\n  seam 1, small to large: its sides are 40.0 and 50.0 cm long" in describe(pair)
    assert "to look at" not in describe(tube())


def test_pieces_do_not_overlap_on_the_page():
    panels = tuple(square(f"p{i}", size) for i, size in enumerate((0.1, 0.9, 0.3, 0.3, 0.05, 0.6)))
    spots, width, height = lay_out(Pattern("many", panels), 0.05)
    boxes = []
    for spot in spots:
        page = spot.to_page(curves.outline(spot.panel))
        boxes.append((page.min(axis=0), page.max(axis=0)))
        assert page.min() > -1e-9
        assert np.all(page.max(axis=0) <= np.array([width, height]) + 1e-9)
    for i, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:i]:
            assert np.any(low >= other_high + 0.049) or np.any(high <= other_low - 0.049)


def test_svg_shows_each_seam_number_on_both_sides(tmp_path):
    path = tmp_path / "tube.svg"
    draw_pattern(tube(), path)
    texts = [element.text for element in ElementTree.parse(path).iter() if element.tag.endswith("text")]
    assert texts.count("1") == texts.count("2") == 2
    assert {"tube", "front", "back", "10 cm"} <= set(texts)


def test_png_shows_the_seam_colours():
    picture = np.asarray(Image.open(io.BytesIO(to_png(sketch(tube())))))
    assert picture.shape[0] > 200
    for index in (0, 1):
        colour = [int(seam_colour(index)[k : k + 2], 16) for k in (1, 3, 5)]
        assert (np.abs(picture.astype(int) - colour).max(axis=2) < 3).sum() > 300


def test_names_cannot_break_the_svg(tmp_path):
    pattern = Pattern('a<b>&"c"', (square("<script>"),))
    draw_pattern(pattern, tmp_path / "x.svg")
    texts = [e.text for e in ElementTree.parse(tmp_path / "x.svg").iter() if e.tag.endswith("text")]
    assert 'a<b>&"c"' in texts
    with pytest.raises(ToileError, match="ending"):
        draw_pattern(pattern, tmp_path / "x.bmp")

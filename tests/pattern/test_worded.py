"""Places in words: each leads to a limb and a side, and all advice in errors can be written as it stands."""

import re
from pathlib import Path

import numpy as np
import pytest

import toile
from toile.audit.check import audit_drape
from toile.body.model.make import named_body
from toile.core.errors import ToileError
from toile.pattern.drafts.library import draft
from toile.pattern.formats.text.read import parse
from toile.pattern.formats.text.write import to_text
from toile.pattern.pieces.worded import limb_and_angle
from toile.sim.dress.dress import dress


@pytest.mark.parametrize(
    ("words", "limb", "angle"),
    [
        ("front", "torso", 0.0),
        ("left back", "torso", 180.0),
        ("left sleeve", "left_arm", 90.0),
        ("right cuff", "right_arm", -90.0),
        ("right leg front", "right_leg", 0.0),
        ("left leg", "left_leg", 90.0),
        ("collar", "neck", 180.0),
        ("right hood", "head", -90.0),
        ("front yoke", "torso", 0.0),
        ("yoke", "torso", 180.0),
    ],
)
def test_words_lead_to_a_limb_and_a_side(words: str, limb: str, angle: float) -> None:
    assert limb_and_angle(words.split()) == (limb, angle)


@pytest.mark.parametrize("words", ["", "sleeve", "left right front", "front back", "somewhere", "side"])
def test_words_that_leave_doubt_are_refused(words: str) -> None:
    with pytest.raises(ToileError, match=r"place "):
        limb_and_angle(words.split())


def test_all_advice_in_messages_is_valid() -> None:
    """'around torso, faces front' was what an error told people to write, and no file could be read so."""
    folder = Path(toile.__file__).parent
    said = [
        found
        for path in sorted(folder.rglob("*.py"))
        for found in re.findall(r"'place ([a-z][a-z ]*)'", path.read_text(encoding="utf-8"))
    ]
    assert len(said) >= 10
    for words in said:
        limb_and_angle(words.split())


def test_a_tshirt_placed_by_words_alone_is_worn() -> None:
    body = named_body("woman")
    text = to_text(draft("tshirt", body.measurements))
    bare = re.sub(r"(?m)^ +(at|turn|matrix|around) .*\n", "", text).replace("origin body\n", "")
    for name, words in (("front", "front"), ("back", "back"), ("left_sleeve", "left sleeve")):
        bare = bare.replace(f"panel {name}\n", f"panel {name}\n  place {words}\n")
    bare = bare.replace("panel right_sleeve\n", "panel right_sleeve\n  place right sleeve\n")
    pattern = parse(bare, "tshirt", "tshirt.txt")
    assert [p.placement.around for p in pattern.panels if p.placement] == [
        "torso", "torso", "left_arm", "right_arm",
    ]  # fmt: skip
    found = audit_drape(dress([pattern], body, edge_length=0.04))
    assert found.ok, found.problems


def test_a_mirrored_piece_goes_to_the_other_side() -> None:
    text = """
    garment vest
    panel left_front
      place left front
      from 0 0
      line to 25 0
      line to 25 40 as side
      line to 0 40
      line to start as centre
    panel right_front mirror of left_front
    seam left_front.centre = right_front.centre
    """
    left, right = parse(text, "vest", "vest.txt").panels
    assert left.placement is not None
    assert right.placement is not None
    spans = [
        p.placement.translation[0] + p.vertices[:, 0] * p.placement.rotation[0, 0] for p in (left, right)
    ]
    assert np.isclose(spans[0].min(), 0.0)
    assert np.isclose(spans[1].max(), 0.0)

"""The page's types are made from the messages, and are as these are now."""

from __future__ import annotations

import pytest

from toile.core.errors import ToileError
from toile.studio.asked import Grab
from toile.studio.commands import MovePoints
from toile.studio.describe import TYPES, typescript
from toile.studio.messages import as_table, read_message


def test_the_pages_types_are_up_to_date() -> None:
    assert TYPES.read_text() == typescript(), "run python -m toile.studio.describe"


def test_a_message_survives_json() -> None:
    edit = MovePoints(garment=1, piece="front", points=(2, 3), by=(0.0, -0.05))
    assert read_message({**as_table(edit), "id": 7, "group": "drag 1"}).content == edit


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "a table"),
        ({"type": "explode"}, "no message 'explode'"),
        ({"type": "grab", "particle": -1}, "grab.particle is -1"),
        ({"type": "grab", "to": [0, 0]}, "list of 3"),
        ({"type": "grab", "to": [0, float("nan"), 0]}, "grab.to"),
        ({"type": "pin"}, "'particles' is missing"),
        ({"type": "move_points", "piece": "front", "points": [1], "by": [1e9, 0]}, "move_points.by"),
        ({"type": "grab", "much": 1}, "unknown key 'much'"),
        ({"type": "grab", "id": "x"}, "id is a whole number"),
    ],
)
def test_what_is_wrong_is_told(data: object, words: str) -> None:
    with pytest.raises(ToileError, match=words):
        read_message(data)


def test_limits_hold_for_python_too() -> None:
    with pytest.raises(ToileError, match="particle"):
        Grab(particle=-1)

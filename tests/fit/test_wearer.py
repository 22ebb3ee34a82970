"""Who a foreign pattern was cut for: size, height and sex are told by its girths and legs."""

from dataclasses import replace

import pytest

from toile.body.model.make import make_body, named_body
from toile.core.records import Pattern
from toile.fit.wearer import height_for_legs, wearer_of
from toile.pattern.drafts.library import draft


def foreign(pattern: Pattern) -> Pattern:
    """A draft as files come: nobody says for whom, and at which height it hangs."""
    return replace(pattern, name="style 4711", recipe="", origin="unknown")


@pytest.mark.parametrize("sex", ["woman", "man"])
def test_trousers_tell_whose_they_are(sex: str) -> None:
    words, body = wearer_of(foreign(draft("trousers", named_body(sex).measurements)))
    assert words.startswith(sex)
    hips = named_body(sex).measurements["hips"]
    assert body.measurements["hips"] == pytest.approx(hips, abs=0.09)


def test_boxy_tops_are_worn_by_a_woman_unless_a_word_says_otherwise() -> None:
    shirt = foreign(draft("tshirt", named_body("man").measurements))
    assert wearer_of(shirt)[0].startswith("woman")
    assert wearer_of(replace(shirt, name="MENS TEE"))[0].startswith("man")


def test_long_legs_are_worn_by_a_tall_person() -> None:
    woman = named_body("woman")
    tall = make_body(
        "female", height=1.84, waist=woman.measurements["waist"], hips=woman.measurements["hips"]
    )
    usual = woman.measurements["height"]
    own = height_for_legs(foreign(draft("trousers", woman.measurements)), woman, usual)
    assert own <= usual + 0.05
    assert height_for_legs(foreign(draft("trousers", tall.measurements)), woman, usual) > own + 0.05
    assert height_for_legs(foreign(draft("tshirt", tall.measurements)), woman, usual) == usual

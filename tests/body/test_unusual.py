"""Figures that are no people: what is unusual is said, what cannot be measured too."""

import toile
from toile.body.model.check_measures import unusual


def test_people_are_not_unusual():
    for name in ("woman", "man"):
        assert unusual(toile.named_body(name).measurements) == ()


def test_a_stylised_figure_is_told_with_what_people_have():
    measures = dict(toile.named_body("woman").measurements) | {"waist": 0.393, "neck": 0.185, "weight": 165.8}
    (told,) = unusual(measures)
    assert "waist 39.3 cm (48.0 cm to 180.0 cm)" in told
    assert "neck 18.5 cm" in told
    assert "weight" not in told


def test_what_could_not_be_measured_is_named():
    (told,) = unusual({"height": 1.7})
    assert told.startswith("no bust, waist, hips could be measured")

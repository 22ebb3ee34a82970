from pathlib import Path

import pytest

from toile.core.errors import ToileError
from toile.garment.fabric import FABRICS, bending_length, fabric, fabric_of_each, parse_fabrics, read_fabrics

GOOD = """
[mine]
mass = 0.1
stretch_warp = 1000
stretch_weft = 900
shear = 30
bend_warp = 1e-5
bend_weft = 1e-5
"""


def test_the_database_holds_the_usual_cloths() -> None:
    wanted = {
        "cotton", "denim", "silk", "wool", "linen", "jersey", "polyester", "leather", "felt", "tulle",
        "satin", "fleece", "canvas", "chiffon", "lycra",
    }  # fmt: skip
    assert wanted <= set(FABRICS)
    assert all(f.source for f in FABRICS.values())


@pytest.mark.parametrize("name", sorted(FABRICS))
def test_figures_are_those_of_cloth(name: str) -> None:
    f = fabric(name)
    assert 0.02 <= f.mass <= 0.7
    assert 5e-7 <= min(f.bend_warp, f.bend_weft) <= max(f.bend_warp, f.bend_weft) <= 5e-4
    assert all(0.009 <= c <= 0.045 for c in bending_length(f)), "bending length 0.9 … 4.5 cm"
    assert 100 <= f.stretch_weft <= f.stretch_warp <= 20000
    assert f.shear < f.stretch_weft, "cloth shears more easily than it stretches"


def test_order_of_stiffness_is_what_a_tailor_expects() -> None:
    length = {name: bending_length(fabric(name))[0] for name in FABRICS}
    assert (
        length["silk"]
        < length["wool"]
        < length["cotton"]
        < length["linen"]
        < length["denim"]
        < length["canvas"]
    )
    assert fabric("lycra").stretch_weft < fabric("jersey").stretch_warp < fabric("wool").stretch_weft


def test_an_unknown_fabric_is_answered_with_the_known_ones() -> None:
    with pytest.raises(
        ToileError, match=r"no fabric 'coton' \(did you mean cotton\?\); there are .*denim.*silk"
    ):
        fabric("coton")
    assert fabric(" Cotton ").name == "cotton"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("mass = 0.1", "mass = -0.1"), "mass = -0.1 must be a number from"),
        (("mass = 0.1", "mass = nan"), "mass = nan must be"),
        (("mass = 0.1", 'mass = "light"'), "mass = 'light' must be"),
        (("mass = 0.1", "mass = true"), "mass = True must be"),
        (("mass = 0.1", ""), "'mass' is missing"),
        (("shear = 30", "shear = 30\ncolor = 3"), "unknown entry 'color'"),
        (("shear = 30", "shear = 30\ncolour = [1, 2]"), "colour must be three numbers"),
        (("shear = 30", "shear = 30\nsource = 3"), "source must be text"),
        (("[mine]", "mine = 3\n[other]"), "must be a table"),
        (("[mine]", "[mine"), "not a fabric file"),
    ],
)
def test_a_bad_fabric_file_is_one_line_that_names_the_fabric(change: tuple[str, str], message: str) -> None:
    with pytest.raises(ToileError, match=message.replace("[", r"\[")) as caught:
        parse_fabrics(GOOD.replace(*change), "my.toml")
    assert "my.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_own_fabrics_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(GOOD)
    assert read_fabrics(tmp_path / "mine.toml")["mine"].shear == 30
    with pytest.raises(ToileError, match="cannot read"):
        read_fabrics(tmp_path / "none.toml")
    (tmp_path / "deep.toml").write_text("a = " + "[" * 20000)
    with pytest.raises(ToileError, match="not a fabric file"):
        read_fabrics(tmp_path / "deep.toml")


def test_one_fabric_for_all_garments_or_one_for_each() -> None:
    assert fabric_of_each("wool", 2) == ["wool", "wool"]
    assert fabric_of_each([fabric("silk")], 1) == [fabric("silk")]
    assert fabric_of_each(["wool", "cotton"], 2) == ["wool", "cotton"]
    with pytest.raises(ToileError, match="2 fabrics for 3 garments: give one, or one for each"):
        fabric_of_each(["wool", "cotton"], 3)

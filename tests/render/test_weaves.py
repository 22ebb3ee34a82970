"""Weaves and looks: tiles without borders, the browser's copies, tables that refuse slips."""

import numpy as np
import pytest

from folders import ROOT
from toile.core.errors import ToileError
from toile.garment.fabric import FABRICS
from toile.render.looks import Look, look, looks
from toile.render.weaves import LEVELS, SIZE, WEAVES, normal_map, relief, tile_png


@pytest.mark.parametrize("name", WEAVES)
def test_a_tile_repeats_without_a_border(name: str) -> None:
    height = relief(name)
    assert height.shape == (SIZE, SIZE)
    assert height.min() == 0
    assert height.max() == 1
    for axis in (0, 1):
        inside = np.abs(np.diff(height, axis=axis)).mean(axis=1 - axis)
        across = np.abs(np.take(height, 0, axis) - np.take(height, -1, axis)).mean()
        # the step from the last row to the first is no larger than steps inside
        assert across <= inside.max() * 1.05


def test_the_browser_has_the_same_tiles() -> None:
    folder = ROOT / "web" / "viewer" / "materials" / "weaves"
    assert {p.stem for p in folder.glob("*.png")} == set(WEAVES)
    for name in ("plain", "net"):
        assert (folder / f"{name}.png").read_bytes() == tile_png(name), "run tools/weaves.py"


def test_heights_are_few_enough_to_pack() -> None:
    assert len(np.unique(relief("twill"))) <= LEVELS


def test_a_slope_leans_the_normal_by_its_angle() -> None:
    # a sawtooth that rises by 1 mm over 4 mm in x leans by atan(1/4); the one pixel that falls is left out
    height = np.tile(np.arange(64) / 64, (64, 1))
    normal = 2 * normal_map(height, 0.001, 0.004)[20, 30] - 1
    np.testing.assert_allclose(normal[0] / normal[2], -0.25, atol=1e-9)
    np.testing.assert_allclose(normal[1], 0, atol=1e-9)


def test_up_is_up() -> None:
    # rows run down: a tile that is higher at its top leans towards the viewer's bottom
    height = np.tile(1 - np.arange(64)[:, None] / 64, (1, 64))
    assert 2 * normal_map(height, 0.001, 0.004)[30, 20, 1] - 1 < -0.1


def test_every_fabric_has_a_look() -> None:
    assert set(looks()) == set(FABRICS)
    assert look("something new") == look("cotton")


@pytest.mark.parametrize("wrong", [{"weave": "none"}, {"roughness": 1.2}, {"tile": 0.0}, {"cover": -0.1}])
def test_slips_in_a_look_are_told(wrong: dict[str, float | str]) -> None:
    figures: dict[str, float | str] = {
        "weave": "plain", "tile": 0.004, "depth": 1e-4, "roughness": 0.8, "sheen": 0.1, "uneven": 0.0,
        "hem": 0.01,
    }  # fmt: skip
    with pytest.raises(ToileError):
        Look(**(figures | wrong))  # type: ignore[arg-type]

"""Picture strips of motions."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from toile.body.model.make import named_body
from toile.core.errors import ToileError
from toile.motion.track import still
from toile.render.strip import motion_strip


def test_a_strip_shows_as_many_people_as_poses(tmp_path: Path) -> None:
    body = named_body("man")
    motion_strip(body, still(body), tmp_path / "strip.png", count=3, views=["front"], height=120)
    picture = np.asarray(Image.open(tmp_path / "strip.png").convert("L"), dtype=float)
    assert picture.shape[0] == 120
    # at the height of the heads, three dark patches before the wall, whose own shade the top row shows
    dark = picture[round(0.16 * 120)] < picture[1] - 20
    assert np.sum(np.diff(dark.astype(int)) == 1) == 3


def test_strips_of_nothing_are_refused(tmp_path: Path) -> None:
    body = named_body("man")
    with pytest.raises(ToileError, match="0 poses"):
        motion_strip(body, still(body), tmp_path / "strip.png", count=0)

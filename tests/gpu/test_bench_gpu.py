"""The bench on the graphics device: cloth falls, is drawn, and nothing is claimed of software."""

import numpy as np
import pytest
from PIL import Image

from toile.cli import main
from toile.gpu.device import open_device, why_not

needs_device = pytest.mark.skipif(bool(why_not()), reason=why_not() or "-")


@needs_device
def test_the_bench_draws_what_fell_and_says_what_it_ran_on(tmp_path, capsys):
    out = tmp_path / "fallen.png"
    assert main(["bench", "gpu", "--cells", "12", "--frames", "2", "-o", str(out)]) == 0
    said = capsys.readouterr().out.splitlines()
    rows = [row.split() for row in said[1:-1]]
    assert [(row[1], row[2]) for row in rows] == [
        (parts, mode) for parts in ("all", "touched") for mode in ("20", "40", "adaptive")
    ]
    assert [row[4] for row in rows[:2]] == ["20", "40"], "sweeps of the last step"
    assert 1 <= int(rows[2][4]) <= 40
    assert ("in software" in said[-1]) == open_device().is_software
    picture = np.asarray(Image.open(out)).astype(int)
    blue = picture[..., 2] > picture[..., 0] + 20
    assert 0.03 < blue.mean() < 0.9


def test_sizes_of_the_bench_are_numbers(capsys):
    with pytest.raises(SystemExit):
        main(["bench", "gpu", "--cells", "many"])
    assert "write numbers from 2 to 1024" in capsys.readouterr().err

"""Small files that once cost minutes or gigabytes: refused in a line, in seconds, with nothing written."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SPIKE = """garment spike
units cm
panel a
  at 0 0 20
  around torso
  from 0 0
  line to 40 0
  line to 40 40
  line to 20.00001 40
  line to 20 1900
  line to 19.99999 40
  line to 0 40
  line to start
"""


def squares(count: int) -> str:
    paths = (
        f'<path d="M{3 * k} {3 * k}h{1000 - 6 * k}v{1000 - 6 * k}h-{1000 - 6 * k}z"/>' for k in range(count)
    )
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="1000mm" height="1000mm" viewBox="0 0 1000 1000">'
    return head + "".join(paths) + "</svg>"


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
from toile.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def refused(folder: Path, *words: str) -> str:
    """Return the one line that a command ends with, in little time and memory."""
    before = sorted(folder.iterdir())
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *words],
        cwd=folder, capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "TOILE_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "Traceback" not in done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("toile")]
    assert len(lines) == 1
    assert sorted(folder.iterdir()) == before
    return lines[0]


def test_a_spike_is_named(tmp_path):
    (tmp_path / "spike.txt").write_text(SPIKE)
    assert "a spike at (20.00, 1900.00) cm" in refused(tmp_path, "info", "spike.txt", "-o", "a.png")


def test_nested_squares_are_refused(tmp_path):
    (tmp_path / "nest.svg").write_text(squares(140))
    assert "lie closer together" in refused(tmp_path, "info", "nest.svg", "-o", "a.png")


@pytest.mark.parametrize("edge", ["0.000001cm", "0.05cm"])
def test_the_size_of_a_mesh_is_estimated_first(tmp_path, edge):
    (tmp_path / "square.txt").write_text(SPIKE.replace("  line to 20 1900\n", ""))
    assert "edge" in refused(tmp_path, "dress", "square.txt", "--edge", edge, "-o", "a.toile")

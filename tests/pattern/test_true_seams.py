"""Proposed seams of real production files beside their true ones, where the files are there.

The files are not ours to pass on: name a folder that holds them in TOILE_SAMPLES.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from toile.pattern.library import read_pattern
from toile.pattern.pieces.placement import propose_seams_and_places
from toile.pattern.seams.compare import seams_compared

TRUE = sorted((Path(__file__).parent / "true_seams").glob("*.seams"))
ENDINGS = (".dxf", ".DXF", ".svg")


def sample(stem: str) -> Path:
    folder = os.environ.get("TOILE_SAMPLES", "")
    if not folder:
        pytest.skip("TOILE_SAMPLES names no folder of sample files")
    for path in sorted(Path(folder).rglob(f"{stem}.*")):
        if path.suffix in ENDINGS:
            return path
    pytest.skip(f"TOILE_SAMPLES holds no {stem}")


@pytest.mark.parametrize("truth", TRUE, ids=lambda path: path.stem)
def test_true_seams_are_proposed_and_no_wrong_one_without_a_mark(truth: Path) -> None:
    path = sample(truth.stem)
    found = propose_seams_and_places(read_pattern(path, alone=True))
    score = seams_compared(found.pattern, read_pattern(path, seams=truth), found.unsure)
    assert score.right >= 0.8 * score.true
    assert score.wrong_unmarked == 0

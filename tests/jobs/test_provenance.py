"""How recordings came to be: kept with them, read back, also from before there were jobs."""

from pathlib import Path

import pytest

from toile.core.errors import ToileError
from toile.core.provenance import Provenance, provenance_from_plain
from toile.jobs.describe import Inputs
from toile.jobs.provenance import MadeBy, Told, begun_by, made_by, made_by_job
from toile.jobs.records import BranchJob, DressJob, GarmentSource, WalkJob

OLD = {
    "toile": "0.1.0",
    "asked": {
        "body": "woman", "fabric": "wool,cotton", "edge": 0.02, "motion": "run", "seconds": 2.0, "fps": 60.0,
        "skinning": "linear", "wind": [0.0, 0.0, -3.0], "rounding": 0.0, "loop": False,
        "size": "", "mesh": "triangles", "patterns": ["skirt.txt 0123456789abcdef"],
    },
}  # fmt: skip
"""the settings of a recording from before there were jobs"""


def read(settings: dict) -> MadeBy:
    return made_by(provenance_from_plain(settings, "the recording"))


def test_it_is_read_back_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "skirt.txt").write_text("garment skirt\n")
    inputs = Inputs(folder=tmp_path)
    walk = WalkJob(dress=DressJob(garments=(GarmentSource(file="skirt.txt"),)))
    branch = BranchJob(walk="skirt.txt", wind=(0, 0, 1))
    made = made_by_job(branch, inputs, begun=walk, told=Told(notes=("short",)))
    again = made_by(Provenance(toile="0.1.0", **made.fields()))
    assert (again.job, again.begun, again.walk, again.told.notes) == (branch, walk, walk, ("short",))
    assert again.same_work(branch, inputs)
    assert not again.same_work(walk, inputs)
    (tmp_path / "skirt.txt").write_text("garment other\n")
    assert not again.same_work(branch, Inputs(folder=tmp_path))


def test_options_of_old_recordings_are_understood() -> None:
    walk = read(OLD).walk
    assert walk is not None
    assert walk.dress.garments == (GarmentSource(file="skirt.txt"),)
    assert walk.dress.fabric == ("wool", "cotton")
    assert (walk.motion.named, walk.seconds, walk.wind) == ("run", 2.0, (0.0, 0.0, -3.0))
    assert read({}).walk is None
    assert read({"asked": None, "job": None}).job is None


@pytest.mark.parametrize(
    "settings",
    [
        {"asked": {"body": 3}},
        {"job": {"job": "dance"}},
        {"job": 7},
        {"inputs": [1]},
        {"told": {"jokes": ["a"]}},
    ],
)
def test_what_is_no_provenance_is_refused(settings: dict) -> None:
    with pytest.raises(ToileError, match="recording"):
        read(settings)


def test_a_file_that_is_no_walk_has_none(tmp_path: Path) -> None:
    (tmp_path / "a.toile").write_bytes(b"nothing")
    assert begun_by(tmp_path / "a.toile") is None
    assert begun_by(tmp_path / "none.toile") is None

"""Jobs that are done here: results, cancelling, going on after an interruption, the same bytes."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from toile.core.errors import ToileError
from toile.core.work import Cancelled, at_work, may_go_on, tell
from toile.jobs.describe import Inputs, job_to_json
from toile.jobs.records import BodyJob, DressJob, ExportJob, FitJob, GarmentSource, WalkJob
from toile.jobs.result import RESULT, read_result
from toile.jobs.run import run
from toile.jobs.walking import WALK, walk_into
from toile.store.record import RecordedFile, load_recording

SKIRT = DressJob(garments=(GarmentSource(draft="skirt"),), edge_length=0.04)
WALKING = WalkJob(dress=SKIRT, seconds=0.8, fps=30)
FINE = replace(SKIRT, garments=(GarmentSource(draft="dress"),), edge_length=0.02)
"""sewn for several seconds"""


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_tell_reaches_only_who_listens() -> None:
    heard: list[tuple[str, float, str]] = []
    tell("alone", 0.5)
    with at_work(lambda *words: heard.append(words)):
        tell("sewing", 2.0, "more")
        other = threading.Thread(target=tell, args=("elsewhere", 0.1))
        other.start()
        other.join()
    assert heard == [("sewing", 1.0, "more")]
    with at_work(cancel=lambda: True), pytest.raises(Cancelled):
        may_go_on("sewing")


def test_dress_into_a_folder_and_into_memory(tmp_path: Path) -> None:
    heard: list[str] = []
    result = run(SKIRT, folder=tmp_path, progress=lambda stage, done, words: heard.append(stage))
    assert result.ok
    assert result.files == ("dressed.toile",)
    assert result.facts["garments"] == ["skirt"]
    assert {"sewing", "draping", "checking"} <= set(heard)
    stored = load_recording(tmp_path / "dressed.toile")
    assert stored.garment.particle_count == result.facts["vertex_count"]
    assert stored.provenance.job == job_to_json(SKIRT)
    in_memory = run(SKIRT)
    assert np.array_equal(in_memory.value.positions, stored.positions)
    assert in_memory.facts == result.facts


def test_a_finished_result_is_not_made_again(tmp_path: Path) -> None:
    first = run(SKIRT, folder=tmp_path)
    (tmp_path / "dressed.toile").unlink()
    again = run(SKIRT, folder=tmp_path)
    assert again.to_json() == first.to_json()
    assert not (tmp_path / "dressed.toile").exists()
    # another job in the same folder is made
    assert run(replace(SKIRT, edge_length=0.07), folder=tmp_path).hash != first.hash
    (tmp_path / RESULT).write_text("{")
    with pytest.raises(ToileError, match="no result of a job"):
        read_result(tmp_path)


def cancelled_at(wanted: Callable[[str, float], bool], job: DressJob | WalkJob, folder: Path) -> float:
    """Cancel a job at a moment of its progress; return how long it then took to end [s]."""
    asked = [0.0]

    def watch(stage: str, done: float, words: str) -> None:
        if not asked[0] and wanted(stage, done):
            asked[0] = time.monotonic()

    with pytest.raises(Cancelled):
        run(job, folder=folder, progress=watch, cancel=lambda: asked[0] > 0)
    return time.monotonic() - asked[0]


@pytest.mark.parametrize("stage", ["cutting", "sewing", "draping"])
def test_cancelled_within_a_second_and_nothing_is_left(tmp_path: Path, stage: str) -> None:
    took = cancelled_at(lambda at, done: at == stage and (done > 0.1 or stage == "cutting"), FINE, tmp_path)
    assert took < 1.0
    assert list(tmp_path.iterdir()) == []


def test_a_walk_that_was_cancelled_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    run(WALKING, folder=whole)
    assert cancelled_at(lambda at, done: at == "walking" and done > 0.5, WALKING, parts) < 1.0
    with RecordedFile(parts / WALK) as recorded:
        assert not recorded.complete
    assert read_result(parts) is None
    kept = walk_into(parts / WALK, WALKING, Inputs()).kept
    assert kept is not None
    assert kept > 0
    assert digest(parts / WALK) == digest(whole / WALK)
    assert run(WALKING, folder=parts).facts == read_result(whole).facts


def test_another_walk_does_not_go_on_with_an_interrupted_one(tmp_path: Path) -> None:
    cancelled_at(lambda at, done: at == "walking" and done > 0.5, WALKING, tmp_path)
    result = run(replace(WALKING, seconds=0.2), folder=tmp_path)
    assert result.facts["frame_count"] == 6


def test_ctrl_c_leaves_a_walk_that_goes_on(tmp_path: Path) -> None:
    code = (
        "import sys, json\n"
        "from toile.jobs.describe import job_from_json\n"
        "from toile.jobs.run import run\n"
        "def watch(stage, done, words):\n"
        "    print(stage, done, flush=True)\n"
        "run(job_from_json(json.loads(sys.argv[1])), folder=sys.argv[2], progress=watch)\n"
    )
    command = [sys.executable, "-c", code, json.dumps(job_to_json(WALKING)), str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("walking") and float(line.split()[1]) > 0.4:
            process.send_signal(signal.SIGINT)
            break
    process.communicate(timeout=30)
    assert process.returncode != 0
    assert [path.name for path in tmp_path.iterdir()] == [WALK]
    assert run(WALKING, folder=tmp_path).facts["frame_count"] == 24


def test_body_fit_and_export(tmp_path: Path) -> None:
    body = run(BodyJob(body={"measures": {"height": "1.70m"}, "label": "me"}), folder=tmp_path)
    assert body.facts["measures"]["height"] == pytest.approx(1.70, abs=0.01)
    fit = run(FitJob(body={"file": str(tmp_path / "body.toile")}, garment={"draft": "tshirt"}))
    (shirt,) = fit.facts["garments"]
    assert shirt["size"] in shirt["sizes"]
    assert {row["name"] for row in shirt["sizes"]["as drawn"]} >= {"bust"}
    place = tmp_path / "dress"
    place.mkdir()
    run(SKIRT, folder=place)
    made = run(ExportJob(recording="look", format="obj"), inputs=Inputs({"look": place / "dressed.toile"}))
    assert list(made.value) == ["export.obj"]
    assert made.value["export.obj"].count(b"\nv ") > 400


def test_a_dress_from_a_recording_is_the_same_dress(tmp_path: Path) -> None:
    run(SKIRT, folder=tmp_path)
    file = str(tmp_path / "dressed.toile")
    again = run(replace(SKIRT, body={"file": file}, garments=(GarmentSource(file=file),)))
    assert np.array_equal(again.value.positions, load_recording(file).positions)


@pytest.mark.parametrize(
    ("job", "word"),
    [
        (replace(SKIRT, solver="magic"), "no solver 'magic'"),
        (replace(SKIRT, fabric="paper"), "no fabric 'paper'"),
        (replace(SKIRT, body={"named": "child"}), "no body 'child'"),
        (replace(SKIRT, garments=({"draft": "toga"},)), "no draft 'toga'"),
        (replace(SKIRT, garments=({"draft": "skirt", "size": "M"},)), "holds no sizes|a draft is made"),
        (replace(SKIRT, fabric=({"name": "mine", "mass": "heavy"},)), "mine"),
        (replace(WALKING, motion={"named": "moonwalk"}), "no motion 'moonwalk'"),
        (ExportJob(recording="nothing.toile", format="glb"), "nothing.toile"),
    ],
)
def test_wrong_names_are_one_line(tmp_path: Path, job: DressJob, word: str) -> None:
    with pytest.raises(ToileError, match=word):
        run(job, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_names_are_checked_before_work_starts(tmp_path: Path) -> None:
    heard: list[str] = []
    with pytest.raises(ToileError, match="no motion"):
        run(replace(WALKING, motion={"named": "moonwalk"}), progress=lambda at, *_: heard.append(at))
    assert "sewing" not in heard
    assert os.listdir(tmp_path) == []

"""Jobs as data: through JSON and back, refused when they are wrong, hashed by what they do."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

import toile
from job_samples import JOBS
from toile.core.errors import ToileError
from toile.jobs import describe
from toile.jobs.describe import Inputs, input_names, job_from_json, job_hash, job_to_json
from toile.jobs.records import BodySource, DressJob, GarmentSource, Job, WalkJob

SKIRT = {"job": "dress", "garments": [{"draft": "skirt"}]}


@settings(max_examples=50, deadline=None)
@given(job=JOBS)
def test_every_job_survives_json(job: Job) -> None:
    text = json.dumps(job_to_json(job), allow_nan=False)
    assert job_from_json(json.loads(text)) == job


@settings(max_examples=50, deadline=None)
@given(job=JOBS)
def test_equal_jobs_have_equal_hashes(job: Job) -> None:
    class Named(Inputs):
        def digest(self, name: str, role: str = "file") -> str:
            return name

    again = job_from_json(json.loads(json.dumps(job_to_json(job))))
    assert job_hash(job, Named()) == job_hash(again, Named())


def test_units_and_defaults_are_the_same_job() -> None:
    job = job_from_json({**SKIRT, "edge_length": "15mm", "body": {"named": "woman"}, "fabric": "cotton"})
    assert job == job_from_json(SKIRT)
    assert job.edge_length == 0.015
    measured = job_from_json({**SKIRT, "body": {"measures": {"height": "172 cm", "weight": 70}}})
    assert measured.body == BodySource(sex="female", measures={"height": 1.72, "weight": 70.0})
    styled = job_from_json({"job": "dress", "garments": [{"draft": "skirt", "style": {"length": "60cm"}}]})
    assert styled.garments[0].style == {"length": 0.6}
    drawn = job_from_json({"job": "pictures", "recording": "a.toile", "views": ["front", 90]})
    assert drawn.views == ("front", 90.0)


def walk(**dress: object) -> dict[str, object]:
    return {"job": "walk", "dress": {"garments": [{"draft": "skirt"}], **dress}}


WRONG = {
    "job: 'garments' is missing": {"job": "dress"},
    "job: nothing to wear": {"job": "dress", "garments": []},
    "job.job is 'dance'": {"job": "dance"},
    "job must be a table": [],
    "job: unknown key 'egde'": {**SKIRT, "egde": 0.01},
    "job.edge_length is 1.5: give 0.001 to 0.5 m": {**SKIRT, "edge_length": 1.5},
    "job.edge_length must be a number or a length such as 1.5cm": {**SKIRT, "edge_length": "15kg"},
    "job.edge_length must be a number": {**SKIRT, "edge_length": True},
    "job.mesh is 'hexagons': choose from triangles, grid": {**SKIRT, "mesh": "hexagons"},
    "job.garments[0]: unknown key 'colour'": {"job": "dress", "garments": [{"colour": "red"}]},
    "job.garments[0]: a garment is from a file or drafted": {"job": "dress", "garments": [{}]},
    "job.garments[0].file must be a text": {"job": "dress", "garments": [{"file": 3}]},
    "job.body: a body is named, from a file": {**SKIRT, "body": {"named": "man", "file": "a.obj"}},
    "job.body.age is 9: give 18 to 90 years": {**SKIRT, "body": {"age": 9}},
    "job.body.measures.waist must be a number": {
        **SKIRT, "body": {"measures": {"waist": "a lot"}},
    },
    "job.dress.edge_length is nan": walk(edge_length=math.nan),
    "job.wind must be a list of 3": {**walk(), "wind": [1]},
    "job.wind[1] is 1e+99": {**walk(), "wind": [0, 1e99, 0]},
    "job.frame must be a whole number": {"job": "branch", "walk": "a.toile", "frame": 1.5},
    "job.smooth is 9: give 0 to 3": {"job": "export", "recording": "a.toile", "smooth": 9},
}  # fmt: skip


@pytest.mark.parametrize("word", WRONG)
def test_what_is_wrong_is_named(word: str) -> None:
    with pytest.raises(ToileError) as caught:
        job_from_json(WRONG[word])
    assert any(str(caught.value).startswith(one) for one in word.split("|")), str(caught.value)
    assert "\n" not in str(caught.value)


def test_ranges_hold_in_python_too() -> None:
    with pytest.raises(ToileError, match="edge_length is 2: give"):
        DressJob(garments=(GarmentSource(draft="skirt"),), edge_length=2)


def dress_of(name: str) -> DressJob:
    return DressJob(garments=(GarmentSource(file=name),))


def test_the_hash_is_of_content_not_of_names(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("garment a\n")
    (tmp_path / "b.txt").write_text("garment a\n")
    (tmp_path / "c.txt").write_text("garment c\n")
    inputs = Inputs(folder=tmp_path)
    a, b, c = (job_hash(dress_of(f"{name}.txt"), inputs) for name in "abc")
    assert a == b
    assert a != c
    # a name for a file that lies elsewhere
    assert job_hash(dress_of("mine"), Inputs({"mine": tmp_path / "b.txt"})) == a
    (tmp_path / "a.txt").write_text("garment d\n")
    assert job_hash(dress_of("a.txt"), inputs) != a


def test_the_hash_sees_files_beside_a_pattern(tmp_path: Path) -> None:
    (tmp_path / "a.dxf").write_text("0\nSECTION\n")
    before = job_hash(dress_of("a.dxf"), Inputs(folder=tmp_path))
    (tmp_path / "a.seams").write_text("seam …\n")
    assert job_hash(dress_of("a.dxf"), Inputs(folder=tmp_path)) != before


def test_the_hash_sees_every_setting_and_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    job = WalkJob(dress=DressJob(garments=(GarmentSource(draft="skirt"),)))
    others = [
        replace(job, seconds=4.5), replace(job, wind=(0, 0, 1)), replace(job, loop=True), job.dress,
        replace(job, dress=replace(job.dress, edge_length=0.016)),
        replace(job, dress=replace(job.dress, tune={"iterations": 3})),
    ]  # fmt: skip
    hashes = [job_hash(one) for one in (job, *others)]
    assert len(set(hashes)) == len(hashes)
    monkeypatch.setattr(toile, "__version__", "99")
    assert job_hash(job) not in hashes


def test_a_hash_that_must_not_change_by_accident(monkeypatch: pytest.MonkeyPatch) -> None:
    # results of earlier runs would all be computed again: change this number only on purpose
    monkeypatch.setattr(toile, "__version__", "0.1.0")
    assert describe.job_hash(job_from_json(SKIRT))[:16] == "17b4ffd3cb1b6404"


def test_inputs_are_only_those_that_were_given(tmp_path: Path) -> None:
    job = WalkJob(dress=dress_of("a.txt"), motion={"file": "b.bvh"})
    assert input_names(job) == ["a.txt", "b.bvh"]
    with pytest.raises(ToileError, match="was not given"):
        Inputs({"b.bvh": tmp_path}).path("a.txt")
    for name in ("../a.txt", "/etc/passwd", "x/../../a.txt"):
        with pytest.raises(ToileError, match="outside"):
            Inputs(folder=tmp_path).path(name)

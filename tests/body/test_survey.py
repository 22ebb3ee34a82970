"""Measuring foreign meshes by their geometry alone."""

import os
from pathlib import Path

import numpy as np
import pytest

from toile.body.measure.mesh_measures import measure_mesh
from toile.body.model.make import make_body, named_body
from toile.core.errors import ToileError

SAMPLE = Path(os.environ.get("TOILE_SAMPLES", "")) / "garmentcode_mean_female.obj"
SAME = ("bust", "underbust", "waist", "hips", "wrist")
YAML_GIRTHS = {name: name for name in SAME} | {"thigh": "leg_circ"}


@pytest.mark.parametrize("who", ["man", "stout woman"])
def test_geometry_agrees_with_landmarks(who):
    body = named_body("man") if who == "man" else make_body("female", height=1.6, waist=0.9)
    found = measure_mesh(body.vertices, body.triangles)
    for name in ("height", "bust", "waist", "hips", "thigh", "calf", "wrist", "neck", "inseam"):
        assert found[name] == pytest.approx(body.measurements[name], abs=0.03), name
    for name in ("height", "hips", "calf"):
        assert found[name] == pytest.approx(body.measurements[name], abs=0.01), name


def test_place_and_facing_do_not_matter():
    body = named_body("woman")
    turned = body.vertices * np.array([-1.0, 1.0, -1.0]) + np.array([3.0, -0.4, 1.0])
    here, there = measure_mesh(body.vertices, body.triangles), measure_mesh(turned, body.triangles)
    for name in ("height", "bust", "underbust", "waist", "hips", "neck", "calf"):
        assert there[name] == pytest.approx(here[name], abs=0.004), name


def test_a_pole_is_no_person():
    body = named_body("woman")
    with pytest.raises(ToileError, match="pole"):
        measure_mesh(
            body.vertices * np.array([1e-3, 1.0, 1e-3]) + np.array([0, 0, 0]), body.triangles[:2000], "pole"
        )


@pytest.mark.skipif(not SAMPLE.is_file(), reason="TOILE_SAMPLES does not hold the sample body")
def test_sample_body_agrees_with_its_own_table():
    lines = SAMPLE.read_text().splitlines()
    vertices = np.array([line.split()[1:4] for line in lines if line.startswith("v ")], float)
    faces = [[int(w.split("/")[0]) - 1 for w in line.split()[1:]] for line in lines if line.startswith("f ")]
    triangles = np.array([[f[0], f[i], f[i + 1]] for f in faces for i in range(1, len(f) - 1)], np.int32)
    table = dict(line.split(":") for line in SAMPLE.with_suffix(".yaml").read_text().split("\n")[1:] if line)
    wanted = {key.strip(): float(value) / 100 for key, value in table.items()}
    found = measure_mesh(vertices, triangles)
    for ours, theirs in YAML_GIRTHS.items():
        assert found[ours] == pytest.approx(wanted[theirs], abs=0.015), ours

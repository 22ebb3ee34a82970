"""``toile body`` and ``toile measure``."""

from pathlib import Path

import numpy as np
import pytest

from toile.audit.check import audit_drape
from toile.body.model.make import load_body, named_body
from toile.cli import main
from toile.export.gltf_motion import write_body_glb
from toile.motion.library import read_motion
from toile.motion.retargeting.retarget import retarget
from toile.store.record import load_recording


def test_body_from_measures(tmp_path, capsys):
    path = tmp_path / "me.toile"
    asked = {"sex": "female", "height": "172", "bust": "92", "waist": "74", "hips": "100", "inseam": "79cm"}
    words = [word for name, value in asked.items() for word in (f"--{name}", value)]
    assert main(["body", *words, "-o", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "waist" in shown
    assert "74.0 cm" in shown
    body = load_body(path)
    assert body.name == "me"
    assert abs(body.measurements["hips"] - 1.0) < 0.002
    assert main(["measure", str(path)]) == 0
    assert "172.0 cm" in capsys.readouterr().out


def test_impossible_body_is_one_line_and_no_file(tmp_path, capsys):
    path = tmp_path / "me.toile"
    assert main(["body", "--waist", "165", "--hips", "100", "-o", str(path)]) == 2
    error = capsys.readouterr().err
    assert "waist 165.0 cm does not go with hips 100.0 cm" in error
    assert error.count("\n") == 1
    assert not path.exists()


def test_a_miss_is_told_and_the_nearest_body_written(tmp_path, capsys):
    path = tmp_path / "me.toile"
    measures = ["--underbust", "72", "--waist", "83", "--bust", "99"]
    assert main(["body", *measures, "-o", str(path)]) == 0
    assert "warning: no female body has all these measures" in capsys.readouterr().err
    assert path.exists()


def test_measures_that_are_met_by_a_body_like_nobody_are_told(tmp_path, capsys):
    path = tmp_path / "me.toile"
    assert main(["body", "--height", "145", "--weight", "160", "-o", str(path)]) == 0
    assert (
        "warning: hardly any female body has weight 160.0 kg with height 145.0 cm" in capsys.readouterr().err
    )
    assert path.exists()


def test_measures_and_file_together_are_refused(capsys):
    assert main(["body", "woman", "--height", "170"]) == 2
    assert "not both" in capsys.readouterr().err
    assert main(["measure", "body.stl"]) == 2
    assert "no such file" in capsys.readouterr().err


@pytest.fixture(scope="module")
def scan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A man as a scan: Wavefront file in centimetres, z up."""
    body, path = named_body("man"), tmp_path_factory.mktemp("scan") / "scan.obj"
    x, y, z = 100 * body.vertices.T
    lines = [f"v {a:.4f} {b:.4f} {c:.4f}" for a, b, c in zip(x, -z, y, strict=True)]
    lines += [f"f {a} {b} {c}" for a, b, c in body.triangles + 1]
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(scope="module")
def avatar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A woman with a Mixamo skeleton, stored in the first pose of her walk."""
    body, path = named_body("woman", rig="mixamo"), tmp_path_factory.mktemp("avatar") / "avatar.glb"
    write_body_glb(body, retarget(read_motion("walk", fps=30.0), body), path)
    return path


def test_a_scan_is_drawn_and_dressed(scan, tmp_path, capsys):
    picture, out = tmp_path / "me.png", tmp_path / "me.toile"
    assert main(["body", str(scan), "-o", str(out), "--picture", str(picture)]) == 0
    assert "scan: unit cm, height 178" in capsys.readouterr().out
    assert picture.stat().st_size > 50_000
    skirt, dressed = tmp_path / "skirt.txt", tmp_path / "dressed.toile"
    assert main(["draft", "skirt", "--body", str(out), "-o", str(skirt)]) == 0
    # 4 cm are coarse: the audit may complain, the file is written all the same
    # the body, not the scan again: both commands open it by the same function, and to find it takes long
    assert main(["dress", str(skirt), "--body", str(out), "--edge", "4cm", "-o", str(dressed)]) in (0, 1)
    recording = load_recording(dressed)
    assert np.abs(recording.body.vertices - load_body(out).vertices).max() < 1e-9
    assert audit_drape(recording).inside_deep_count == 0
    # the skirt hangs from the scan's own waist
    top = recording.positions[-1][:, 1].max()
    assert top == pytest.approx(named_body("man").measurements["waist_height"], abs=0.05)


def test_an_avatar_walks_by_its_own_clip(avatar, tmp_path):
    skirt, walked = tmp_path / "skirt.txt", tmp_path / "walk.toile"
    assert main(["draft", "skirt", "--body", str(avatar), "-o", str(skirt)]) == 0
    words = [str(skirt), "--body", str(avatar), "--motion", str(avatar), "--edge", "5cm"]
    assert main(["walk", *words, "--seconds", "0.2", "--fps", "30", "-o", str(walked)]) in (0, 1)
    recording = load_recording(walked)
    assert len(recording.positions) >= 6
    assert np.isfinite(recording.positions).all()
    assert "mixamorig:LeftUpLeg" in recording.body.skeleton.names
    # she goes ahead, and the skirt with her
    assert np.ptp(recording.body_vertices[:, :, 2].mean(axis=1)) > 0.05
    assert np.ptp(recording.positions[:, :, 2].mean(axis=1)) > 0.05

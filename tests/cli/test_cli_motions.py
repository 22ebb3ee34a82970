"""``toile motion`` as a user meets it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from toile.body.avatar.read import clip_names, read_avatar, read_clip
from toile.body.model.make import load_body, named_body
from toile.cli.main import main
from toile.export.gltf_motion import write_body_glb
from toile.motion.files.bvh import read_bvh
from toile.motion.kinematics import joint_positions
from toile.motion.library import read_motion
from toile.motion.retargeting.retarget import retarget
from toile.motion.track import motion_of, pose_at


def test_motion_tells_numbers_and_writes_bvh(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "walk.bvh"
    assert main(["motion", "walk", "--body", "man", "--cadence", "100", "--fps", "30", "-o", str(out)]) == 0
    told = capsys.readouterr().out
    assert "1.20 s, a loop" in told
    assert "feet slide at most" in told
    assert f"wrote {out}" in told
    assert read_bvh(out).duration == pytest.approx(1.2, abs=1e-3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["moonwalk"], "moonwalk"),
        (["walk", "--cadence", "1000"], "cadence"),
        (["idle", "--cadence", "100"], "cadence"),
        (["walk", "-o", "walk.avi"], ".bvh or .glb"),
        (["walk", "--fps", "0"], "frames per second"),
        (["missing.bvh"], "missing.bvh"),
        (["walk", "--body", "nobody"], "nobody"),
    ],
)
def test_bad_requests_are_one_line(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["motion", *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


def test_a_body_goes_out_as_glb_and_comes_back(tmp_path: Path) -> None:
    body = named_body("woman")
    track = retarget(read_motion("walk", fps=30.0), body)
    path = tmp_path / "woman.glb"
    write_body_glb(body, track, path)
    back = read_avatar(path)
    assert back.skeleton.names[0] == body.skeleton.names[0]
    # the file stands in the walk's first pose; the bind matrices still tell the rest pose
    order = [back.skeleton.names.index(name) for name in body.skeleton.names]
    mine, theirs = body.skeleton.world_from_joint[:, :3, 3], back.skeleton.world_from_joint[order, :3, 3]
    middle = (mine[0] - theirs[0]) * np.array([1.0, 0.0, 1.0])
    assert np.abs(mine - theirs - middle).max() < 0.004
    assert clip_names(path) == ("walk",)
    clip = read_clip(path)
    at = joint_positions(clip)[:, order]
    want = np.stack([pose_at(track, frame / clip.fps)[:, :3, 3] for frame in range(len(at))])
    # between frames the file goes straight where the track goes round
    assert np.abs(at - want).max() < 0.005


def test_a_track_as_a_motion_is_the_same_motion() -> None:
    body = named_body("man")
    track = retarget(read_motion("walk", fps=30.0), body)
    at = joint_positions(motion_of(body, track))
    assert np.abs(at - track.world_from_joint[:, :, :3, 3]).max() < 1e-9


def test_bones_of_unknown_names_by_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = tmp_path / "walk.bvh"
    assert main(["motion", "walk", "--body", "man", "--fps", "30", "-o", str(known)]) == 0
    text = known.read_text()
    names = {"left_thigh": "LeftUpLeg", "left_shin": "LeftLeg", "left_foot": "LeftFoot"}
    for number, name in enumerate(names.values()):
        text = text.replace(f"JOINT {name}\n", f"JOINT Bone{number}\n")
    strange = tmp_path / "strange.bvh"
    strange.write_text(text)
    capsys.readouterr()
    assert main(["motion", str(strange), "--body", "man"]) == 2
    assert "no bone found for left_thigh" in capsys.readouterr().err
    pairs = ",".join(f"{part}=Bone{number}" for number, part in enumerate(names))
    assert main(["motion", str(strange), "--body", "man", "--bones", pairs]) == 0
    by_pairs = capsys.readouterr().out
    table = tmp_path / "bones.json"
    table.write_text(json.dumps({part: f"Bone{number}" for number, part in enumerate(names)}))
    assert main(["motion", str(strange), "--body", "man", "--bones", str(table)]) == 0
    assert capsys.readouterr().out == by_pairs
    assert main(["motion", str(known), "--body", "man"]) == 0
    # the same numbers as with the known names
    assert by_pairs.split("\n")[1:] == capsys.readouterr().out.split("\n")[1:]


def test_an_avatar_with_strange_bones_keeps_the_tables_names(tmp_path: Path) -> None:
    man = named_body("man")
    strange = {"LeftUpLeg": "Bone.1", "RightUpLeg": "Bone.2"}
    names = tuple(strange.get(name, name) for name in man.skeleton.names)
    body = replace(man, skeleton=replace(man.skeleton, names=names))
    path, out = tmp_path / "avatar.glb", tmp_path / "me.toile"
    write_body_glb(body, retarget(read_motion("idle", fps=30.0), man), path)
    assert main(["body", str(path), "-o", str(out)]) == 2
    assert main(["body", str(path), "--bones", "left_thigh=Bone.1,right_thigh=Bone.2", "-o", str(out)]) == 0
    assert {"part:left_thigh", "part:right_thigh"} <= set(load_body(out).skeleton.names)
    # what was named once is known from then on
    assert retarget(read_motion("walk", fps=30.0), load_body(out)).report["foot_slide"] < 0.01

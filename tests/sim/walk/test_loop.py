"""Walks that become loops: they close, stay on the spot, and end at the same frame when they are resumed."""

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import toile
from gltf_reader import Document
from toile.cli import main
from toile.core.container import Reader
from toile.core.errors import ToileError
from toile.core.records import Body, Recording
from toile.export.library import export
from toile.geometry.rotation import multiply, rotate
from toile.motion.library import read_motion
from toile.motion.retargeting.retarget import retarget
from toile.motion.track import Track, pose_at
from toile.sim.walk import loop as loops
from toile.sim.walk.animate import plan_walk
from toile.sim.walk.loop import close_loop, closure_in, loop_plan, travel
from toile.sim.walk.stream import record_walk, resume_walk
from toile.sim.walk.walker import AnimateSettings, Plan
from toile.store.record import RecordedFile


@pytest.fixture(scope="module")
def dressed() -> tuple[Recording, Body]:
    body = toile.named_body("woman")
    return toile.dress([toile.draft("skirt", body.measurements)], body, edge_length=0.07), body


@pytest.fixture(scope="module")
def plan(dressed: tuple[Recording, Body]) -> Plan:
    settings = AnimateSettings(fps=15, seconds=1, lead=0.3)
    made = loop_plan(plan_walk(*dressed, toile.read_motion("walk"), settings=settings))
    # two rounds and a bit: enough to choose from
    short = replace(made.settings, seconds=(2 * made.loop_frames + 6) / 15)
    return replace(made, settings=short)


@pytest.fixture(scope="module")
def walked(dressed: tuple[Recording, Body], plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("loop") / "walk.toile"
    record_walk(path, dressed[0].garment, dressed[1], plan)
    return path


def test_the_last_frame_runs_into_the_first(walked: Path, plan: Plan, tmp_path: Path) -> None:
    seam = close_loop(walked, tmp_path / "loop.toile", plan)
    frames = plan.loop_frames
    assert frames == round(read_motion("walk").duration * 15)
    with RecordedFile(tmp_path / "loop.toile") as recorded:
        assert (len(recorded), recorded.complete) == (frames, True)
        assert closure_in(recorded.provenance) == seam
        shown = [recorded.frame(n) for n in range(frames)]
        assert "stretch_mean" in recorded.notes(3)
    # two rounds of a skirt differ, yet the step over the seam is hardly rougher than steps elsewhere. How
    # they differ is chance: skirts dressed a hair otherwise gave 0.9 to 1.3 of the usual step. (Without
    # blending it can be as short by chance: at 15 fps a step is mostly the walk itself.)
    assert seam.apart > 0.005
    assert seam.jump < 1.5 * seam.usual
    # the joints go on over the seam exactly as within the loop
    roots = np.array([frame.extra["world_from_joint"][0, :3, 3] for frame in [*shown, *shown]])
    assert np.abs(np.diff(roots, 3, axis=0)).max(axis=1)[frames - 3 : frames].max() < 0.02
    assert np.abs(roots[:, [0, 2]] - roots[0, [0, 2]]).max() < 0.15  # on the spot


def test_a_blended_end_leads_to_the_simulated_step(walked: Path, plan: Plan) -> None:
    with RecordedFile(walked) as recorded:
        loop = loops.Loop(loops.Rounds(recorded, plan))
        start = loop._end - plan.loop_frames + 1
        # a blend that ends fully in the round before would end in the frame before the loop's first
        last, before = loop.frame(plan.loop_frames - 1), recorded.frame(start - 1)
        step = recorded.frame(start).position - before.position
        travelled = travel(plan.track, plan.loop_frames, 1 / plan.loop_frames)[:3, 3]
        shown = loop.frame(0).position - last.position + travelled
        assert (
            np.percentile(np.linalg.norm(shown - step, axis=1), 99)
            < 0.15 * loop._rounds.apart(loop._end).max()
        )


@pytest.mark.parametrize("name", ["walk", "turn"])
def test_what_a_round_travels(name: str) -> None:
    body = toile.named_body("woman")
    track = retarget(read_motion(name), body, fps=24)
    track = replace(track, fps=24.0)
    bent = _bent(track)
    for one in (track, bent):
        frames = one.frame_count - 1
        whole, half = travel(one, frames), travel(one, frames, 0.5)
        np.testing.assert_allclose(half @ half, whole, atol=1e-9)
        np.testing.assert_allclose(whole @ pose_at(one, 5 / 24), pose_at(one, (5 + frames) / 24), atol=1e-6)
        np.testing.assert_allclose(travel(one, 2 * frames), whole @ whole, atol=1e-9)


def _bent(track: Track) -> Track:
    """Return the track going round a bend."""
    angle = np.linspace(0, 0.7, track.frame_count)
    turn = np.stack([np.cos(angle / 2), 0 * angle, np.sin(angle / 2), 0 * angle], axis=1)
    turns = np.array(track.rotations)
    turns[:, 0] = multiply(turn, turns[:, 0])
    return replace(track, rotations=turns, root=rotate(turn, track.root))


def test_a_walk_that_repeats_itself_ends_there_also_when_resumed(
    dressed: tuple[Recording, Body], plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loops, "CLOSE", 1.0)
    whole, cut = tmp_path / "whole.toile", tmp_path / "cut.toile"
    short = replace(plan, checkpoint_every=plan.loop_frames)
    record_walk(whole, dressed[0].garment, dressed[1], short)
    with Reader(whole) as reader:
        assert len(reader) == 2 * plan.loop_frames
        ends = [reader.frame_end(n) for n in (2 * plan.loop_frames, plan.loop_frames + 3)]
    # killed right after the last frame, before the file was finished; and in the middle
    for end in ends:
        cut.write_bytes(whole.read_bytes()[:end])
        resume_walk(cut)
        assert hashlib.sha256(cut.read_bytes()).digest() == hashlib.sha256(whole.read_bytes()).digest()


def test_a_glb_ends_with_its_first_frame(walked: Path, plan: Plan, tmp_path: Path) -> None:
    close_loop(walked, tmp_path / "loop.toile", plan)
    export(tmp_path / "loop.toile", tmp_path / "loop.glb")
    document = Document(tmp_path / "loop.glb")
    times = document.accessor(document.json["animations"][0]["samplers"][0]["input"])
    assert len(times) == plan.loop_frames + 1
    for sampler in document.json["animations"][0]["samplers"]:
        values = document.accessor(sampler["output"]).reshape(len(times), -1)
        np.testing.assert_allclose(values[-1], values[0], atol=1e-6)


def test_motions_and_walks_that_do_not_loop_are_refused(walked: Path, plan: Plan, tmp_path: Path) -> None:
    with pytest.raises(ToileError, match="does not repeat itself"):
        loop_plan(replace(plan, track=replace(plan.track, loop=False)))
    with pytest.raises(ToileError, match="not two rounds"):
        close_loop(walked, tmp_path / "no.toile", replace(plan, loop_frames=plan.loop_frames + 40))
    assert not list(tmp_path.iterdir())


def test_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loops, "CLOSE", 1.0)
    monkeypatch.chdir(tmp_path)
    assert main(["draft", "skirt", "-o", "skirt.txt"]) == 0
    asked = ["walk", "skirt.txt", "--edge", "8cm", "--fps", "15", "--loop", "-o", "loop.toile"]
    code = main(asked)
    first, told = Path("loop.toile").read_bytes(), capsys.readouterr().out
    # so coarse a skirt crosses the skin: the command must not claim success
    assert code == int("FAILED" in told) == 1
    assert "loop             16 frames" in told
    assert "seam             jump" in told
    assert main([*asked, "--resume"]) == 1
    assert Path("loop.toile").read_bytes() == first
    assert "seam             jump" in capsys.readouterr().out
    assert main(["walk", "skirt.txt", "--loop", "--over", "loop.toile", "-o", "x.toile"]) == 2
    assert "--loop" in capsys.readouterr().err

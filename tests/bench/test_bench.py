import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from folders import ROOT
from toile.bench import peers, scaling
from toile.bench.engine import irregular_cloth, line, memory_use, projection_time, run_trial, stepped
from toile.bench.peer_scene import dummy_motion, moved
from toile.bench.peers import PEERS, Peer, installed, measured, run_peer
from toile.bench.scenes import (
    ball_trial,
    dummy_body,
    dummy_mesh,
    dummy_pose,
    hanging_trial,
    skirt_cloth,
    skirt_trial,
    tube_trial,
)
from toile.cli import main
from toile.cli.bench import chosen_peers
from toile.core.errors import ToileError
from toile.geometry.triangles import stretch_statistics
from toile.sim.solvers.xpbd import QUALITIES, XpbdSettings, XpbdSolver

DRAFT = XpbdSettings(quality="draft")
FOLDER = Path(peers.__file__).parent


def test_every_benchmark_can_be_loaded() -> None:
    folder = ROOT / "benchmarks"
    names = sorted(path.stem for path in folder.glob("*.py"))
    assert len(names) > 10
    # in a process of its own: what is loaded would count as memory of the engine
    words = [sys.executable, "-c", f"import {', '.join(names)}"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_dummy_is_closed_and_faces_outward() -> None:
    vertices, triangles = dummy_mesh()
    assert len(triangles) == 14_688
    sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    assert (np.unique(sides, axis=0, return_counts=True)[1] == 2).all()
    a, b, c = vertices[triangles.T]
    assert np.einsum("ti,ti->t", a, np.cross(b, c)).sum() / 6 == pytest.approx(0.065, abs=0.02)


def test_a_skirt_starts_without_stretch_and_outside() -> None:
    garment, x, rim = skirt_cloth(800)
    found = stretch_statistics(x, garment.triangles, garment.uv, garment.triangles_uv)
    assert found.percentile_99 < 0.06
    trial = skirt_trial(800, DRAFT)
    assert trial.depth(x, 0).max() <= 0
    assert len(rim) > 20


@pytest.mark.parametrize(
    "make", [lambda: ball_trial(20, DRAFT), lambda: hanging_trial(20, DRAFT), lambda: tube_trial(600, DRAFT)]
)
def test_scenes_stay_clean(make) -> None:
    row = run_trial(make(), 25, 1.0)
    assert row.milliseconds > 0
    assert row.inside == 0
    assert 0 < row.stretch_99 < 0.15
    assert row.scene.split()[0] in line(row)


def test_the_skirt_keeps_off_the_moving_dummy() -> None:
    row = run_trial(skirt_trial(800, DRAFT, self_collision=True), 20, 1.0)
    assert row.inside == 0
    assert row.faces == 14_688


def test_peers_see_the_dummy_move_as_we_do() -> None:
    body = dummy_body()
    for when in (0.0, 0.3, 1.4):
        np.testing.assert_allclose(moved(body.vertices, when), dummy_pose(body.vertices, when), atol=1e-12)
    assert dummy_motion(0.0) == (0.0, 0.0)


def test_figures_of_the_engine() -> None:
    count, nanoseconds = projection_time(20)
    assert count > 1000
    assert nanoseconds > 0


def test_memory_of_the_engine() -> None:
    for found, most in zip(memory_use(60), (300, 280), strict=True):
        held = sum(found.parts.values())
        assert 200 < held < most
        # the system counts pages; little is kept that the kernel does not know of
        assert found.resident < held + 100
        assert "patches" in found.lines()[1]


def test_memory_of_cloth_that_16_bits_do_not_count() -> None:
    garment = irregular_cloth(240)
    assert garment.particle_count > 65_536
    assert 200 < sum(stepped(garment).memory.values()) / garment.particle_count < 290


def test_quality_decides_how_much_cloth_stretches() -> None:
    stretch = {}
    for name in QUALITIES:
        trial = hanging_trial(24, XpbdSettings(quality=name))
        state, solver, seen = trial.start, XpbdSolver(trial.garment), []
        for frame in range(1, 31):
            state = trial.frame(state, frame)
            seen.append(solver.stretch(state.position)[1])
        # of the whole swing: in a single frame it is chance
        stretch[name] = np.mean(seen)
    assert stretch["fine"] < stretch["normal"] < stretch["draft"]


def test_an_unknown_quality_lists_the_choices() -> None:
    with pytest.raises(ToileError, match="draft, normal, fine"):
        XpbdSettings(quality="best")


def test_quick_numbers_can_be_kept(tmp_path, capsys, monkeypatch) -> None:
    row = run_trial(ball_trial(12, DRAFT), 3, 1.0)
    monkeypatch.setattr("toile.bench.engine.run_engine", lambda settings, report, quick: [row])
    monkeypatch.setattr("toile.bench.engine.projection_time", lambda cells: (1, 1.0))
    assert main(["bench", "engine", "--quick", "-o", str(tmp_path / "e.json")]) == 0
    assert json.loads((tmp_path / "e.json").read_text())[0]["scene"] == "ball 12²"


def test_scaling_is_fitted_and_drawn(tmp_path, capsys, monkeypatch) -> None:
    made = scaling.curves(DRAFT, cells=(8, 12), dummies=((18, 26),), frames=3)
    assert [cost.size for curve in made for cost in curve.costs] == [64, 144, 936]
    assert all(cost.milliseconds >= 0 for curve in made for cost in curve.costs)
    squares = tuple(scaling.Cost(n, 0.3 * n**1.5) for n in (10, 100, 1000))
    known = scaling.Curve("cloth", "vertices", squares)
    assert known.exponent == pytest.approx(1.5)
    monkeypatch.setattr("toile.bench.scaling.curves", lambda settings: [known])
    assert main(["bench", "engine", "--scaling", str(tmp_path / "cost.png")]) == 0
    assert "vertices^1.50" in capsys.readouterr().out
    with Image.open(tmp_path / "cost.png") as picture:
        assert picture.width > 400


def test_the_fabric_itself_is_shown_beside_the_simulators() -> None:
    figures = list(peers.compare({}, frames=3, cells=24, settings=XpbdSettings(), truth=True))
    assert [f.who for f in figures] == ["toile", "converged"] * 2
    for ours, truth in (figures[:2], figures[2:]):
        assert truth.scene == ours.scene
        assert truth.deepest == 0.0
        # falls as ours does, within 2 mm
        assert truth.height == pytest.approx(ours.height, abs=2e-3)


def test_peers_that_are_missing_are_named(monkeypatch, capsys) -> None:
    monkeypatch.setattr("toile.bench.peers.finds", lambda python, package: package == "mujoco")
    assert main(["bench", "peers", "--only", "mujoco,blender"]) == 2
    assert "not installed: pip install bpy" in capsys.readouterr().err
    monkeypatch.setattr("toile.bench.peers.finds", lambda python, package: False)
    assert main(["bench", "peers"]) == 2
    assert "pip install bpy newton mujoco taichi" in capsys.readouterr().err
    assert main(["bench", "peers", "--only", "maya"]) == 2
    assert "no peer 'maya'" in capsys.readouterr().err


def test_a_python_that_is_none_is_named(capsys) -> None:
    assert main(["bench", "peers", "--python", "/no/python"]) == 2
    assert "--python /no/python" in capsys.readouterr().err


def test_the_slowest_peer_runs_only_when_asked_for(monkeypatch) -> None:
    monkeypatch.setattr("toile.bench.peers.finds", lambda python, package: True)
    assert "newton-vbd" not in chosen_peers("", ["python"])
    assert chosen_peers("newton-vbd", ["python"]) == {"newton-vbd": "python"}
    assert all((FOLDER / f"{peer.runner}.py").is_file() for peer in PEERS.values())


@pytest.mark.parametrize("name", list(PEERS))
def test_a_peer_answers(name: str) -> None:
    if name not in installed():
        pytest.skip(f"{name} is not installed")
    found = run_peer(name, ball_trial(12, DRAFT), "ball", 4)
    assert found.milliseconds > 0, found.note
    assert found.stretch_mean < 0.5


def test_a_runner_needs_only_numpy(tmp_path, monkeypatch) -> None:
    """A peer of our own: it lets the cloth fall freely; the answer is measured as any peer's."""
    runner = tmp_path / "bench" / "peer_fall.py"
    runner.parent.mkdir()
    (runner.parent / "peer_scene.py").write_text((FOLDER / "peer_scene.py").read_text())
    runner.write_text(
        "from toile.bench.peer_scene import START, serve\n"
        "def run(scene, watch):\n"
        "    import sys\n"
        "    assert 'scipy' not in sys.modules\n"
        "    x = scene['start'].copy()\n"
        "    def frame(number):\n"
        "        x[:, 1] = -0.5 * 9.81 * (number * watch.dt) ** 2\n"
        "    watch.film(frame, lambda: x, untimed=1)\n"
        "    return 'v1', START\n"
        "serve(run)\n"
    )
    monkeypatch.setattr("toile.bench.peers.__file__", str(tmp_path / "bench" / "peers.py"))
    monkeypatch.setitem(PEERS, "fall", Peer("numpy", "peer_fall"))
    trial = ball_trial(12, DRAFT)
    found = run_peer("fall", trial, "ball", 12)
    assert found.note == "v1"
    assert found.stretch_99 == pytest.approx(0.0, abs=1e-9)
    assert found.height == pytest.approx(-0.5 * 9.81 * 0.2**2)
    # the ball's top is 5 cm under the cloth: after 0.2 s the cloth is through it
    assert found.deepest == pytest.approx(
        trial.depth(trial.start.position - [0, 0.1962, 0], 12).max(), abs=1e-6
    )


def test_a_peer_that_blows_up_is_said_so_and_not_timed() -> None:
    trial = ball_trial(8, DRAFT)
    good = measured("peer", trial, {1: trial.start.position}, 5.0, "v1", flat=False)
    assert (good.milliseconds, good.note) == (5.0, "v1")
    for lost in (1e4, np.nan):
        seen = {1: trial.start.position * lost, 2: trial.start.position}
        bad = measured("peer", trial, seen, 5.0, "v1", flat=True)
        assert np.isnan(bad.milliseconds)
        assert bad.note == "v1: blew up"


def test_stretch_is_measured_against_what_a_peer_took_as_rest() -> None:
    trial = skirt_trial(600, DRAFT)
    seen = {1: 1.02 * trial.start.position}
    assert measured("peer", trial, seen, 1.0, "", flat=False).stretch_mean == pytest.approx(0.02, abs=1e-9)
    assert measured("peer", trial, seen, 1.0, "", flat=True).stretch_99 > 0.021

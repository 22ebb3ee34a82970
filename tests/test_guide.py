"""The guide alone is enough: the solver and the collider of CONTRIBUTING.md, as they stand on the page."""

import importlib.util
import math
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import toile
from cloth_samples import COTTON, lying, sheet
from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose
from toile.core.records import LIMBS, Scene, State
from toile.sim.colliders.contacts import COLLIDERS, make_collider
from toile.sim.colliders.shapes import incline
from toile.sim.solvers.table import SOLVERS, make_solver

GUIDE = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
G = 9.81


def from_guide(folder: Path, name: str) -> tuple[str, tuple[Any, Any]]:
    """Return the name and the table line of a method: its file and its line as the guide gives them."""
    found = re.search(rf"```python\n(# src/toile/sim/\w+/{name}\.py\n.*?)```", GUIDE, re.DOTALL)
    line = re.search(rf'`"({name})": \((\w+), (\w+)\),`', GUIDE)
    assert found, f"the guide has no file {name}.py"
    assert line, f"the guide has no line for the table of {name}"
    path = folder / f"{name}.py"
    path.write_text(found[1], encoding="utf-8")
    spec = importlib.util.spec_from_file_location(f"guide_{name}", path)
    assert spec
    assert spec.loader
    module: ModuleType = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return line[1], (getattr(module, line[2]), getattr(module, line[3]))


@pytest.fixture(autouse=True)
def registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for table, method in ((SOLVERS, "jacobi"), (COLLIDERS, "barrel")):
        monkeypatch.setitem(table, *from_guide(tmp_path, method))


@pytest.mark.parametrize(("slope", "friction"), [(0.5, 0.3), (0.35, 0.0), (0.2, 0.3)])
def test_cloth_slides_down_an_incline_or_grips(slope: float, friction: float) -> None:
    cloth = sheet(5, 5, 0.04, 0.04, COTTON)
    engine = make_solver("jacobi", cloth, friction=friction, thickness=0.0, sweeps=4)
    down = np.array([math.cos(slope), -math.sin(slope), 0.0])
    flat = lying(cloth)
    start = flat[:, :1] * down + flat[:, 2:] * [0.0, 0.0, 1.0]
    scene = Scene(None, incline(slope), np.array([0.0, -G, 0.0]), np.zeros(3))
    state = State(start, np.zeros_like(start))
    for _ in range(30):
        state = engine.step(state, scene, 1 / 60)
    # x = ½ g (sin α − μ cos α) t² with t = ½ s; nothing where tan α < μ
    want = 0.125 * G * max(math.sin(slope) - friction * math.cos(slope), 0.0)
    assert ((state.position - start) @ down).mean() == pytest.approx(want, rel=0.01, abs=1e-4)


def test_a_skirt_drapes_round_the_barrel() -> None:
    woman = named_body("woman")
    skirt = toile.draft("skirt", woman.measurements, length=0.4)
    worn = toile.dress(
        [skirt], woman, edge_length=0.05, solver="jacobi", collider="barrel", tune={"reach": 0.03}
    )
    assert worn.provenance.solver == "jacobi"
    position = worn.positions[-1]
    free = np.setdiff1d(np.arange(len(position)), worn.garment.hold_particle)
    query = make_collider("barrel", woman).at(rest_pose(woman))
    assert np.isfinite(position).all()
    assert query(position[free]).gap.min(initial=1.0) > -1e-3, "cloth is inside the barrel"
    # it hangs: the hem lies below the hips, the waist stays where it is held
    hips = woman.vertices[woman.limb == LIMBS.index("pelvis"), 1]
    assert position[:, 1].min() < hips.min()
    assert position[worn.garment.hold_particle, 1].min() > hips.mean()

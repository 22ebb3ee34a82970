"""The papers' methods to the letter, by name."""

from __future__ import annotations

import json

import numpy as np
import pytest

import toile
from toile.audit.check import audit
from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose
from toile.cli import main
from toile.core.errors import ToileError
from toile.garment.build import build, seam_gaps
from toile.garment.place.place import place
from toile.pattern.drafts.library import draft
from toile.sim.colliders.maps import MapSettings, draw_maps
from toile.sim.dress.elastic_seams import sewn_by_springs
from toile.sim.dress.sew import SewSettings
from toile.sim.papers import PAPERS, paper
from toile.sim.walk.animate import AnimateSettings

SHORT = SewSettings(drape=0.3)


@pytest.fixture(scope="module")
def woman():
    return named_body("woman")


@pytest.fixture(scope="module")
def skirt(woman):
    return draft("skirt", {**woman.measurements, "waist": woman.measurements["hips"] - 0.01}, length=0.35)


@pytest.mark.parametrize("number", PAPERS)
def test_every_paper_dresses_and_walks(number, woman, skirt):
    chosen = paper(number)
    dressed = toile.dress(
        [skirt],
        woman,
        edge_length=0.06,
        mesh=chosen.mesh,
        settings=SewSettings(drape=0.3),
        **chosen.options(),
    )
    walked = toile.animate(
        dressed,
        woman,
        toile.read_motion("walk"),
        settings=AnimateSettings(fps=20, seconds=0.1, lead=0.1),
        **chosen.options(),
    )
    assert np.isfinite(walked.positions).all()
    # still on the hips, not on the floor and not through the body to its other side
    middle = walked.positions[-1].mean(axis=0) - walked.body_vertices[-1].mean(axis=0)
    assert np.abs(middle).max() < 0.3
    assert (
        audit(walked.garment, walked.positions[-1], woman, body_vertices=walked.body_vertices[-1]).deepest
        < 0.06
    )


def test_the_letter_differs_from_the_mended_defaults():
    for chosen in PAPERS.values():
        method = chosen.method()
        defaults = type(method.solver_settings)(), type(method.collider_settings)()
        for name, value in chosen.tune.items():
            owner = 0 if hasattr(method.solver_settings, name) else 1
            own = (method.solver_settings, method.collider_settings)[owner]
            assert getattr(own, name) == value
        assert (method.solver_settings, method.collider_settings) != defaults
    with pytest.raises(ToileError, match="choose from 000"):
        paper("005")


def test_springs_sew_by_themselves(woman, skirt):
    garment = build(skirt, edge_length=0.06, mesh="grid")
    start = place(garment, woman)
    assert seam_gaps(garment, start).max() > 0.05
    told = []
    sewn = sewn_by_springs(
        paper("001").method(),
        garment,
        start,
        rest_pose(woman),
        SewSettings(),
        lambda what, done: told.append(what),
    )
    assert told == ["sewing", "sewing"]
    assert sewn.garment.particle_count < garment.particle_count, "welded"
    assert np.linalg.norm(sewn.state.position - woman.vertices.mean(axis=0), axis=1).max() < 0.9


def test_maps_come_back_as_from_a_frame_buffer(woman):
    posed = rest_pose(woman)
    exact = draw_maps(posed, MapSettings(size=120, tolerance=0.005, refine=False))
    letter = draw_maps(
        posed, MapSettings(size=120, tolerance=0.005, refine=False, depth_bits=24, colour_bits=8)
    )
    coarse = draw_maps(posed, MapSettings(size=120, tolerance=0.005, refine=False, depth_bits=8))
    seen = exact.front.seen
    np.testing.assert_array_equal(letter.front.seen, seen)
    depth = float(np.ptp(np.concatenate([exact.front.depth[seen], exact.back.depth[exact.back.seen]])))
    # equation 13: Δz = bboxdepth / 2^bits; float32 holds no more than 24 bits either
    off = np.abs(letter.front.depth - exact.front.depth)[seen].max()
    assert 0 < off < 2 * depth / 2**24 + 1e-7
    off = np.abs(coarse.front.depth - exact.front.depth)[seen].max()
    assert depth / 2**10 < off <= 0.51 * depth / (2**8 - 1) + 1e-7
    # equation 8 after 7 in eight bits: half a step of 2/255 a coordinate
    turned = np.linalg.norm(letter.front.normal - exact.front.normal, axis=2)[seen]
    assert 1e-4 < turned.max() < np.sqrt(3) * 1.1 / 255


def test_the_depth_test_of_the_paper(woman):
    # equation 12: how far behind the depth map, not how far from the plane
    posed = rest_pose(woman)
    maps = draw_maps(posed, MapSettings(size=340, refine=False, by_depth=True, rim=0))
    points = woman.vertices[::50] * [0.97, 1.0, 0.97]
    found = maps(points)
    at = points[found.particle]
    frame = maps.frame
    row, column = frame.rows_of(at[:, 1]).astype(int), frame.columns_of(at[:, 0], False).astype(int)
    front, back = maps.texels[row, column, 0, 4], maps.texels[row, column, 1, 4]
    np.testing.assert_allclose(found.gap, -np.minimum(front - at[:, 2], at[:, 2] - back), atol=1e-6)


def test_the_command_line_takes_a_paper(tmp_path, capsys):
    pattern, out = tmp_path / "skirt.txt", tmp_path / "x.toile"
    assert main(["draft", "skirt", "-o", str(pattern)]) == 0
    assert main(["dress", str(pattern), "--paper", "004", "--solver", "spring", "-o", str(out)]) == 2
    assert "--paper 004 is solver verlet: leave out --solver" in capsys.readouterr().err
    main(["dress", str(pattern), "--paper", "004", "--edge", "6cm", "--set", "iterations=7", "-o", str(out)])
    made = toile.load_recording(out).provenance
    assert (made.solver, made.collider) == ("verlet", "limb_maps")
    assert made.solver_settings["check_every"] == 1
    assert made.solver_settings["iterations"] == 7
    assert json.dumps(made.collider_settings)

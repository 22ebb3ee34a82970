"""Solver and collider by name, in the API and on the command line."""

import numpy as np
import pytest

import toile
from toile.audit.check import audit
from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose
from toile.cli import main
from toile.core.errors import ToileError
from toile.garment.build import build
from toile.pattern.drafts.library import draft
from toile.sim.colliders.contacts import COLLIDERS
from toile.sim.colliders.maps import MapCollider
from toile.sim.colliders.surface import SurfaceCollider, SurfaceSettings
from toile.sim.dress.dress import dress_garments, place_outfit
from toile.sim.dress.sew import SewSettings, sew
from toile.sim.method import Method, make_method, parse_tuning
from toile.sim.solvers.table import SOLVERS
from toile.sim.solvers.verlet import VerletSettings
from toile.sim.solvers.xpbd import XpbdSettings
from toile.sim.walk.animate import AnimateSettings

QUICK = SewSettings(drape=0.6)


@pytest.fixture(scope="module")
def woman():
    return named_body("woman")


@pytest.fixture(scope="module")
def skirt(woman):
    return draft("skirt", woman.measurements, length=0.35)


def test_every_name_makes_a_method():
    for solver in SOLVERS:
        for collider in COLLIDERS:
            method = make_method(solver, collider)
            assert isinstance(method.solver_settings, SOLVERS[solver][1])
            assert isinstance(method.collider_settings, COLLIDERS[collider][1])
    assert make_method().is_default
    assert not make_method("verlet").is_default


def test_settings_go_to_whom_they_belong(woman):
    method = make_method("verlet", "maps", {"iterations": "20", "collider.reach": 0.05, "size": "128"})
    assert method.solver_settings == VerletSettings(iterations=20)
    assert method.collider_settings.size == 128
    assert method.collider_settings.reach == 0.05
    assert isinstance(method.make_collider(woman), MapCollider)
    # a name that both have is the solver's
    both = make_method("xpbd", "ellipsoids", {"thickness": 0.003})
    assert both.solver_settings.thickness == 0.003


def test_settings_of_older_files_keep_their_meaning():
    collider = {"tents": False, "mittens": "no"}
    method = make_method("verlet", "surface", {"look_every": "7", "collider.tents": "no", "mittens": "no"})
    assert method.solver_settings == VerletSettings(check_every=7)
    assert method.collider_settings == SurfaceSettings(tip_proxies=False, hand_proxies=False)
    assert Method(collider_settings=collider).collider_settings == method.collider_settings


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("verlett",), "did you mean verlet?"),
        (("cuda",), "choose from xpbd, verlet"),
        (("verlet", "voxels"), "choose from surface"),
        (("verlet", "maps", {"iteration": "3"}), "solver verlet has substep"),
        (("verlet", "maps", {"maps.size": "3"}), "collider maps has size"),
        (("verlet", "maps", {"iterations": "many"}), "write a whole number"),
        (("verlet", "maps", {"iterations": "2.5"}), "write a whole number"),
        (("verlet", "maps", {"keep": "nan"}), "write a number"),
        (("verlet", "maps", {"keep": "-1"}), "keep is -1.0"),
        (("xpbd", "surface", {"self_collision": "maybe"}), "write yes or no"),
        (("verlet", "surface", {}, XpbdSettings()), "solver xpbd"),
    ],
)
def test_what_does_not_exist_is_told_with_the_choices(arguments, words):
    with pytest.raises(ToileError, match=words.replace("?", r"\?").replace("(", r"\(")) as error:
        make_method(*arguments)
    assert "\n" not in str(error.value)


def test_words_of_the_command_line():
    assert parse_tuning(["iterations=20", " keep = 0.9"]) == {"iterations": "20", "keep": "0.9"}
    for bad in ("iterations", "=3", "keep="):
        with pytest.raises(ToileError, match="NAME=VALUE"):
            parse_tuning([bad])


def test_a_skirt_is_dressed_and_walks_with_another_method(woman, skirt):
    chosen = {"solver": "verlet", "collider": "maps", "tune": {"iterations": 10}}
    dressed = toile.dress([skirt], woman, edge_length=0.06, settings=QUICK, **chosen)
    assert dressed.provenance.solver == "verlet"
    assert dressed.provenance.solver_settings["iterations"] == 10
    found = audit(dressed.garment, dressed.positions[-1], woman)
    assert found.deepest < 0.01
    walk = toile.animate(
        dressed,
        woman,
        toile.read_motion("walk"),
        settings=AnimateSettings(fps=30, seconds=0.1, lead=0.1),
        **chosen,
    )
    assert walk.positions.shape[0] == 3
    assert np.isfinite(walk.positions).all()
    assert walk.provenance.collider == "maps"


def test_the_default_is_the_default_engine(woman, skirt):
    garment = build(skirt, edge_length=0.05)
    outfit, start = place_outfit([garment], woman)
    expected = sew(outfit, start, rest_pose(woman), SurfaceCollider(woman), settings=QUICK)
    made = dress_garments([garment], woman, settings=QUICK, method=Method())
    assert (made.positions[-1] == expected.state.position).all()


def test_the_command_line_names_the_choices(capsys, tmp_path):
    pattern = tmp_path / "skirt.txt"
    assert main(["draft", "skirt", "-o", str(pattern)]) == 0
    out = str(tmp_path / "x.toile")
    for words, expected in (
        (["--solver", "no"], "choose from xpbd"),
        (["--collider", "no"], "choose from surface"),
        (["--solver", "verlet", "--set", "x=1"], "solver verlet has"),
    ):
        for command in ("dress", "walk"):
            assert main([command, str(pattern), *words, "-o", out]) == 2
            assert expected in capsys.readouterr().err

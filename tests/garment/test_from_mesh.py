"""Triangle meshes as garments: units, axes, winding, bad files."""

import numpy as np
import pytest

import toile
from toile.audit.check import audit
from toile.body.model.make import named_body
from toile.cli import main
from toile.core.errors import ToileError
from toile.garment.from_mesh import read_garment
from toile.garment.particles import triangle_rest_areas
from toile.garment.shapes import tube_cloth
from toile.sim.dress.sew import SewSettings
from toile.sim.solvers.edges import rest_lengths
from toile.sim.solvers.table import SOLVERS

COLUMNS, ROWS, GIRTH, HEIGHT = 20, 5, 1.3, 0.3


@pytest.fixture(scope="module")
def woman():
    return named_body("woman")


@pytest.fixture(scope="module")
def tube(woman):
    """Return the points and triangles of a tube round the hips."""
    cloth, position = tube_cloth(COLUMNS, ROWS, GIRTH, HEIGHT)
    hips = 0.56 * woman.measurements["height"]
    trunk = woman.vertices[np.abs(woman.vertices[:, 1] - hips) < 0.05]
    trunk = trunk[np.abs(trunk[:, 0]) < 0.25]
    centre = 0.5 * (trunk.min(axis=0) + trunk.max(axis=0))
    return position + np.array([centre[0], hips - HEIGHT, centre[2]]), cloth.triangles


def write_obj(path, points, triangles):
    lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in points.tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles.tolist()]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_rest_lengths_are_those_of_the_file(tmp_path, tube, woman):
    points, triangles = tube
    worn = read_garment(write_obj(tmp_path / "tube.obj", points, triangles), woman)
    assert worn.position == pytest.approx(points, abs=2e-6)
    assert worn.notes == ()
    edges, length = rest_lengths(worn.garment)
    way = np.linalg.norm(worn.position[edges[:, 1]] - worn.position[edges[:, 0]], axis=1)
    assert length == pytest.approx(way, rel=1e-9)
    assert (triangle_rest_areas(worn.garment) > 0).all()


@pytest.mark.parametrize("unit", ["m", "cm", "mm", "in"])
@pytest.mark.parametrize("up", ["y", "z"])
def test_unit_and_axes_are_found(tmp_path, tube, woman, unit, up):
    points, triangles = tube
    scale = {"m": 1.0, "cm": 100.0, "mm": 1000.0, "in": 1 / 0.0254}[unit]
    turned = points if up == "y" else np.stack([points[:, 0], -points[:, 2], points[:, 1]], axis=1)
    worn = read_garment(write_obj(tmp_path / "t.obj", scale * turned, triangles), woman)
    assert worn.position == pytest.approx(points, abs=1e-5)
    assert worn.notes == ((f"read as {unit}, {up} up",) if (unit, up) != ("m", "y") else ())


def test_winding_is_made_to_look_outward(tmp_path, tube, woman):
    points, triangles = tube
    mixed = triangles.copy()
    mixed[::3] = mixed[::3, ::-1]
    worn = read_garment(write_obj(tmp_path / "t.obj", points, mixed), woman)
    corner = worn.position[worn.garment.triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    away = corner.mean(axis=1) - points.mean(axis=0)
    assert (normal[:, [0, 2]] * away[:, [0, 2]]).sum(axis=1).min() > 0


def test_double_vertices_needles_and_bodies_are_dropped(tmp_path, tube, woman):
    points, triangles = tube
    # every triangle on vertices of its own, as GLB files split them; one needle; the body itself
    alone = points[triangles].reshape(-1, 3)
    faces = np.arange(len(alone)).reshape(-1, 3)
    faces = np.concatenate([faces, [[0, 1, 1]], woman.triangles + len(alone)])
    path = write_obj(tmp_path / "t.obj", np.concatenate([alone, woman.vertices]), faces)
    worn = read_garment(path, woman)
    assert worn.garment.particle_count == len(points)
    assert "dropped 1 triangles" in worn.notes[0]
    assert "closed part" in worn.notes[1]


def test_the_upper_border_can_be_held(tmp_path, tube, woman):
    points, triangles = tube
    worn = read_garment(write_obj(tmp_path / "t.obj", points, triangles), woman, hold=True)
    assert len(worn.garment.hold_particle) == COLUMNS
    assert worn.position[worn.garment.hold_particle, 1] == pytest.approx(points[:, 1].max())


def test_bad_meshes_are_told_in_words(tmp_path, tube, woman):
    points, triangles = tube

    def refused(points, triangles, words, **options):
        with pytest.raises(ToileError, match=words) as error:
            read_garment(write_obj(tmp_path / "bad.obj", points, triangles), woman, **options)
        assert str(error.value).startswith("bad.obj")
        assert "\n" not in str(error.value)

    refused(points + np.array([5.0, 0, 0]), triangles, "round the body in no unit")
    refused(points, triangles[:0], "too few")
    refused(points, np.array([[0, 110, 110]]), "no open surface")
    refused(woman.vertices, woman.triangles, "no open surface")
    refused(points, np.array([[0, 1, 999999]]), "does not exist")
    refused(points * np.nan, triangles, "NaN")
    a, _, b = triangles[0]
    fin = np.concatenate([triangles, [[a, b, int(triangles[-1, 2])]]])
    refused(points, fin, "more than two triangles")
    refused(points, triangles, "choose from m, cm", units="ell")
    (tmp_path / "bad.glb").write_bytes(b"glTF" + bytes(40))
    with pytest.raises(ToileError, match=r"bad\.glb"):
        read_garment(tmp_path / "bad.glb", woman)


@pytest.mark.parametrize("solver", SOLVERS)
def test_every_solver_wears_a_mesh(tmp_path, tube, woman, solver):
    points, triangles = tube
    worn = read_garment(write_obj(tmp_path / "t.obj", points, triangles), woman, hold=True)
    quick = SewSettings(closing=0.1, drape=0.15)
    dressed = toile.dress([worn], woman, settings=quick, solver=solver)
    found = audit(dressed.garment, dressed.positions[-1], woman)
    assert found.deepest < 0.002
    assert found.stretch.percentile_99 < 0.2


def test_the_command_line_takes_a_mesh(tmp_path, tube, capsys):
    points, triangles = tube
    path = write_obj(tmp_path / "tube.obj", 100 * points, triangles)
    out = tmp_path / "worn.glb"
    code = main(
        ["dress", str(path), "--hold", "--solver", "follow", "--collider", "ellipsoids", "-o", str(out)]
    )
    said = capsys.readouterr().out
    assert code in (0, 1), said
    assert out.exists()
    assert "note: read as cm, y up" in said

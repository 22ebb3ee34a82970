"""Bodies: closed skin, rest pose, files."""

import numpy as np
import pytest

from toile import _kernels
from toile.body.library import open_body
from toile.body.measure.measures import measure, volume
from toile.body.model.data import load_template
from toile.body.model.make import body_from_shape, load_body, named_body, save_body
from toile.body.model.shape import Shape
from toile.body.model.skin import pose_body
from toile.core import container
from toile.core.errors import ToileError
from toile.core.records import LIMBS

NAMES = ("woman", "man")


@pytest.fixture(scope="module", params=NAMES)
def body(request):
    return named_body(request.param)


def test_skin_is_one_closed_surface_without_cavities(body):
    t = body.triangles.astype(np.int64)
    edges = np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]])
    there = edges[:, 0] * len(body.vertices) + edges[:, 1]
    back = edges[:, 1] * len(body.vertices) + edges[:, 0]
    assert len(np.unique(there)) == len(there)
    assert np.array_equal(np.sort(there), np.sort(back))
    # Euler: one sphere
    assert len(body.vertices) - len(edges) // 2 + len(t) == 2
    # closed mouth and eyes leave fewer vertices than the source's 13,380
    assert len(body.vertices) < 12_600


def test_skin_faces_outward(body):
    assert 0.04 < volume(body.vertices, body.triangles) < 0.11


def test_stands_on_the_floor_and_faces_z(body):
    v = body.vertices
    assert v[:, 1].min() == pytest.approx(0.0, abs=1e-9)
    toes = v[body.limb == LIMBS.index("left_foot"), 2].max()
    heel = v[body.limb == LIMBS.index("left_foot"), 2].min()
    joint = dict(zip(body.skeleton.names, body.skeleton.world_from_joint[:, :3, 3], strict=True))
    ankle = joint["LeftFoot"][2]
    assert toes - ankle > ankle - heel
    assert joint["LeftHand"][0] > 0.3
    assert joint["RightHand"][0] < -0.3


def test_a_pose(body):
    joint = dict(zip(body.skeleton.names, body.skeleton.world_from_joint[:, :3, 3], strict=True))
    for side, sign in (("Left", 1), ("Right", -1)):
        arm = joint[side + "Hand"] - joint[side + "Arm"]
        assert np.degrees(np.arctan2(-arm[1], sign * arm[0])) == pytest.approx(45.0, abs=0.1)
        assert arm[2] == pytest.approx(0.0, abs=1e-6)
    # the thighs leave a gap and the hands hang free of the hips
    left, right = (body.limb == LIMBS.index(s + "_shin") for s in ("left", "right"))
    assert body.vertices[left, 0].min() > 0.02
    assert body.vertices[right, 0].max() < -0.02
    hand = body.vertices[body.limb == LIMBS.index("left_hand")]
    assert hand[:, 0].min() > body.vertices[body.limb == LIMBS.index("pelvis"), 0].max() + 0.1


def test_weights_and_labels(body):
    assert np.allclose(body.weight.sum(1), 1.0)
    assert set(np.unique(body.limb)) == set(range(len(LIMBS)))
    assert len(body.skeleton.names) == 31
    left = body.vertices[body.limb == LIMBS.index("left_thigh")]
    assert (left[:, 0] > -0.02).all()


def test_rigs_of_the_template():
    rigs = load_template().rigs
    assert len(rigs["cmu_mb"].names) == 31
    assert len(rigs["mixamo"].names) == 52
    for rig in rigs.values():
        assert (rig.parents < np.arange(len(rig.parents))).all()


def test_file_round_trip(body, tmp_path):
    path = tmp_path / "me.toile"
    save_body(body, path)
    again = open_body(str(path))
    assert again.name == body.name
    assert np.array_equal(again.vertices, body.vertices)
    assert np.array_equal(again.weight, body.weight)
    assert again.skeleton.names == body.skeleton.names
    assert again.measurements == pytest.approx(dict(body.measurements))
    assert again.landmarks == dict(body.landmarks)


def test_mixamo_rig_moves_the_same_skin():
    ours, theirs = (named_body("woman", rig=rig) for rig in ("cmu_mb", "mixamo"))
    assert np.array_equal(ours.vertices, theirs.vertices)
    assert theirs.measurements == ours.measurements
    assert len(theirs.skeleton.names) == 52
    places = [
        dict(zip(b.skeleton.names, b.skeleton.world_from_joint[:, :3, 3], strict=True))
        for b in (ours, theirs)
    ]
    for name in ("LeftArm", "RightForeArm", "LeftHand", "LeftUpLeg", "RightLeg", "LeftFoot", "Head"):
        assert np.linalg.norm(places[0][name] - places[1][f"mixamorig:{name}"]) < 0.06, name
    # every bone lies in or near the skin
    heads = theirs.skeleton.world_from_joint[:, :3, 3]
    assert (np.linalg.norm(heads[:, None] - theirs.vertices[None], axis=2).min(axis=1) < 0.13).all()
    assert measure(theirs)["waist"] == pytest.approx(ours.measurements["waist"], abs=1e-6)
    still = pose_body(theirs, theirs.skeleton.world_from_joint)
    assert np.allclose(still.vertices, theirs.vertices)
    with pytest.raises(ToileError, match="no rig 'fish'"):
        named_body("woman", rig="fish")


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("triangles", 999_999, "triangles name things"),
        ("weight_joint", 77, "weight_joint name things"),
        ("parents", 30, "before its parent"),
        ("weight", 0.3, "do not add up to 1"),
        ("world_from_joint", 5.0, "not a rotation"),
        ("vertices", np.nan, "NaN"),
    ],
)
def test_damaged_file_is_one_line(field, value, words, tmp_path):
    path = tmp_path / "bad.toile"
    save_body(named_body("woman"), path)
    arrays, meta = container.load(path)
    broken = arrays[field].copy()
    broken.ravel()[0] = value
    container.save(path, arrays | {field: broken}, meta)
    with pytest.raises(ToileError, match=words) as caught:
        load_body(path)
    assert "\n" not in str(caught.value)


def test_skin_crosses_itself_only_between_lips_and_toes(body):
    _, pairs = _kernels.meeting_pairs_self(_kernels.SurfaceTree(body.triangles, body.vertices))
    limbs = {LIMBS[body.limb[v]] for v in body.triangles[pairs].ravel()}
    assert limbs <= {"head", "left_foot", "right_foot"}
    assert len(pairs) < 60


def test_unknown_body_is_one_line():
    with pytest.raises(ToileError, match="woman, man"):
        open_body("nobody.toile")
    with pytest.raises(ToileError, match="no body 'robot'"):
        named_body("robot")


def test_unknown_slider_is_named():
    with pytest.raises(ToileError, match="'tail'"):
        body_from_shape(Shape(sliders={"tail": 1.0}))

"""Avatars in USD files (UsdSkel): read as body and motion, dressed, and handed back as they came."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from test_avatar import BONES, boxes

import toile
from dressed_samples import recording
from toile.body.avatar.read import clip_names, read_avatar
from toile.body.library import open_body
from toile.body.model.skin import pose_body
from toile.cli import main
from toile.core.errors import ToileError
from toile.core.provenance import Provenance
from toile.export.library import export
from toile.export.usd_import import usd_frames
from toile.geometry.rotation import from_vector, to_matrix
from toile.io.axes import Axes
from toile.motion.avatar_clip import AvatarOrigin, avatar_track, origin_of
from toile.motion.library import read_motion
from toile.motion.retargeting.retarget import retarget
from toile.motion.track import lead_in
from toile.sim.walk.animate import AnimateSettings, plan_walk
from toile.store.record import RecordedFile

Usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed (extra: usd)")
from pxr import Gf, UsdGeom, UsdSkel, Vt  # noqa: E402

FRAMES, FIRST = 13, 101.0
Z_UP = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
"""from y up to z up"""


def row(matrix: np.ndarray) -> "Gf.Matrix4d":
    return Gf.Matrix4d(*matrix.T.ravel().tolist())


def poses() -> np.ndarray:
    """World transforms of the joints, metres, y up: the hips go ahead and aside, the left knee bends."""
    names = list(BONES)
    heads = np.array([head for _, head, _ in BONES.values()])
    world = np.tile(np.eye(4), (FRAMES, len(names), 1, 1))
    for frame, t in enumerate(np.linspace(0, 1, FRAMES)):
        for joint, name in enumerate(names):
            parent = BONES[name][0]
            local = np.eye(4)
            local[:3, 3] = heads[joint] - (heads[names.index(parent)] if parent else 0)
            if name == "LeftLeg":
                local[:3, :3] = to_matrix(from_vector(np.array([0.8 * np.sin(np.pi * t), 0, 0])))
            if name == "Hips":
                local[:3, 3] += [0.1 * t, 0, 0.4 * t]
                local[:3, :3] = to_matrix(from_vector(np.array([0, 0.3 * t, 0])))
            world[frame, joint] = local if not parent else world[frame, names.index(parent)] @ local
    return world


def write_avatar(path: Path, *, metres: float = 0.01, up: str = "Z", fps: float = 25.0) -> np.ndarray:
    """Write the person of boxes as another program would, and return its skin per frame [its own units]."""
    names = list(BONES)
    points, triangles, joints = boxes()
    turn = Z_UP if up == "Z" else np.eye(3)
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageUpAxis(stage, up)
    UsdGeom.SetStageMetersPerUnit(stage, metres)
    stage.SetTimeCodesPerSecond(fps)
    # the skeleton stands aside and is turned: the skin is posed in its space
    root = UsdSkel.Root.Define(stage, "/person")
    aside = np.eye(4)
    aside[:3, :3] = turn
    aside[:3, 3] = turn @ [3.0, 0, 2.0] / metres
    root.AddTransformOp().Set(row(aside))
    skeleton = UsdSkel.Skeleton.Define(stage, "/person/rig")
    paths = []
    for name in names:
        parent = BONES[name][0]
        paths.append(f"{paths[names.index(parent)]}/{name}" if parent else name)
    skeleton.CreateJointsAttr(paths)
    heads = np.array([head for _, head, _ in BONES.values()]) / metres
    bind = np.tile(np.eye(4), (len(names), 1, 1))
    bind[:, :3, 3] = heads
    rest = bind.copy()
    for joint, name in enumerate(names):
        if BONES[name][0]:
            rest[joint, :3, 3] -= heads[names.index(BONES[name][0])]
    skeleton.CreateBindTransformsAttr(Vt.Matrix4dArray([row(b) for b in bind]))
    skeleton.CreateRestTransformsAttr(Vt.Matrix4dArray([row(r) for r in rest]))
    mesh = UsdGeom.Mesh.Define(stage, "/person/skin")
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy((points / metres).astype(np.float32)))
    quads = np.stack([triangles[::2, 0], triangles[::2, 1], triangles[::2, 2], triangles[1::2, 2]], axis=1)
    mesh.CreateFaceVertexCountsAttr([4] * len(quads))
    mesh.CreateFaceVertexIndicesAttr(quads.ravel().tolist())
    api = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    api.CreateSkeletonRel().SetTargets(["/person/rig"])
    api.CreateJointIndicesPrimvar(False, 1).Set(Vt.IntArray(joints.tolist()))
    api.CreateJointWeightsPrimvar(False, 1).Set(Vt.FloatArray([1.0] * len(joints)))
    world = poses()
    animation = UsdSkel.Animation.Define(stage, "/person/kick")
    animation.CreateJointsAttr(paths)
    for frame in range(FRAMES):
        local = np.array(world[frame])
        for joint, name in enumerate(names):
            if BONES[name][0]:
                local[joint] = np.linalg.inv(world[frame, names.index(BONES[name][0])]) @ world[frame, joint]
        local[:, :3, 3] /= metres
        animation.SetTransforms(Vt.Matrix4dArray([row(m) for m in local]), FIRST + frame)
    UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets(["/person/kick"])
    stage.GetRootLayer().Save()
    offset = np.tile(np.eye(4), (len(names), 1, 1))
    offset[:, :3, 3] = -heads * metres
    skin = np.einsum("fnab,nb->fna", (world @ offset)[:, joints], np.c_[points, np.ones(len(points))])[
        ..., :3
    ]
    return skin / metres @ aside[:3, :3].T + aside[:3, 3]


@pytest.mark.parametrize(("metres", "up"), [(0.01, "Z"), (1.0, "Y")])
def test_body_and_clip(tmp_path: Path, metres: float, up: str) -> None:
    path = tmp_path / "person.usdc"
    skin = write_avatar(path, metres=metres, up=up)
    body = read_avatar(path)
    assert np.ptp(body.vertices[:, 1]) == pytest.approx(1.75, abs=0.12)
    assert set(BONES) == set(body.skeleton.names)
    assert clip_names(path) == ("kick",)
    motion = read_motion(path)
    assert (motion.fps, len(motion.translation)) == (25.0, FRAMES)
    # on its own body the clip is the file's, in the file's own place, axes and units
    track, origin = avatar_track(path, body)
    assert origin.axes == Axes(up, metres, FIRST)
    assert track.report["joint_error"] < 1e-4
    for frame in (0, 6, FRAMES - 1):
        posed = pose_body(body, track.world_from_joint[frame]).vertices
        back = posed @ origin.file_from_ours[:3, :3].T + origin.file_from_ours[:3, 3]
        far = np.linalg.norm(back[:, None] - skin[frame][None], axis=2).min(axis=1)
        assert far.max() * metres < 2e-4
    # where it is dressed, it starts at the origin and faces +z
    start = track.world_from_joint[0, body.skeleton.names.index("Hips"), :3, 3]
    np.testing.assert_allclose(start[[0, 2]], 0, atol=1e-6)


def test_it_goes_back_at_the_same_rate_axes_units_and_frames(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, dressed = tmp_path / "person.usda", tmp_path / "dressed.toile"
    skin = write_avatar(path)
    cape = tmp_path / "cape.obj"
    # a sheet over the head: what is worn does not matter here
    body = read_avatar(path)
    top = body.vertices[:, 1].max() + 0.02
    grid = [(x, z) for z in np.linspace(-0.2, 0.2, 5) for x in np.linspace(-0.2, 0.2, 5)]
    lines = [f"v {x:.3f} {top:.3f} {z:.3f}" for x, z in grid]
    lines += [f"f {a + 1} {a + 6} {a + 7} {a + 2}" for a in (5 * i + j for i in range(4) for j in range(4))]
    cape.write_text("\n".join(lines) + "\n")
    asked = [
        "walk",
        str(cape),
        "--units",
        "m",
        "--body",
        str(path),
        "--motion",
        str(path),
        "-o",
        str(dressed),
    ]
    main(asked)
    told = capsys.readouterr()
    with RecordedFile(dressed) as recorded:
        assert len(recorded) == FRAMES, told
        want = [recorded.frame(n).position for n in range(FRAMES)]
        origin = origin_of(recorded.provenance)
        garment = recorded.garment
    assert origin is not None
    export(dressed, tmp_path / "back.usda")
    stage = Usd.Stage.Open(str(tmp_path / "back.usda"))
    assert UsdGeom.GetStageUpAxis(stage) == "Z"
    assert UsdGeom.GetStageMetersPerUnit(stage) == 0.01
    assert stage.GetTimeCodesPerSecond() == 25
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (FIRST, FIRST + FRAMES - 1)
    mesh = UsdGeom.Mesh.Get(stage, "/look/person")
    for frame in (0, FRAMES - 1):
        points = np.array(mesh.GetPointsAttr().Get(FIRST + frame))
        assert np.linalg.norm(points[:, None] - skin[frame][None], axis=2).min(axis=1).max() < 0.05  # 0.5 mm
    # read back, it is again what was recorded, in the place that the file has
    turn = np.eye(4)
    turn[:3, :3] = origin.axes.ours_from_file
    turn = turn @ origin.file_from_ours
    for frame, position in zip(usd_frames(tmp_path / "back.usda", garment), want, strict=True):
        np.testing.assert_allclose(frame.position, position @ turn[:3, :3].T + turn[:3, 3], atol=1e-5)
    # a GLB is always in metres, y up: the same place
    export(dressed, tmp_path / "back.glb")
    again = read_avatar(tmp_path / "back.glb")
    assert np.ptp(again.vertices[:, 1]) == pytest.approx(np.ptp(body.vertices[:, 1]), abs=0.05)


def test_recorded_frames_are_the_clips_frames() -> None:
    body = toile.named_body("woman")
    track = replace(retarget(read_motion("walk"), body, fps=25), loop=False)
    for fps in (25.0, 24.0):
        settings = AnimateSettings(fps=fps, seconds=1)
        plan = plan_walk(recording(2), body, replace(track, fps=fps), settings=settings)
        for number in (0, 1, 7):
            # as the walker counts
            time = (number + plan.settings.lead_count + 1) / fps
            found = lead_in(body, plan.track, time, plan.settings.lead)
            np.testing.assert_allclose(found, track.world_from_joint[number], atol=1e-9)
    with pytest.raises(ToileError, match="take the same"):
        plan_walk(recording(2), body, track, settings=AnimateSettings(fps=track.fps + 1))


def test_files_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    path, bad = tmp_path / "person.usda", tmp_path / "bad.usda"
    write_avatar(path)
    text = path.read_text()
    cases = {
        "not USD": "not a USD file",
        text.replace('Skeleton "rig"', 'Xform "rig"'): "no skeleton",
        text.replace("(\n", "(\n    subLayers = [@./secret.usda@]\n", 1): "refers to other files",
        text.replace("LeftUpLeg", "Wing").replace("RightUpLeg", "Wing2"): "bone",
        text.replace("metersPerUnit = 0.01", "metersPerUnit = -1"): "cannot be used",
        text.replace("faceVertexIndices = [0,", "faceVertexIndices = [99999,"): "points that do not exist",
        text.replace("primvars:skel:jointIndices = [0,", "primvars:skel:jointIndices = [999,"): "joint",
    }
    for content, message in cases.items():
        assert content != text, message
        bad.write_text(content)
        with pytest.raises(ToileError, match=message):
            open_body(str(bad))
    with pytest.raises(ToileError, match=r"[Nn]o such file"):
        read_motion(tmp_path / "none.usd")


def test_an_origin_is_checked(tmp_path: Path) -> None:
    origin = AvatarOrigin("a.usd", 24.0, Axes("Z", 0.01, 1.0), np.diag([100.0, 100, 100, 1]))
    again = origin_of(Provenance(came_from=origin.to_plain()))
    assert again is not None
    np.testing.assert_array_equal(again.file_from_ours, origin.file_from_ours)
    assert origin_of(Provenance()) is None
    for wrong in ({"file": "a.usd"}, {**origin.to_plain(), "file_from_ours": [[1, 2], [3, 4]]},
                  {**origin.to_plain(), "file_from_ours": np.diag([1.0, 2, 3, 1]).tolist()},
                  {**origin.to_plain(), "axes": {"up": "X", "metres": 1, "first": 0}}):  # fmt: skip
        with pytest.raises(ToileError):
            origin_of(Provenance(came_from=wrong))

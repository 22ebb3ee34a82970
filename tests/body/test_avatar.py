"""Skinned avatars: a person of boxes, written as GLB by the test itself, becomes a Body with its clips."""

import json
import random
import struct
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from toile.body.avatar.bone_names import find_bones, split_name
from toile.body.avatar.read import clip_names, read_avatar, read_clip
from toile.body.library import open_body
from toile.body.model.make import named_body
from toile.body.model.skin import pose_body
from toile.core.errors import ToileError
from toile.core.records import LIMBS
from toile.export.gltf_motion import write_body_glb
from toile.geometry.rotation import from_vector
from toile.io.glb_nodes import key_rate
from toile.motion.library import read_motion
from toile.motion.retargeting.retarget import retarget
from toile.motion.track import pose_at

# bone: (parent, head in metres, end of its box); T-pose
BONES: dict[str, tuple[str, tuple[float, float, float], tuple[float, float, float]]] = {
    "Hips": ("", (0, 0.95, 0), (0, 1.05, 0)),
    "Spine": ("Hips", (0, 1.05, 0), (0, 1.2, 0)),
    "Spine1": ("Spine", (0, 1.2, 0), (0, 1.45, 0)),
    "Neck": ("Spine1", (0, 1.48, 0), (0, 1.53, 0)),
    "Head": ("Neck", (0, 1.55, 0), (0, 1.75, 0)),
}
for side, x in (("Left", 1.0), ("Right", -1.0)):
    BONES |= {
        f"{side}Shoulder": ("Spine1", (0.03 * x, 1.42, 0), (0.13 * x, 1.42, 0)),
        f"{side}Arm": (f"{side}Shoulder", (0.17 * x, 1.42, 0), (0.44 * x, 1.42, 0)),
        f"{side}ForeArm": (f"{side}Arm", (0.46 * x, 1.42, 0), (0.69 * x, 1.42, 0)),
        f"{side}Hand": (f"{side}ForeArm", (0.71 * x, 1.42, 0), (0.87 * x, 1.42, 0)),
        f"{side}UpLeg": ("Hips", (0.09 * x, 0.90, 0), (0.09 * x, 0.52, 0)),
        f"{side}Leg": (f"{side}UpLeg", (0.09 * x, 0.48, 0), (0.09 * x, 0.10, 0)),
        f"{side}Foot": (f"{side}Leg", (0.09 * x, 0.07, 0), (0.09 * x, 0.03, 0.10)),
        f"{side}ToeBase": (f"{side}Foot", (0.09 * x, 0.02, 0.12), (0.09 * x, 0.02, 0.17)),
    }
HALF = {"Hips": 0.14, "Spine": 0.12, "Spine1": 0.14, "Head": 0.09}
CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def boxes() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points, triangles, the joint of each point; corners are doubled face by face, as at texture seams."""
    points, triangles, joints = [], [], []
    for index, (name, (_, head, end)) in enumerate(BONES.items()):
        low, high = np.minimum(head, end), np.maximum(head, end)
        thick = HALF.get(name, 0.02 if "Foot" in name or "Toe" in name else 0.045)
        grow = np.where(high - low < 0.05, thick, 0.0)
        low, high = low - grow, high + grow
        low[1] = max(low[1], 0.0)
        corners = 0.5 * (low + high) + 0.5 * (high - low) * CUBE
        for a, b, c, d in SIDES:
            start = len(points)
            points += [corners[a], corners[b], corners[c], corners[d]]
            triangles += [(start, start + 1, start + 2), (start, start + 2, start + 3)]
            joints += [index] * 4
    return np.array(points), np.array(triangles), np.array(joints)


def avatar(
    rename: dict[str, str] | None = None, unit: float = 1.0, turn: float = 0.0
) -> tuple[dict[str, Any], bytes]:
    """The JSON tree and the binary part of a small avatar with one clip; unit is metres per file unit."""
    names = list(BONES)
    points, triangles, joints = boxes()
    heads = np.array([head for _, head, _ in BONES.values()])
    spin = np.array([[np.cos(turn), 0, np.sin(turn)], [0, 1, 0], [-np.sin(turn), 0, np.cos(turn)]])
    points, heads = points @ spin.T / unit, heads @ spin.T / unit
    bind = np.tile(np.eye(4), (len(names), 1, 1))
    bind[:, :3, 3] = -heads
    blob, views, accessors = b"", [], []

    def add(array: np.ndarray, kind: str, width: str) -> int:
        nonlocal blob
        raw = np.ascontiguousarray(array).tobytes()
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(raw)})
        number = {"f": 5126, "H": 5123, "B": 5121}[kind]
        view = len(views) - 1
        accessors.append({"bufferView": view, "componentType": number, "count": len(array), "type": width})
        blob += raw + b"\0" * (-len(raw) % 4)
        return len(accessors) - 1

    quad = np.zeros((len(points), 4), dtype=np.uint8)
    quad[:, 0] = joints
    share = np.tile(np.array([1, 0, 0, 0], dtype=np.float32), (len(points), 1))
    attributes = {
        "POSITION": add(points.astype(np.float32), "f", "VEC3"),
        "JOINTS_0": add(quad, "B", "VEC4"),
        "WEIGHTS_0": add(share, "f", "VEC4"),
    }
    order = add(triangles.astype(np.uint16).reshape(-1), "H", "SCALAR")
    matrices = add(bind.transpose(0, 2, 1).astype(np.float32).reshape(-1, 16), "f", "MAT4")
    # the clip: the left knee bends, the hips move ahead
    times = add(np.array([0.0, 0.5, 1.0], dtype=np.float32), "f", "SCALAR")
    bends = from_vector(np.array([[0, 0, 0], [0.8, 0, 0], [0, 0, 0]], dtype=float))[:, [1, 2, 3, 0]]
    bend = add(bends.astype(np.float32), "f", "VEC4")
    way = heads[0] + np.array([[0, 0, 0], [0, 0, 0.2], [0, 0, 0.4]]) @ spin.T / unit
    path = add(way.astype(np.float32), "f", "VEC3")
    nodes: list[dict[str, Any]] = []
    for index, name in enumerate(names):
        parent = BONES[name][0]
        place = heads[index] - (heads[names.index(parent)] if parent else 0)
        nodes.append({"name": (rename or {}).get(name, name), "translation": place.tolist()})
        children = [i for i, other in enumerate(names) if BONES[other][0] == name]
        if children:
            nodes[-1]["children"] = children
    nodes.append({"mesh": 0, "skin": 0})
    tree = {
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [0, len(names)]}],
        "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": attributes, "indices": order}]}],
        "skins": [{"joints": list(range(len(names))), "inverseBindMatrices": matrices}],
        "animations": [{
            "name": "kick",
            "samplers": [{"input": times, "output": bend}, {"input": times, "output": path}],
            "channels": [
                {"sampler": 0, "target": {"node": names.index("LeftLeg"), "path": "rotation"}},
                {"sampler": 1, "target": {"node": 0, "path": "translation"}},
            ],
        }],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(blob)}],
    }  # fmt: skip
    return tree, blob


def write(path: Path, tree: Any, blob: bytes) -> Path:
    text = tree if isinstance(tree, bytes) else json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    raw = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(blob), b"BIN\0") + blob
    path.write_bytes(b"glTF" + struct.pack("<II", 2, 12 + len(raw)) + raw)
    return path


UNREAL = {
    "Hips": "pelvis", "Spine": "spine_01", "Spine1": "spine_02", "Neck": "neck_01", "Head": "head",
    **{f"{side}{mine}": f"{theirs}_{side[0].lower()}" for side in ("Left", "Right") for mine, theirs in {
        "Shoulder": "clavicle", "Arm": "upperarm", "ForeArm": "lowerarm", "Hand": "hand", "UpLeg": "thigh",
        "Leg": "calf", "Foot": "foot", "ToeBase": "ball"}.items()},
}  # fmt: skip


@pytest.mark.parametrize(
    ("step", "rate"),
    [
        (1 / 30, 30.0),
        (1001 / 30000, 30e3 / 1001),
        (0.033, 30.0),
        (1 / 29.87, 30.0),
        (1001 / 24000, 24e3 / 1001),
        (0.5, 60.0),
    ],
)
def test_the_rate_of_keys(step: float, rate: float) -> None:
    times = (np.arange(200) * step).astype(np.float32).astype(float)
    assert key_rate([times, times[:2]]) == pytest.approx(rate, abs=1e-9)


@pytest.mark.parametrize("unit", [1.0, 0.01])
@pytest.mark.parametrize("turn", [0.0, np.pi, 1.0])
@pytest.mark.parametrize("rename", [{}, UNREAL], ids=["mixamo", "unreal"])
def test_avatars_stand_as_our_bodies_do(
    tmp_path: Path, unit: float, turn: float, rename: dict[str, str]
) -> None:
    body = read_avatar(write(tmp_path / "box man.glb", *avatar(rename, unit, turn)))
    assert body.name == "box man"
    assert body.measurements["height"] == pytest.approx(1.745, abs=0.005)
    assert body.vertices[:, 1].min() == pytest.approx(0.0, abs=1e-9)
    # doubled corners are one point again: eight of each box
    assert len(body.vertices) == 8 * len(BONES)
    assert np.allclose(body.weight.sum(axis=1), 1.0)
    at = dict(zip(body.skeleton.names, body.skeleton.world_from_joint[:, :3, 3], strict=True))
    if not rename:
        arm = at["LeftForeArm"] - at["LeftArm"]
        assert np.allclose(arm / np.linalg.norm(arm), [np.sqrt(0.5), -np.sqrt(0.5), 0], atol=1e-6)
        assert at["LeftToeBase"][2] > at["LeftFoot"][2] + 0.1
    left = body.vertices[body.limb == LIMBS.index("left_hand")]
    assert len(left) == 8
    assert (left[:, 0] > 0.3).all()


def test_a_vrm_table_names_the_bones(tmp_path: Path) -> None:
    rename = {name: f"J{index}" for index, name in enumerate(BONES)}
    tree, blob = avatar(rename)
    human = {"Hips": "hips", "Spine": "spine", "Spine1": "chest", "Neck": "neck", "Head": "head"}
    for left in ("Left", "Right"):
        human |= {f"{left}{a}": f"{left.lower()}{b}" for a, b in {
            "Shoulder": "Shoulder", "Arm": "UpperArm", "ForeArm": "LowerArm", "Hand": "Hand",
            "UpLeg": "UpperLeg", "Leg": "LowerLeg", "Foot": "Foot", "ToeBase": "Toes"}.items()}  # fmt: skip
    with pytest.raises(ToileError, match="left_thigh"):
        read_avatar(write(tmp_path / "plain.glb", tree, blob))
    tree["extensions"] = {"VRMC_vrm": {"humanoid": {"humanBones": {
        bone: {"node": list(BONES).index(name)} for name, bone in human.items()}}}}  # fmt: skip
    assert read_avatar(write(tmp_path / "one.vrm", tree, blob)).skeleton.names[0] == "hips"
    tree["extensions"] = {"VRM": {"humanoid": {"humanBones": [
        {"bone": bone, "node": list(BONES).index(name)} for name, bone in human.items()]}}}  # fmt: skip
    assert read_avatar(write(tmp_path / "zero.vrm", tree, blob)).skeleton.names[0] == "hips"


def test_a_user_table_names_the_bones(tmp_path: Path) -> None:
    path = write(tmp_path / "odd.glb", *avatar({"LeftUpLeg": "Bone.017", "LeftLeg": "Bone.018"}))
    with pytest.raises(ToileError, match="left_thigh"):
        read_avatar(path)
    body = read_avatar(path, table={"left_thigh": "Bone.017", "left_shin": "Bone.018"})
    assert (body.limb == LIMBS.index("left_shin")).sum() == 8
    with pytest.raises(ToileError, match="no such joint"):
        read_avatar(path, table={"left_thigh": "Bone.099"})
    with pytest.raises(ToileError, match="is not a part"):
        read_avatar(path, table={"left_wing": "Bone.017"})


def test_clips_move_as_the_file_says(tmp_path: Path) -> None:
    path = write(tmp_path / "kick.glb", *avatar(unit=0.01))
    assert clip_names(path) == ("kick",)
    clip = read_clip(path)
    assert clip.name == "kick"
    assert clip.duration == pytest.approx(1.0)
    assert clip.translation[-1, 2] - clip.translation[0, 2] == pytest.approx(0.4, abs=1e-6)
    knee = clip.rotations[30, clip.names.index("LeftLeg")]
    assert 2 * np.arccos(knee[0]) == pytest.approx(0.8, abs=1e-3)


def test_an_avatar_walks_and_its_clip_moves_another_body(tmp_path: Path) -> None:
    path = write(tmp_path / "man.glb", *avatar())
    body = read_avatar(path)
    track = retarget(read_motion("walk", fps=30.0), body)
    assert track.report["foot_slide"] < 0.01
    assert track.report["floor_depth"] < 0.002
    posed = pose_body(body, pose_at(track, 0.4))
    assert np.isfinite(posed.vertices).all()
    assert np.ptp(posed.vertices[:, 1]) > 1.5
    own = retarget(read_motion(path), body, 30.0)
    assert own.report["knee_most"] > 35


HOSTILE = {
    "not a glb": lambda tree, blob: b"PK\x03\x04" + b"\0" * 100,
    "huge chunk": lambda tree, blob: b"glTF" + struct.pack("<IIII", 2, 100, 2**32 - 1, 0x4E4F534A) + b"{}",
    "deep json": lambda tree, blob: pack(b'{"a":' * 200_000 + b"1" + b"}" * 200_000, b""),
    "nan json": lambda tree, blob: pack(b'{"nodes":[{"translation":[NaN,0,0]}]}', b""),
    "a list": lambda tree, blob: pack(b"[1, 2, 3]", b""),
    "huge accessor": lambda tree, blob: pack(change(tree, "accessors", 0, "count", 10**9), blob),
    "negative count": lambda tree, blob: pack(change(tree, "accessors", 0, "count", -1), blob),
    "long accessor": lambda tree, blob: pack(change(tree, "accessors", 0, "count", 10**6), blob),
    "missing view": lambda tree, blob: pack(change(tree, "accessors", 0, "bufferView", 99), blob),
    "far view": lambda tree, blob: pack(change(tree, "bufferViews", 0, "byteOffset", 10**9), blob),
    "outside file": lambda tree, blob: pack(change(tree, "buffers", 0, "uri", "../../etc/passwd"), blob),
    "web file": lambda tree, blob: pack(change(tree, "buffers", 0, "uri", "http://example.org/a.bin"), blob),
    "circle": lambda tree, blob: pack(change(tree, "nodes", 4, "children", [0]), blob),
    "two parents": lambda tree, blob: pack(change(tree, "nodes", 4, "children", [1]), blob),
    "joint out of range": lambda tree, blob: pack(change(tree, "skins", 0, "joints", [0, 1, 10**6]), blob),
    "few joints": lambda tree, blob: pack(change(tree, "skins", 0, "joints", [0, 1]), blob),
    "no skin": lambda tree, blob: pack({**tree, "skins": []}, blob),
    "no mesh": lambda tree, blob: pack({**tree, "meshes": []}, blob),
    "infinite": lambda tree, blob: pack(tree, struct.pack("<f", float("inf")) * 30 + blob[120:]),
    "draco": lambda tree, blob: pack({**tree, "extensionsRequired": ["KHR_draco_mesh_compression"]}, blob),
    "wrong type": lambda tree, blob: pack({**tree, "nodes": "none"}, blob),
}  # fmt: skip


def pack(tree: Any, blob: bytes) -> bytes:
    text = tree if isinstance(tree, bytes) else json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    raw = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(blob), b"BIN\0") + blob
    return b"glTF" + struct.pack("<II", 2, 12 + len(raw)) + raw


def change(tree: dict[str, Any], kind: str, index: int, key: str, value: Any) -> dict[str, Any]:
    tree[kind][index][key] = value
    return tree


@pytest.mark.parametrize("name", list(HOSTILE))
def test_hostile_files_are_refused_quickly(tmp_path: Path, name: str) -> None:
    path = tmp_path / "bad.glb"
    path.write_bytes(HOSTILE[name](*avatar()))
    start = time.perf_counter()
    with pytest.raises(ToileError, match=r"^bad\.glb") as caught:
        read_avatar(path)
    assert time.perf_counter() - start < 5.0
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("seed", range(40))
def test_any_wrong_value_is_an_error_in_words_or_harmless(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    tree, blob = avatar()
    for _ in range(3):
        place: Any = tree
        way: list[tuple[Any, Any]] = []
        while isinstance(place, dict | list) and place and (not way or chance.random() < 0.85):
            key = chance.choice(list(place)) if isinstance(place, dict) else chance.randrange(len(place))
            way.append((place, key))
            place = place[key]
        way[-1][0][way[-1][1]] = chance.choice([None, -1, 10**12, 1.5, "x", [], {}, [None], True, 1e308])
    path = tmp_path / "bad.glb"
    path.write_bytes(pack(tree, blob))
    for read in (read_avatar, read_motion):
        try:
            read(path)
        except ToileError as error:
            assert "\n" not in str(error)  # noqa: PT017


@pytest.mark.parametrize(
    ("name", "side", "core"),
    [("mixamorig:LeftUpLeg", "left", "upleg"), ("J_Bip_L_UpperArm", "left", "upperarm"),
     ("calf_r", "right", "calf"),
     ("Bip01 R Toe0", "right", "toe"), ("DEF-thigh.L.001", "left", "thigh"),
     ("ValveBiped.Bip01_L_Hand", "left", "hand"),
     ("left_knee", "left", "knee"), ("Hips", "", "hips"), ("rThigh", "right", "thigh")],
)  # fmt: skip
def test_names_are_split(name: str, side: str, core: str) -> None:
    assert split_name(name) == (side, core)


def test_spine_and_neck_come_from_the_tree() -> None:
    names = list(BONES)
    parents = [names.index(parent) if parent else -1 for parent, _, _ in BONES.values()]
    bones = find_bones(names, parents)
    assert [names[i] for i in bones.spine] == ["Spine", "Spine1"]
    assert [names[i] for i in bones.neck] == ["Neck", "Head"]


@pytest.mark.parametrize("name", ["woman", "man"])
def test_lengths_of_an_avatar_come_from_its_joints(tmp_path: Path, name: str) -> None:
    body = named_body(name)
    write_body_glb(body, retarget(read_motion("idle"), body), tmp_path / "a.glb")
    found = open_body(str(tmp_path / "a.glb")).measurements
    for key, most in {"shoulder_width": 0.03, "back_length": 0.03, "arm_length": 0.03, "hips": 0.01}.items():
        assert found[key] == pytest.approx(body.measurements[key], abs=most), key

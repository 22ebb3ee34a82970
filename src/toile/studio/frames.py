"""Binary messages of the studio: meshes and frames. The layout stands in docs/studio-protocol.md."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any

import numpy as np

from toile.body.model.skeleton import rigid_inverse
from toile.core.records import Body, Floats, Garment
from toile.export.playback import body_arrays, cloth_arrays
from toile.io.blocks import Block, pack_blocks

VERSION = 1
_MESH = struct.Struct("<BBHI8x")
_FRAME = struct.Struct("<BBHIIId3f3fIHBBIf")
LEVELS = 65535


class Kind(IntEnum):
    """What a binary message is."""

    CLOTH = 1
    BODY = 2
    FRAME = 3
    SCENE = 4


class Flags(IntFlag):
    """What goes on in a frame."""

    PLAYING = 1
    SEWING = 2
    ASLEEP = 4
    RECORDED = 8


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Frame:
    """What is seen at one instant."""

    side: int
    mesh: int
    number: int
    body: int
    """number of the body's mesh; 0: none"""
    time: float
    position: Floats
    """[m], (n, 3)"""
    joints: Floats
    """world from rest, (j, 3, 4)"""
    overlay: int = 0
    values: np.ndarray | None = None
    """of the overlay, (n,) bytes"""
    flags: int = 0
    """of Flags"""
    echo: int = 0
    """the newest message that counts"""
    milliseconds: float = 0.0


def frame_bytes(frame: Frame) -> bytes:
    """Return a frame as it travels."""
    position = frame.position
    low, high = position.min(axis=0), position.max(axis=0)
    # rounded outward to single precision, which the page computes with
    low = np.nextafter(low.astype(np.float32), np.float32(-np.inf))
    high = np.nextafter(high.astype(np.float32), np.float32(np.inf))
    span = high.astype(np.float64) - low
    whole = np.rint((position - low) * (LEVELS / span)) - 32768
    joints = np.ascontiguousarray(frame.joints, "<f4")
    head = _FRAME.pack(
        Kind.FRAME, VERSION, frame.side, frame.mesh, frame.number, frame.body, frame.time, *low, *high,
        len(position), len(joints), 0 if frame.values is None else frame.overlay, frame.flags,
        frame.echo % 2**32, frame.milliseconds,
    )  # fmt: skip
    parts = [head, whole.astype("<i2").tobytes(), joints.tobytes()]
    parts += [] if frame.values is None else [frame.values.astype(np.uint8).tobytes()]
    return b"".join(part + bytes(-len(part) % 4) for part in parts)


def joints_of(body: Body, world_from_joint: Floats) -> Floats:
    """Return how joints take rest vertices to where they are, (j, 3, 4)."""
    return np.asarray((world_from_joint @ rigid_inverse(body.skeleton.world_from_joint))[:, :3])


def cloth_bytes(garment: Garment, side: int, mesh: int, looks: list[dict[str, Any]] | None = None) -> bytes:
    """Return the mesh of an outfit, one part for each fabric of each garment; looks: of each part."""
    arrays, parts = cloth_arrays(garment, np.arange(garment.particle_count, dtype=np.int32))
    for part, look in zip(parts, looks or [], strict=False):
        part["material"] |= look
    meta = {
        "content": "cloth",
        "name": garment.name,
        "particles": garment.particle_count,
        "parts": parts,
        "garment_names": list(garment.garment_names),
        "panel_names": list(garment.panel_names),
    }
    arrays["panel"] = garment.uv_panel.astype(np.int32)
    return _mesh_bytes(Kind.CLOTH, side, mesh, Block("HEAD", arrays, meta))


def body_bytes(body: Body, mesh: int) -> bytes:
    """Return the mesh of a person."""
    return _mesh_bytes(Kind.BODY, 0, mesh, Block("HEAD", body_arrays(body), {"content": "body"}))


def _mesh_bytes(kind: Kind, side: int, mesh: int, block: Block) -> bytes:
    return _MESH.pack(kind, VERSION, side, mesh) + pack_blocks([block])


def scene_message(blocks: bytes) -> bytes:
    """Return a prepared scene for the engine in the page."""
    return _MESH.pack(Kind.SCENE, VERSION, 0, 0) + blocks


# ---------------------------------------------------------------------------- reading: tests and programs


def read_frame(data: bytes) -> Frame:
    """Return a frame that arrived."""
    (_, _, side, mesh, number, body, time, *box, count, joints, overlay, flags, echo, ms) = (
        _FRAME.unpack_from(data)
    )
    low, high = np.array(box[:3]), np.array(box[3:])
    at = _FRAME.size
    whole = np.frombuffer(data, "<i2", 3 * count, at).reshape(-1, 3).astype(np.float64)
    at += 6 * count + (-6 * count) % 4
    rows = np.frombuffer(data, "<f4", 12 * joints, at).reshape(-1, 3, 4).astype(np.float64)
    at += 48 * joints
    values = np.frombuffer(data, np.uint8, count, at) if overlay else None
    return Frame(
        side=side, mesh=mesh, number=number, body=body, time=time,
        position=low + (whole + 32768) / LEVELS * (high - low), joints=rows, overlay=overlay, values=values,
        flags=flags, echo=echo, milliseconds=ms,
    )  # fmt: skip

"""Moving the skin with the skeleton.

``linear`` blends the joints' matrices (linear blend skinning); ``dual`` blends dual quaternions (Kavan et al.
2007), which keeps the girth of twisted and bent limbs but bulges at strong bends. See docs/body.md.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from toile import _kernels
from toile.core.errors import ToileError
from toile.core.records import Body, Floats, Ints, PosedBody

Method = Literal["linear", "dual"]
METHODS: tuple[str, ...] = get_args(Method)


def rest_pose(body: Body) -> PosedBody:
    """Return the body standing still in its rest pose."""
    return PosedBody(body, body.vertices, np.zeros_like(body.vertices), body.skeleton.world_from_joint)


def pose_body(
    body: Body,
    world_from_joint: Floats,
    previous: PosedBody | None = None,
    dt: float = 1 / 60,
    method: Method = "linear",
) -> PosedBody:
    """Return the body with its joints at these transforms, (j, 4, 4).

    The skin's velocity is the way from the previous pose, made in dt [s]; zero without a previous pose.
    """
    if method not in METHODS:
        raise ToileError(f"no skinning '{method}'; there are {', '.join(METHODS)}")
    rest = body.skeleton.world_from_joint
    world_from_joint = np.ascontiguousarray(world_from_joint, dtype=np.float64)
    if world_from_joint.shape != rest.shape:
        raise ToileError(f"pose has shape {world_from_joint.shape}, wanted {rest.shape} for body {body.name}")
    before = np.zeros((0, 3)) if previous is None else previous.vertices
    matrices = _kernels.from_rest(world_from_joint, rest)
    position, velocity = _kernels.skin(
        body.vertices, body.weight_joint, body.weight, matrices, before, dt, method == "dual"
    )
    return PosedBody(body, position, velocity, world_from_joint)


def quaternions(rotation: Floats) -> Floats:
    """Return unit quaternions (w, x, y, z) of rotations, (j, 4), from (j, 3, 3)."""
    m = rotation
    # four times the squares; the largest is the safe one to divide by (Shepperd 1978)
    diagonal = np.stack([m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]], axis=1)
    trace = diagonal.sum(1)
    squares = np.concatenate([1 + trace[:, None], 1 - trace[:, None] + 2 * diagonal], axis=1)
    products = np.zeros((len(m), 4, 4))
    for i in range(4):
        products[:, i, i] = squares[:, i]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        products[:, i + 1, j + 1] = products[:, j + 1, i + 1] = m[:, i, j] + m[:, j, i]
    for k, (i, j) in enumerate(((2, 1), (0, 2), (1, 0))):
        products[:, 0, k + 1] = products[:, k + 1, 0] = m[:, i, j] - m[:, j, i]
    best = products[np.arange(len(m)), squares.argmax(1)]
    unit: Floats = best / np.linalg.norm(best, axis=1, keepdims=True)
    return unit


def vertex_faces(triangles: Ints, vertex_count: int) -> tuple[Ints, Ints]:
    """Return start (n + 1,) and face: the triangles round vertex i are face[start[i]:start[i + 1]]."""
    corners = triangles.ravel()
    order = np.argsort(corners, kind="stable")
    start = np.concatenate([[0], np.cumsum(np.bincount(corners, minlength=vertex_count))])
    return start.astype(np.int32), (order // 3).astype(np.int32)


def vertex_normals(position: Floats, triangles: Ints, around: tuple[Ints, Ints] | None = None) -> Floats:
    """Return outward unit normals of the vertices, (n, 3); pass vertex_faces() again when called often."""
    start, face = around or vertex_faces(triangles, len(position))
    normals: Floats = _kernels.vertex_normals(np.ascontiguousarray(position), triangles, start, face)
    return normals

"""Small closed surfaces and slow, plain references for the collision tests."""

from __future__ import annotations

import numpy as np

from toile.core.records import LIMBS, Body, Floats, Ints, PosedBody, Skeleton


def icosphere(level: int = 2, radius: float = 1.0) -> tuple[Ints, Floats]:
    """Return triangles and vertices of a subdivided icosahedron, counter-clockwise from outside."""
    g = (1 + 5**0.5) / 2
    vertices = np.array(
        [
            (-1, g, 0),
            (1, g, 0),
            (-1, -g, 0),
            (1, -g, 0),
            (0, -1, g),
            (0, 1, g),
            (0, -1, -g),
            (0, 1, -g),
            (g, 0, -1),
            (g, 0, 1),
            (-g, 0, -1),
            (-g, 0, 1),
        ]
    )
    faces = np.array(
        [
            (0, 11, 5),
            (0, 5, 1),
            (0, 1, 7),
            (0, 7, 10),
            (0, 10, 11),
            (1, 5, 9),
            (5, 11, 4),
            (11, 10, 2),
            (10, 7, 6),
            (7, 1, 8),
            (3, 9, 4),
            (3, 4, 2),
            (3, 2, 6),
            (3, 6, 8),
            (3, 8, 9),
            (4, 9, 5),
            (2, 4, 11),
            (6, 2, 10),
            (8, 6, 7),
            (9, 8, 1),
        ]
    )
    for _ in range(level):
        edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
        unique, where = np.unique(edges, axis=0, return_inverse=True)
        a, b, c = (where.reshape(3, -1) + len(vertices)).astype(int)
        vertices = np.concatenate([vertices, vertices[unique].mean(axis=1)])
        i, j, k = faces.T
        faces = np.concatenate([np.stack(t, axis=1) for t in ((i, a, c), (j, b, a), (k, c, b), (a, b, c))])
    vertices = radius * vertices / np.linalg.norm(vertices, axis=1, keepdims=True)
    return faces.astype(np.int32), vertices


def tube(rings: int, around: int, radius: float, length: float, closed: bool = True) -> tuple[Ints, Floats]:
    """Return a vertical cylinder from y = 0 to length; closed adds both lids."""
    angle = 2 * np.pi * np.arange(around) / around
    ring = np.stack([radius * np.sin(angle), np.zeros(around), radius * np.cos(angle)], axis=1)
    height = np.linspace(0, length, rings)
    vertices = (ring[None] + height[:, None, None] * np.array([0.0, 1.0, 0.0])).reshape(-1, 3)
    r, k = np.meshgrid(np.arange(rings - 1), np.arange(around), indexing="ij")
    a, b = r * around + k, r * around + (k + 1) % around
    c, d = a + around, b + around
    faces = np.stack([a, b, d, a, d, c], axis=-1).reshape(-1, 3)
    if closed:
        low, high = len(vertices), len(vertices) + 1
        vertices = np.concatenate([vertices, [[0.0, 0.0, 0.0], [0.0, length, 0.0]]])
        k, n = np.arange(around), (np.arange(around) + 1) % around
        top = (rings - 1) * around
        lids = [
            np.stack([n, k, np.full(around, low)], 1),
            np.stack([top + k, top + n, np.full(around, high)], 1),
        ]
        faces = np.concatenate([faces, *lids])
    return faces.astype(np.int32), vertices


def join(*parts: tuple[Ints, Floats]) -> tuple[Ints, Floats]:
    """Return several surfaces as one."""
    start = np.cumsum([0, *[len(v) for _, v in parts]])
    triangles = np.concatenate([t + s for (t, _), s in zip(parts, start, strict=False)])
    return triangles.astype(np.int32), np.concatenate([v for _, v in parts])


def segment_distance(p: Floats, a: Floats, b: Floats) -> Floats:
    """Return the distance of points to segments, broadcasting."""
    ab = b - a
    t = np.clip(((p - a) * ab).sum(-1) / np.maximum((ab * ab).sum(-1), 1e-300), 0, 1)
    return np.asarray(np.linalg.norm(p - a - t[..., None] * ab, axis=-1))


def triangle_distance(points: Floats, triangles: Ints, vertices: Floats) -> Floats:
    """Return the distance of each point to each triangle, (n, t): to its plane or to its edges."""
    a, b, c = (vertices[triangles[:, k]][None] for k in range(3))
    p = points[:, None]
    normal = np.cross(b - a, c - a)
    area = np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-300)
    inside = np.ones((len(points), len(triangles)), dtype=bool)
    for u, v in ((a, b), (b, c), (c, a)):
        inside &= (np.cross(v - u, p - u) * normal).sum(-1) >= 0
    plane = np.abs(((p - a) * normal / area).sum(-1))
    edges = np.minimum.reduce(
        [segment_distance(p, a, b), segment_distance(p, b, c), segment_distance(p, c, a)]
    )
    return np.where(inside & (area[..., 0] > 1e-200), np.minimum(plane, edges), edges)


def solid_angle_winding(points: Floats, triangles: Ints, vertices: Floats) -> Floats:
    """Return the winding number of a closed surface round each point (Van Oosterom & Strackee 1983)."""
    a, b, c = (vertices[triangles[:, k]][None] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=-1) for v in (a, b, c))
    det = (a * np.cross(b, c)).sum(-1)
    den = la * lb * lc + (a * b).sum(-1) * lc + (b * c).sum(-1) * la + (c * a).sum(-1) * lb
    return np.asarray(np.arctan2(det, den).sum(axis=1) / (2 * np.pi))


def single_bone_body(
    triangles: Ints, vertices: Floats, *, velocity: Floats | None = None, limb: Ints | None = None
) -> PosedBody:
    """Return a surface as a posed body with one joint; every vertex is torso unless limb says otherwise."""
    count = len(vertices)
    skeleton = Skeleton(("root",), [-1], np.eye(4)[None], [[0.0, 1.0, 0.0]])
    body = Body(
        name="test",
        vertices=vertices,
        triangles=triangles,
        skeleton=skeleton,
        weight_joint=np.zeros((count, 1)),
        weight=np.ones((count, 1)),
        limb=np.full(count, LIMBS.index("torso")) if limb is None else limb,
    )
    speed = np.zeros_like(vertices) if velocity is None else velocity
    return PosedBody(body, vertices, speed, np.eye(4)[None])


def segment_pair_distance(p: Floats, q: Floats, u: Floats, v: Floats) -> Floats:
    """Return the distances of segments p–q to segments u–v: nearest ends, or where they pass each other."""
    ends = [segment_distance(p, u, v), segment_distance(q, u, v), segment_distance(u, p, q)]
    least = np.minimum.reduce([*ends, segment_distance(v, p, q)])
    d, e, r = q - p, v - u, u - p
    normal = np.cross(d, e)
    size = np.maximum((normal * normal).sum(-1), 1e-300)
    s, t = (np.cross(r, e) * normal).sum(-1) / size, (np.cross(r, d) * normal).sum(-1) / size
    passing = (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1) & (size > 1e-30)
    return np.asarray(np.where(passing, np.abs((r * normal).sum(-1)) / np.sqrt(size), least))

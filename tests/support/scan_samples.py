"""Scans to try: people in several poses, what scanners do to them, and things that are no complete person."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import ConvexHull, cKDTree
from scipy.spatial.transform import Rotation

from toile.body.model.landmarks import limb_mask
from toile.body.model.skeleton import forward_kinematics
from toile.body.model.skin import pose_body, vertex_normals
from toile.core.records import Body, Bools, Floats, Ints

Surface = tuple[Floats, Ints]
"""points (n, 3), triangles (t, 3)"""

POSES: dict[str, dict[str, tuple[float, float, float]]] = {
    "A": {},
    "T": {"LeftArm": (0, 0, 45), "RightArm": (0, 0, -45)},
    "T, shoulders up": {
        "LeftArm": (0, 0, 35), "RightArm": (0, 0, -35), "LeftShoulder": (0, 0, 8),
        "RightShoulder": (0, 0, -8), "LeftUpLeg": (0, 0, -4), "RightUpLeg": (0, 0, 4),
    },
    "arms down": {
        "LeftArm": (5, 0, -20), "RightArm": (-4, 0, 18), "LeftForeArm": (-15, 0, 0),
        "RightForeArm": (-20, 0, 0), "LowerBack": (3, 0, 0), "Head": (8, 0, 0),
    },
    "uneven": {
        "LeftArm": (0, 10, 15), "RightArm": (0, 5, 8), "LeftUpLeg": (-6, 0, 2), "RightUpLeg": (5, 0, 0),
        "RightLeg": (6, 0, 0), "Hips": (0, 20, 0), "Neck": (0, 12, 0),
    },
}  # fmt: skip
"""joint → turn about the world's axes [degrees]"""

STOOPED: dict[str, dict[str, tuple[float, float, float]]] = {
    "on a chair": {
        "LeftUpLeg": (-88, 0, 0), "RightUpLeg": (-88, 0, 0), "LeftLeg": (88, 0, 0), "RightLeg": (88, 0, 0),
    },
    "on a stool, legs apart": {
        "LeftUpLeg": (-70, 20, 0), "RightUpLeg": (-70, -20, 0), "LeftLeg": (75, 0, 0),
        "RightLeg": (60, 0, 0), "LeftArm": (-30, 0, -20), "RightArm": (-30, 0, 20),
    },
    "squatting": {
        "LeftUpLeg": (-110, 10, 0), "RightUpLeg": (-110, -10, 0), "LeftLeg": (125, 0, 0),
        "RightLeg": (125, 0, 0), "LeftFoot": (-15, 0, 0), "RightFoot": (-15, 0, 0), "LowerBack": (25, 0, 0),
    },
    "bowing": {"LowerBack": (50, 0, 0), "Spine1": (25, 0, 0)},
    "kneeling": {"LeftLeg": (90, 0, 0), "RightLeg": (90, 0, 0)},
}  # fmt: skip


def posed(body: Body, turns: dict[str, tuple[float, float, float]], method: str = "linear") -> Floats:
    """Return the skin with some joints turned [m]."""
    bones = body.skeleton
    local = np.tile(np.eye(3), (len(bones.names), 1, 1))
    for name, degrees in turns.items():
        joint = bones.names.index(name)
        frame = bones.world_from_joint[joint, :3, :3]
        local[joint] = frame.T @ Rotation.from_rotvec(degrees, degrees=True).as_matrix() @ frame
    world = forward_kinematics(bones, local, np.zeros(3))
    skin = pose_body(body, world, method=method).vertices  # type: ignore[arg-type]
    return np.asarray(skin - np.array([0.0, skin[:, 1].min(), 0.0]))


# ---------------------------------------------------------------------------- what scanners do


def compact(points: Floats, triangles: Ints) -> Surface:
    """Return the surface without points that no triangle uses."""
    used, place = np.unique(triangles, return_inverse=True)
    return points[used], place.reshape(-1, 3).astype(np.int32)


def noisy(points: Floats, size: float, seed: int = 0) -> Floats:
    """Return points moved at random, standard deviation size [m]."""
    return points + np.random.default_rng(seed).normal(scale=size, size=points.shape)


def with_floor(points: Floats, triangles: Ints, side: float = 2.0) -> Surface:
    """Return a surface that stands on a square."""
    x, z = np.meshgrid(np.linspace(-side / 2, side / 2, 21), np.linspace(-side / 2, side / 2, 21))
    grid = np.stack([x.ravel(), np.full(441, points[:, 1].min()), z.ravel()], axis=1)
    i = np.arange(441).reshape(21, 21)
    a, b, c, d = (v.ravel() for v in (i[:-1, :-1], i[1:, :-1], i[1:, 1:], i[:-1, 1:]))
    floor = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]) + len(points)
    return np.concatenate([points, grid]), np.concatenate([triangles, floor]).astype(np.int32)


def areas(points: Floats, triangles: Ints) -> Floats:
    """Return the area of each triangle [m²]."""
    a, b, c = (points[triangles[:, i]] for i in range(3))
    return np.asarray(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1))


def with_holes(points: Floats, triangles: Ints, share: float = 0.05, seed: int = 0) -> Surface:
    """Return the surface with round patches cut out, that share of its area in all."""
    rng = np.random.default_rng(seed)
    middle, size = points[triangles].mean(axis=1), areas(points, triangles)
    tree, gone = cKDTree(middle), np.zeros(len(triangles), dtype=bool)
    while size[gone].sum() < share * size.sum():
        start = rng.choice(len(triangles), p=size / size.sum())
        gone[tree.query_ball_point(middle[start], rng.uniform(0.02, 0.06))] = True
    return compact(points, triangles[~gone])


def finer(points: Floats, triangles: Ints, times: int = 1) -> Surface:
    """Return the surface with every triangle cut into four, times over."""
    for _ in range(times):
        pairs = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), 1)
        edges, place = np.unique(pairs, axis=0, return_inverse=True)
        ab, bc, ca = (place.reshape(3, -1) + len(points)).astype(np.int32)
        points = np.concatenate([points, points[edges].mean(axis=1)])
        a, b, c = triangles.T
        parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        triangles = np.concatenate([np.stack(p, axis=1) for p in parts]).astype(np.int32)
    return points, triangles


def in_parts(points: Floats, triangles: Ints, parts: int = 12, seed: int = 0) -> Surface:
    """Return the shell cut into parts that share no points, a few millimetres apart."""
    rng = np.random.default_rng(seed)
    middle = points[triangles].mean(axis=1)
    seeds = middle[rng.choice(len(middle), parts, replace=False)]
    label = cKDTree(seeds).query(middle)[1]
    places, faces, count = [], [], 0
    for part in range(parts):
        some, few = compact(points, triangles[label == part])
        places.append(some + rng.normal(scale=0.0007, size=3))
        faces.append(few + count)
        count += len(some)
    return np.concatenate(places), np.concatenate(faces).astype(np.int32)


# ---------------------------------------------------------------------------- incomplete people


def without(points: Floats, triangles: Ints, gone: Bools) -> Surface:
    """Return the surface without some of its points."""
    return compact(points, triangles[~gone[triangles].any(axis=1)])


def headless(body: Body, skin: Floats, low: float, lean: float = 0.0) -> Surface:
    """Return a person cut off above the neck joint plus low [m], by a plane that leans [m per m]."""
    neck = body.vertices[limb_mask(body.limb, "neck")][:, 1].min() + low
    cut = neck + lean * skin[:, 0]
    return without(skin, body.triangles, (skin[:, 1] > cut) & limb_mask(body.limb, "head", "neck", "torso"))


def one_side(body: Body, skin: Floats, angle: float, depth: float = 0.0) -> Surface:
    """Return what a camera sees from one direction [degrees from the front], nothing else."""
    way = np.array([np.sin(np.radians(angle)), 0.0, np.cos(np.radians(angle))])
    normals = vertex_normals(skin, body.triangles)
    return without(skin, body.triangles, normals @ way < depth)


def cut_limb(body: Body, skin: Floats, side: str, parts: tuple[str, ...]) -> Surface:
    """Return a person without some parts of a limb."""
    return without(skin, body.triangles, limb_mask(body.limb, *(f"{side}_{part}" for part in parts)))


# ---------------------------------------------------------------------------- dressed people


def swollen(body: Body, skin: Floats, thick: dict[str, float], seed: int = 0) -> Surface:
    """Return a person in loose clothes: limbs grown outwards [m], with folds."""
    rng = np.random.default_rng(seed)
    grow = np.zeros(len(skin))
    for limb, size in thick.items():
        grow[limb_mask(body.limb, limb)] = size
    edges = np.concatenate([body.triangles[:, [0, 1]], body.triangles[:, [1, 2]]])
    ones = np.ones(len(edges))
    links = coo_array((ones, (edges[:, 0], edges[:, 1])), (len(skin),) * 2).tocsr()
    links = links + links.T
    degree = np.asarray(links.sum(axis=1)).ravel()
    for _ in range(12):
        grow = (links @ grow) / degree
    wave = rng.normal(size=(6, 3)) * 25
    folds = sum(np.sin(skin @ w + rng.uniform(0, 6)) for w in wave) / 6
    normals = vertex_normals(skin, body.triangles)
    return skin + (grow * (1 + 0.6 * folds))[:, None] * normals, body.triangles


def with_skirt(body: Body, skin: Floats, length: float, wide: float, folds: int = 8) -> Surface:
    """Return a person in a skirt from the waist, that long [m], grown by wide [m] at the hem."""
    waist = float(skin[body.landmarks["waist_front"], 1])
    near = skin[(np.abs(skin[:, 1] - waist) < 0.02) & limb_mask(body.limb, "torso", "pelvis")]
    hips = skin[limb_mask(body.limb, "pelvis", "left_thigh", "right_thigh") & (skin[:, 1] > waist - 0.35)]
    half = np.array([max(np.ptp(near[:, 0]), 0.1), max(np.ptp(near[:, 2]), 0.1)]) / 2 + 0.01
    full = np.array([np.ptp(hips[:, 0]), np.ptp(hips[:, 2])]) / 2 + 0.02
    angle, level = np.linspace(0, 2 * np.pi, 145)[:-1], np.linspace(0, 1, 40)
    grow = np.minimum(level / 0.3, 1.0)[:, None]
    rim = half + (full - half) * grow + wide * level[:, None]
    wave = 1 + 0.08 * level[:, None] * np.cos(folds * angle)
    x, z = rim[:, :1] * np.cos(angle) * wave, rim[:, 1:] * np.sin(angle) * wave
    y = np.broadcast_to((waist - level * length)[:, None], x.shape)
    centre = near.mean(axis=0)
    cloth = np.stack([x + centre[0], y, z + centre[2]], axis=2).reshape(-1, 3)
    i = np.arange(40 * 144).reshape(40, 144)
    j = np.roll(i, -1, axis=1)
    a, b, c, d = i[:-1].ravel(), j[:-1].ravel(), j[1:].ravel(), i[1:].ravel()
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    hidden = (skin[:, 1] < waist) & (skin[:, 1] > waist - length)
    hidden &= limb_mask(body.limb, "torso", "pelvis", "left_thigh", "right_thigh", "left_shin", "right_shin")
    points, kept = without(skin, body.triangles, hidden)
    return np.concatenate([points, cloth]), np.concatenate([kept, faces + len(points)]).astype(np.int32)


def seen(points: Floats, triangles: Ints, views: int = 24, cell: float = 0.007) -> Surface:
    """Return the part of a surface that cameras all round see: what lies under cloth is hidden.

    Points on all triangles are drawn into depth maps; a triangle is seen if one of them is in front.
    """
    rng = np.random.default_rng(8)
    size = areas(points, triangles)
    row = rng.choice(len(triangles), int(size.sum() / cell**2 * 5), p=size / size.sum())
    row = np.concatenate([np.arange(len(triangles)), row])
    share = rng.dirichlet((1.0, 1.0, 1.0), len(row))
    place = np.einsum("nk,nka->na", share, points[triangles[row]])
    found = np.zeros(len(triangles), dtype=bool)
    for number in range(views):
        # directions spread evenly (golden angle), none from far below
        up, turn = 1.0 - 1.5 * (number + 0.5) / views, 2.399963 * number
        way = np.array([np.sqrt(1 - up**2) * np.cos(turn), up, np.sqrt(1 - up**2) * np.sin(turn)])
        side = np.cross(way, [0.0, 1.0, 0.0])
        side /= np.linalg.norm(side)
        grid = np.floor(place @ np.stack([side, np.cross(side, way)], 1) / cell).astype(np.int64)
        grid -= grid.min(axis=0)
        key = grid[:, 0] * (grid[:, 1].max() + 1) + grid[:, 1]
        depth = place @ way
        front = np.full(key.max() + 1, -np.inf)
        np.maximum.at(front, key, depth)
        found[row[depth > front[key] - 0.004]] = True
    return compact(points, triangles[found])


def dressed(body: Body, cloth: Floats, cloth_triangles: Ints) -> Surface:
    """Return what a scanner sees of a body in its rest pose in simulated clothes, (n, 3) [m], (t, 3)."""
    return seen(*joined((body.vertices, body.triangles), (cloth, cloth_triangles)))


def in_shirt(body: Body, skin: Floats, thick: float) -> Surface:
    """Return a person in a T-shirt of even thickness [m] that ends at hems on arms and hips."""
    rest, marks = body.vertices, body.landmarks
    hips = limb_mask(body.limb, "pelvis") & (rest[:, 1] > rest[marks["left_buttock"], 1])
    worn = limb_mask(body.limb, "torso") | hips
    for side in ("left", "right"):
        shoulder, elbow = rest[marks[f"{side}_shoulder"]], rest[marks[f"{side}_elbow"]]
        along = (rest - shoulder) @ (elbow - shoulder) / ((elbow - shoulder) @ (elbow - shoulder))
        worn |= limb_mask(body.limb, f"{side}_upper_arm") & (along < 0.6)
    return skin + (thick * worn)[:, None] * vertex_normals(skin, body.triangles), body.triangles


def in_underwear(body: Body, skin: Floats, thick: float = 0.002) -> Surface:
    """Return a person in briefs and a bra or vest: cloth that thick [m] with sharp borders."""
    height, marks = body.vertices[:, 1], body.landmarks
    crotch, hip, waist = (height[marks[m]] for m in ("crotch", "left_buttock", "waist_front"))
    bust, under = height[marks["left_bust"]], height[marks["left_underbust"]]
    trunk = limb_mask(body.limb, "torso", "pelvis", "left_thigh", "right_thigh")
    briefs = trunk & (height > crotch - 0.02) & (height < hip + 0.4 * (waist - hip))
    bra = limb_mask(body.limb, "torso") & (height > under - 0.03) & (height < bust + 0.05)
    normals = vertex_normals(skin, body.triangles)
    return skin + (thick * (briefs | bra))[:, None] * normals, body.triangles


# ---------------------------------------------------------------------------- things


def blob(centre: tuple[float, ...], half: tuple[float, ...], turn: tuple[float, ...] = (0, 0, 0)) -> Surface:
    """Return an ellipsoid [m]; turn: rotation vector [degrees]."""
    u, v = np.meshgrid(np.linspace(0, np.pi, 25), np.linspace(0, 2 * np.pi, 49)[:-1], indexing="ij")
    unit = np.stack([np.sin(u) * np.cos(v), np.cos(u), np.sin(u) * np.sin(v)], axis=2).reshape(-1, 3)
    i = np.arange(25 * 48).reshape(25, 48)
    j = np.roll(i, -1, axis=1)
    a, b, c, d = i[:-1].ravel(), j[:-1].ravel(), j[1:].ravel(), i[1:].ravel()
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)]).astype(np.int32)
    turned = (unit * half) @ Rotation.from_rotvec(turn, degrees=True).as_matrix().T
    return turned + np.array(centre), faces


def box(centre: tuple[float, ...], half: tuple[float, ...]) -> Surface:
    """Return a box [m] of fine triangles."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    faces = ConvexHull(corners).simplices.astype(np.int32)
    points, faces = finer(corners * half + np.array(centre), faces, 4)
    return points, faces


def joined(*parts: Surface) -> Surface:
    """Return several surfaces as one."""
    counts = np.cumsum([0, *(len(p) for p, _ in parts)])
    faces = [f + c for (_, f), c in zip(parts, counts, strict=False)]
    return np.concatenate([p for p, _ in parts]), np.concatenate(faces).astype(np.int32)


def dog() -> Surface:
    """Return a large dog, 1.4 m long and 1 m tall, standing on its hind legs' length."""
    legs = [blob((x, 0.3, z), (0.05, 0.32, 0.06)) for x in (-0.12, 0.12) for z in (-0.4, 0.4)]
    head = [blob((0, 1.15, 0.65), (0.11, 0.13, 0.2)), blob((0, 0.95, 0.5), (0.09, 0.22, 0.1), (35, 0, 0))]
    return joined(blob((0, 0.72, 0), (0.2, 0.22, 0.58)), *legs, *head,
                  blob((0, 1.0, -0.62), (0.03, 0.3, 0.03), (-20, 0, 0)))  # fmt: skip


def bear() -> Surface:
    """Return a teddy bear of a person's height: large head, short thick limbs."""
    arms = [blob((s * 0.5, 0.95, 0), (0.14, 0.32, 0.14), (0, 0, s * 50)) for s in (-1, 1)]
    legs = [blob((s * 0.24, 0.28, 0.05), (0.17, 0.32, 0.17)) for s in (-1, 1)]
    ears = [blob((s * 0.27, 1.68, 0), (0.11, 0.11, 0.05)) for s in (-1, 1)]
    return joined(blob((0, 0.75, 0), (0.36, 0.42, 0.3)), blob((0, 1.38, 0), (0.33, 0.3, 0.3)),
                  *arms, *legs, *ears)  # fmt: skip


def gorilla() -> Surface:
    """Return an ape on its feet: arms to the ground, short legs, no waist."""
    arms = [blob((s * 0.55, 0.75, 0.05), (0.12, 0.6, 0.13), (0, 0, s * 14)) for s in (-1, 1)]
    legs = [blob((s * 0.22, 0.27, 0), (0.15, 0.32, 0.16)) for s in (-1, 1)]
    return joined(
        blob((0, 0.9, 0), (0.42, 0.55, 0.33)), blob((0, 1.52, 0.1), (0.17, 0.24, 0.2)), *arms, *legs
    )


def bird() -> Surface:
    """Return an ostrich."""
    legs = [blob((s * 0.12, 0.45, 0), (0.04, 0.48, 0.04)) for s in (-1, 1)]
    neck = [blob((0, 1.4, 0.35), (0.05, 0.4, 0.05), (10, 0, 0)), blob((0, 1.82, 0.45), (0.07, 0.08, 0.14))]
    return joined(blob((0, 1.0, 0), (0.28, 0.28, 0.48)), *legs, *neck)


def chair() -> Surface:
    """Return an armless chair with a high back."""
    legs = [box((x, 0.22, z), (0.03, 0.22, 0.03)) for x in (-0.2, 0.2) for z in (-0.2, 0.2)]
    return joined(box((0, 0.46, 0), (0.24, 0.03, 0.24)), box((0, 0.95, -0.22), (0.24, 0.5, 0.025)), *legs)


def table() -> Surface:
    """Return a table."""
    legs = [box((x, 0.36, z), (0.04, 0.36, 0.04)) for x in (-0.7, 0.7) for z in (-0.35, 0.35)]
    return joined(box((0, 0.75, 0), (0.8, 0.03, 0.45)), *legs)


def coat_stand() -> Surface:
    """Return a coat stand with four hooks: tall, thin, symmetrical."""
    hooks = [blob((np.cos(a) * 0.2, 1.5, np.sin(a) * 0.2), (0.15, 0.03, 0.03), (0, -np.degrees(a), 0))
             for a in (0.0, 1.57, 3.14, 4.71)]  # fmt: skip
    return joined(blob((0, 0.85, 0), (0.05, 0.9, 0.05)), blob((0, 0.03, 0), (0.3, 0.03, 0.3)), *hooks)


def dress_form() -> Surface:
    """Return a tailor's dummy: a trunk on a pole."""
    return joined(blob((0, 1.15, 0), (0.2, 0.4, 0.14)), blob((0, 0.45, 0), (0.03, 0.5, 0.03)),
                  blob((0, 0.02, 0), (0.25, 0.02, 0.25)), blob((0, 1.55, 0), (0.06, 0.1, 0.06)))  # fmt: skip


def tree() -> Surface:
    """Return a trunk with a crown."""
    crown = [
        blob((x, y, z), (0.3, 0.25, 0.3))
        for x, y, z in (
            (0, 1.55, 0),
            (0.25, 1.3, 0.1),
            (-0.25, 1.35, -0.1),
            (0, 1.3, 0.3),
            (0.05, 1.25, -0.3),
        )
    ]
    return joined(blob((0, 0.6, 0), (0.09, 0.7, 0.09)), *crown)


def snowman() -> Surface:
    """Return three balls and two sticks."""
    sticks = [blob((s * 0.5, 1.1, 0), (0.03, 0.35, 0.03), (0, 0, s * 60)) for s in (-1, 1)]
    return joined(blob((0, 0.4, 0), (0.42, 0.42, 0.42)), blob((0, 1.0, 0), (0.3, 0.3, 0.3)),
                  blob((0, 1.45, 0), (0.2, 0.2, 0.2)), *sticks)  # fmt: skip


def robot() -> Surface:
    """Return a man of boxes, roughly of a person's proportions."""
    arms = [box((s * 0.45, 1.2, 0), (0.25, 0.06, 0.06)) for s in (-1, 1)]
    legs = [box((s * 0.13, 0.42, 0), (0.09, 0.42, 0.1)) for s in (-1, 1)]
    return joined(box((0, 1.12, 0), (0.24, 0.3, 0.16)), box((0, 1.6, 0), (0.14, 0.15, 0.14)), *arms, *legs)


def cone() -> Surface:
    """Return a cone of 1.7 m."""
    points, faces = blob((0, 0, 0), (1, 1, 1))
    y = (points[:, 1] + 1) / 2
    side = np.linalg.norm(points[:, [0, 2]], axis=1, keepdims=True)
    ring = points[:, [0, 2]] / np.maximum(side, 1e-9) * (0.4 * (1 - y))[:, None] * (side > 1e-6)
    return np.stack([ring[:, 0], 1.7 * y, ring[:, 1]], axis=1), faces


THINGS: dict[str, Callable[[], Surface]] = {
    "egg": lambda: blob((0, 0.85, 0), (0.4, 0.85, 0.4)), "box": lambda: box((0, 0.9, 0), (0.3, 0.9, 0.2)),
    "cone": cone, "dog": dog, "bear": bear, "gorilla": gorilla, "bird": bird, "chair": chair, "table": table,
    "coat stand": coat_stand, "dress form": dress_form, "tree": tree, "snowman": snowman, "robot": robot,
}  # fmt: skip


def part_count(triangles: Ints, count: int) -> int:
    """Return of how many pieces a surface is."""
    ends = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]]])
    links = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count, count))
    labels = connected_components(links, directed=False)[1]
    return len(np.unique(labels[triangles[:, 0]]))

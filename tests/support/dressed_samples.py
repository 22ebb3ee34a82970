"""Small garments and bodies made of a few lines, for tests of files and pictures."""

import numpy as np

from toile.core.provenance import Provenance
from toile.core.records import Body, Edge, Fabric, Garment, Panel, Pattern, Placement, Recording, Skeleton

RED = Fabric("red", 0.15, 300, 250, 60, 1e-5, 8e-6, colour=(0.6, 0.05, 0.05))
BLUE = Fabric("blue", 0.2, 500, 450, 90, 2e-5, 2e-5, colour=(0.05, 0.1, 0.5))


def _strip(columns: int, rows: int) -> np.ndarray:
    i = np.arange(columns * (rows + 1)).reshape(rows + 1, columns)
    a, b, c, d = i[:-1, :-1], i[:-1, 1:], i[1:, 1:], i[1:, :-1]
    return np.stack([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).reshape(-1, 3)


def tube(columns: int = 12, rows: int = 6, radius: float = 0.2, height: float = 0.5) -> Garment:
    """Return a skirt of two half tubes (front, back), welded at two side seams; see tube_position."""
    width = np.pi * radius
    half = columns // 2
    s, t = np.meshgrid(np.linspace(0, width, half + 1), np.linspace(0, height, rows + 1))
    uv = np.stack([s, t], -1).reshape(-1, 2)
    count = len(uv)
    column = np.tile(np.arange(half + 1), rows + 1)
    row = np.repeat(np.arange(rows + 1), half + 1)
    particle = np.concatenate([row * columns + column, row * columns + (column + half) % columns])
    faces = np.concatenate([_strip(half + 1, rows), _strip(half + 1, rows) + count])
    left = row * (half + 1)
    pairs = np.stack([np.unique(left) + half, np.unique(left) + count], -1)
    pairs = np.concatenate([pairs, np.stack([np.unique(left) + count + half, np.unique(left)], -1)])
    square = [
        Edge(0, 1, name="hem"),
        Edge(1, 2),
        Edge(2, 3, "quadratic", [[width / 2, height + 0.01]]),
        Edge(3, 0),
    ]
    corners = [[0, 0], [width, 0], [width, height], [0, height]]
    place = Placement(np.zeros(3), np.eye(3), "torso")
    panels = tuple(Panel(n, corners, tuple(square), place) for n in ("front", "back"))
    return Garment(
        name="tube",
        triangles=particle[faces],
        uv=np.concatenate([uv, uv]),
        triangles_uv=faces,
        uv_particle=particle,
        uv_panel=np.repeat([0, 1], count),
        panel_names=("front", "back"),
        fabrics=(RED, BLUE),
        triangle_fabric=np.repeat([0, 1], len(faces) // 2),
        seam_uv=pairs,
        seam_id=np.repeat([0, 1], rows + 1),
        seam_names=("left side", "right side"),
        hold_particle=np.arange(rows * columns, (rows + 1) * columns),
        particle_garment=np.zeros((rows + 1) * columns),
        garment_names=("tube",),
        garment_layer=[0],
        patterns=(Pattern("tube", panels),),
        edge_length=0.05,
    )


def tube_position(garment: Garment, radius: float = 0.2, height: float = 0.5) -> np.ndarray:
    """Return the tube's particles round the y axis, outside facing out."""
    columns = int(garment.triangles.max() + 1 - len(garment.hold_particle)) and len(garment.hold_particle)
    rows = garment.particle_count // columns - 1
    angle = 2 * np.pi * np.arange(columns) / columns
    ring = np.stack([np.sin(angle), np.zeros(columns), np.cos(angle)], -1) * radius
    y = np.linspace(0, height, rows + 1)[:, None, None] * np.array([0, 1.0, 0])
    return (ring + y + np.array([0, 0.5, 0])).reshape(-1, 3)


def ball_body(radius: float = 0.15, rings: int = 12) -> Body:
    """Return a ball at height 1 as a body with one joint."""
    columns = 2 * rings
    polar = np.linspace(np.pi, 0, rings + 1)[1:-1]
    angle = 2 * np.pi * np.arange(columns) / columns
    p, a = np.meshgrid(polar, angle, indexing="ij")
    points = np.stack([np.sin(p) * np.sin(a), np.cos(p), np.sin(p) * np.cos(a)], -1).reshape(-1, 3)
    points = np.concatenate([points, [[0, -1, 0], [0, 1, 0]]]) * radius + [0, 1, 0]
    i = np.arange((rings - 1) * columns).reshape(rings - 1, columns)
    j = np.roll(i, -1, axis=1)
    sides = [np.stack([i[:-1], j[:-1], j[1:]], -1), np.stack([i[:-1], j[1:], i[1:]], -1)]
    south, north = len(points) - 2, len(points) - 1
    caps = [
        np.stack([np.full(columns, south), j[0], i[0]], -1),
        np.stack([np.full(columns, north), i[-1], j[-1]], -1),
    ]
    triangles = np.concatenate([s.reshape(-1, 3) for s in sides + caps])
    n = len(points)
    skeleton = Skeleton(("root",), [-1], np.eye(4)[None], [[0, 1, 0]])
    return Body(
        "ball",
        points,
        triangles,
        skeleton,
        np.zeros((n, 1)),
        np.ones((n, 1)),
        np.full(n, 2),
        {"top": north},
        {"height": 1.15},
    )


def recording(frames: int = 3) -> Recording:
    """Return a swinging tube round a ball that rises."""
    garment, body = tube(), ball_body()
    times = np.arange(frames) / 30
    position = tube_position(garment)
    swing = np.sin(3 * times)[:, None, None] * (1.0 - position[:, 1:2])[None] * np.array([0.3, 0.02, 0.1])
    rise = times[:, None, None] * np.array([0, 0.1, 0])
    return Recording(
        garment, body, times, position + swing, body.vertices + rise, Provenance(more={"seed": 7})
    )

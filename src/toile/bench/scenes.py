"""Scenes to measure solvers with: cloth on a ball, hanging cloth, a tube, a skirt on a moving dummy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from toile.bench.peer_scene import moved
from toile.core.records import LIMBS, Body, Floats, Garment, Ints, PosedBody, Scene, Skeleton, State
from toile.garment.build import weld
from toile.garment.fabric import fabric
from toile.garment.shapes import flat_position, plain_cloth, square_cloth
from toile.sim.colliders.base import no_contacts
from toile.sim.colliders.shapes import Sphere
from toile.sim.colliders.surface import SurfaceCollider
from toile.sim.frame.advance import advance_frame
from toile.sim.solvers.xpbd import XpbdSettings, XpbdSolver

FRAME = 1 / 60
"""[s]"""
FALL = np.array([0.0, -9.81, 0.0])
CALM = np.zeros(3)
BALL_CENTRE, BALL_RADIUS = np.array([0.5, -0.3, 0.5]), 0.25
"""the ball under the square cloth [m]"""
BALL_REACH = 0.12
"""how far off cloth is watched [m]: a free corner of fine cloth whips in at over 10 m/s"""
CLOTH = replace(fabric("cotton"), name="bench", mass=0.2)
"""0.2 kg/m²: what peers are given too"""


@dataclass(frozen=True, eq=False)
class BenchScene:
    """Cloth that can be advanced frame by frame."""

    name: str
    garment: Garment
    start: State
    frame: Callable[[State, int], State]
    """the state after a frame, from the state before and the number of the frame"""
    depth: Callable[[Floats, int], Floats]
    """how deep each particle is inside the obstacle after a frame [m], (n,); negative outside"""
    face_count: int = 0
    """triangles of the obstacle"""


def _outside(position: Floats, frame: int) -> Floats:
    return np.full(len(position), -1.0)


def lying(garment: Garment) -> Floats:
    """Return where flat cloth lies in the air, at height 0 [m], (n, 3)."""
    flat = flat_position(garment)
    return np.stack([flat[:, 0], np.zeros(len(flat)), flat[:, 1]], axis=1)


def ball_trial(cells: int, settings: XpbdSettings) -> BenchScene:
    """Return a square metre of cloth, cells × cells, that falls on a ball with friction."""
    garment = square_cloth(cells - 1, cells - 1, fabric=CLOTH)
    solver = XpbdSolver(garment, replace(settings, self_collision=False))
    ball = Sphere(BALL_CENTRE, BALL_RADIUS, reach=BALL_REACH)
    scene = Scene(None, ball, FALL, CALM)
    x = lying(garment)
    return BenchScene(
        f"ball {cells}²",
        garment,
        State(x, np.zeros_like(x)),
        lambda state, _: solver.step(state, scene, FRAME),
        lambda position, _: BALL_RADIUS - np.linalg.norm(position - BALL_CENTRE, axis=1),
    )


def hanging_trial(cells: int, settings: XpbdSettings) -> BenchScene:
    """Return a square metre of cloth that lies in the air, held by two corners, and swings down."""
    garment = square_cloth(cells - 1, cells - 1, fabric=CLOTH)
    solver = XpbdSolver(garment, replace(settings, self_collision=False))
    solver.pin(np.array([0, cells - 1], np.int32))
    scene, x = Scene(None, no_contacts, FALL, CALM), lying(garment)
    return BenchScene(
        f"hanging {cells}²",
        garment,
        State(x, np.zeros_like(x)),
        lambda state, _: solver.step(state, scene, FRAME),
        _outside,
    )


def half_circle(vertices: int, waist: float, length: float) -> tuple[Garment, Floats, Ints]:
    """Return half a circle of cloth sewn to a skirt, its position round the y axis [m], and its waist.

    The waist is a ring of that girth [m] at the height of the length [m]; the hem falls in folds.
    """
    inner = waist / np.pi
    rows = max(2, round(np.sqrt(vertices * length / (waist + 0.5 * np.pi * length))))
    columns = max(8, round(vertices / (rows + 1)))
    flat = square_cloth(columns, rows, 1.0, 1.0)
    azimuth, down = np.pi * (1.0 - flat.uv[:, 0]), (1.0 - flat.uv[:, 1]) * length
    uv = (inner + down)[:, None] * np.stack([np.cos(azimuth), np.sin(azimuth)], axis=1)
    left = np.arange(rows + 1, dtype=np.int32) * (columns + 1)
    sewn = weld(
        plain_cloth("half circle", uv, flat.triangles, CLOTH, np.stack([left, left + columns], axis=1))
    )
    around, part = 2 * np.pi * flat.uv[:, 0], down / length
    # half a circle makes a cone of 30°; a trace of ripple lets twelve folds begin
    radius = 0.5 * (inner + down) * (1.0 + 0.01 * part * np.cos(12 * around))
    height = length - down * np.cos(np.radians(30.0))
    points = np.stack([radius * np.sin(around), height, radius * np.cos(around)], axis=1)
    position = np.zeros((sewn.particle_count, 3))
    position[sewn.uv_particle[::-1]] = points[::-1]
    rim = np.unique(sewn.uv_particle[part < 1e-9]).astype(np.int32)
    return sewn, position, rim


def tube_trial(vertices: int, settings: XpbdSettings) -> BenchScene:
    """Return a half-circle skirt that hangs from a ring and falls into folds."""
    garment, x, rim = half_circle(vertices, 0.75, 0.6)
    solver = XpbdSolver(garment, replace(settings, self_collision=False))
    solver.pin(rim)
    scene = Scene(None, no_contacts, FALL, CALM)
    return BenchScene(
        f"tube {garment.particle_count}",
        garment,
        State(x, np.zeros_like(x)),
        lambda state, _: solver.step(state, scene, FRAME),
        _outside,
    )


DUMMY_COLUMNS, DUMMY_ROWS = 72, 102
DUMMY_PROFILE = np.array(
    [(0.0, 0.02), (0.02, 0.17), (0.45, 0.16), (0.62, 0.165), (0.8, 0.11), (0.95, 0.105), (1.0, 0.02)]
)
"""height and radius of the dummy [m]: hips at 0.62, waist at 0.8"""


def dummy_mesh(columns: int = DUMMY_COLUMNS, rows: int = DUMMY_ROWS) -> tuple[Floats, Ints]:
    """Return a lathe-turned lower body of 2 · columns · rows triangles, closed, standing on y = 0 [m]."""
    height = np.linspace(0.0, 1.0, rows)
    radius = np.interp(height, *DUMMY_PROFILE.T)
    azimuth = np.arange(columns) * 2 * np.pi / columns
    rings = np.stack(
        [
            radius[:, None] * np.sin(azimuth),
            np.broadcast_to(height[:, None], (rows, columns)),
            radius[:, None] * np.cos(azimuth),
        ],
        axis=-1,
    )
    vertices = np.concatenate([rings.reshape(-1, 3), [[0, 0, 0], [0, 1, 0]]])
    here = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    right = np.roll(here, -1, axis=1)
    low, low_right, high, high_right = here[:-1], right[:-1], here[1:], right[1:]
    bottom, top = len(vertices) - 2, len(vertices) - 1
    fans = [
        np.stack([np.full(columns, bottom), right[0], here[0]], axis=-1),
        np.stack([np.full(columns, top), here[-1], right[-1]], axis=-1),
    ]
    sides = [np.stack([low, low_right, high_right], axis=-1), np.stack([low, high_right, high], axis=-1)]
    triangles = np.concatenate([side.reshape(-1, 3) for side in (*sides, *fans)]).astype(np.int32)
    return vertices, triangles


def dummy_body(columns: int = DUMMY_COLUMNS, rows: int = DUMMY_ROWS) -> Body:
    """Return the dummy as a body with one joint."""
    vertices, triangles = dummy_mesh(columns, rows)
    count = len(vertices)
    skeleton = Skeleton(("root",), np.array([-1], np.int32), np.eye(4)[None], np.array([[0.0, 1.0, 0.0]]))
    return Body(
        name="dummy",
        vertices=vertices,
        triangles=triangles,
        skeleton=skeleton,
        weight_joint=np.zeros((count, 1), np.int32),
        weight=np.ones((count, 1)),
        limb=np.full(count, LIMBS.index("pelvis"), np.int32),
    )


def dummy_pose(vertices: Floats, time: float) -> Floats:
    """Return where the dummy is at a time [s]: it sways by 6 cm and turns by 25°, once in 1.5 s."""
    return np.asarray(moved(vertices, time))


WAIST = 0.74
"""girth of the dummy's waist with room for the cloth [m]"""


def skirt_cloth(vertices: int) -> tuple[Garment, Floats, Ints]:
    """Return a half-circle skirt round the dummy's waist, its position [m], (n, 3), and its upper rim."""
    garment, x, rim = half_circle(vertices, WAIST, 0.5)
    x[:, 1] += 0.8 - 0.5
    return garment, x, rim


def skirt_trial(
    vertices: int, settings: XpbdSettings, *, self_collision: bool = False, dummy: Body | None = None
) -> BenchScene:
    """Return a skirt, pinned at its waist, on a dummy that sways and turns."""
    garment, x, rim = skirt_cloth(vertices)
    body = dummy or dummy_body()
    solver = XpbdSolver(garment, replace(settings, self_collision=self_collision))
    solver.pin(rim)
    collider = SurfaceCollider(body)
    joint, still = np.eye(4)[None], np.zeros_like(body.vertices)
    columns = np.asfortranarray(body.vertices)  # x of all next to each other: what the motion reads

    # the pose with which a frame ends is that with which the next begins; its velocity follows from the two
    @lru_cache(maxsize=2)
    def pose(frame: int) -> PosedBody:
        return PosedBody(body, dummy_pose(columns, frame * FRAME), still, joint)

    def frame(state: State, number: int) -> State:
        velocity = np.array(state.velocity)
        velocity[rim] = (dummy_pose(x[rim], number * FRAME) - state.position[rim]) / FRAME
        moving = State(state.position, velocity, state.time)
        return advance_frame(solver, collider, moving, pose(number - 1), pose(number), FRAME)

    def depth(position: Floats, number: int) -> Floats:
        contacts = collider.at(pose(number))(position)
        found = np.full(len(position), -1.0)
        np.maximum.at(found, contacts.particle, -contacts.gap)
        return found

    name = f"skirt {garment.particle_count}" + (", self-collision" if self_collision else "")
    return BenchScene(name, garment, State(x, np.zeros_like(x)), frame, depth, len(body.triangles))

"""The papers' experiments to play with: cloth that hangs, lies on a moving ball, falls on who walks."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from toile.body.model.skin import rest_pose
from toile.core.records import Body, Floats, Ints, Skeleton, State
from toile.garment.shapes import flat_position, square_cloth
from toile.sim.colliders.shapes import Sphere
from toile.sim.method import Method
from toile.studio.living import BodySkin, Living, MethodCloth

RADIUS, REST, SWING, PERIOD = 0.25, 1.2, 0.35, 2.2
"""of the ball [m]; it rests [s], then swings so far [m], there and back in a period [s]"""
HEIGHT = 1.1
"""of the ball's middle [m]"""
BALL_GAP = 0.006
FINEST = 24
"""cells of a cloth that falls on a person, at least: a head fits through the mesh of a coarser one"""


@dataclass(frozen=True, eq=False, slots=True)
class Experiment:
    """Cloth, and what it meets."""

    cloth: Living
    ball: bool = False
    person: bool = False
    """the project's person is there"""


def hanging(how: str, cells: int, fabric: str, method: Method) -> Experiment:
    """Return a square metre held out level by a corner or an edge (Shi et al. 2010, figures 3 and 5)."""
    garment = square_cloth(cells, cells, 1.0, 1.0, fabric)
    flat = flat_position(garment)
    top = flat[:, 1] > flat[:, 1].max() - 1e-9
    held = top & (flat[:, 0] < 1e-9) if how == "corner" else top
    start = np.stack([flat[:, 0] - 0.5, np.full(len(flat), 1.7), flat[:, 1] - flat[:, 1].max()], axis=1)
    cloth = MethodCloth(garment, State(start, np.zeros_like(start)), method)
    cloth.pin(np.flatnonzero(held).astype(np.int32))
    return Experiment(cloth)


def tablecloth(cells: int, fabric: str, method: Method) -> Experiment:
    """Return a cloth that drapes over a ball, which then swings (Vassilev et al. 2001, figure 8)."""
    garment = square_cloth(cells, cells, 1.0, 1.0, fabric)
    flat = flat_position(garment)
    flat = flat - flat.mean(axis=0)
    start = np.stack([flat[:, 0], np.full(len(flat), HEIGHT + RADIUS + BALL_GAP), flat[:, 1]], axis=1)
    cloth = MethodCloth(garment, State(start, np.zeros_like(start)), method)
    cloth.ball = ball_at(0.0)
    return Experiment(cloth, ball=True)


def ball_at(time: float) -> Sphere:
    """Return where the ball is at a time [s]; it gathers speed smoothly."""
    run = max(0.0, time - REST)
    rate = 2 * math.pi / PERIOD
    x, speed = SWING * (1 - math.cos(rate * run)), SWING * rate * math.sin(rate * run)
    return Sphere(np.array([x, HEIGHT, 0.0]), RADIUS, np.array([speed, 0.0, 0.0]))


def falling(cells: int, fabric: str, method: Method, skin: BodySkin) -> Experiment:
    """Return a cloth above the person, about to fall."""
    cells = max(cells, FINEST)
    garment = square_cloth(cells, cells, 1.4, 1.4, fabric)
    flat = flat_position(garment)
    flat = flat - flat.mean(axis=0)
    top = float(skin.body.vertices[:, 1].max())
    # its outside is up
    start = np.stack([flat[:, 0], np.full(len(flat), top + 0.15), -flat[:, 1]], axis=1)
    state = State(start, np.zeros_like(start))
    return Experiment(skin.cloth(garment, start, state, rest_pose(skin.body), method), person=True)


def ball_body() -> Body:
    """Return the ball as a body with one joint at its middle, for the page to draw."""
    vertices, triangles = _sphere(40, 24)
    count = len(vertices)
    skeleton = Skeleton(("ball",), np.array([-1]), np.eye(4)[None], np.zeros((1, 3)))
    return Body(
        name="ball",
        vertices=RADIUS * vertices,
        triangles=triangles,
        skeleton=skeleton,
        weight_joint=np.zeros((count, 1), np.int32),
        weight=np.ones((count, 1)),
        limb=np.zeros(count, np.int32),
    )


def _sphere(columns: int, rows: int) -> tuple[Floats, Ints]:
    """Return points and triangles of a ball of radius 1, counter-clockwise from outside."""
    around, down = np.meshgrid(
        np.linspace(0, 2 * np.pi, columns, endpoint=False), np.linspace(0, np.pi, rows)
    )
    points = np.stack([np.sin(down) * np.sin(around), np.cos(down), np.sin(down) * np.cos(around)], axis=-1)
    row, column = np.meshgrid(np.arange(rows - 1), np.arange(columns), indexing="ij")
    a, b = row * columns + column, row * columns + (column + 1) % columns
    first = np.stack([a, a + columns, b], axis=-1).reshape(-1, 3)
    second = np.stack([b, a + columns, b + columns], axis=-1).reshape(-1, 3)
    return points.reshape(-1, 3), np.concatenate([first, second]).astype(np.int32)

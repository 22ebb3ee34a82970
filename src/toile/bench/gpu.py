"""``toile bench gpu``: paper 004's tables 1 and 2 where they ran, on a graphics device.

A sheet falls on a walking woman. A frame is one step of 0.01 s and one picture: the skin goes to the device,
28 maps are drawn there, the cloth is relaxed, stopped, pushed out and drawn; nothing comes back.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from toile.body.model.make import named_body
from toile.body.model.skin import pose_body, rest_pose
from toile.core.records import Body, Floats, PosedBody, Scene
from toile.garment.shapes import flat_position, square_cloth
from toile.gpu.device import Array, Device, open_device
from toile.gpu.draw import ClothPicture
from toile.motion.library import read_motion
from toile.motion.retargeting.retarget import retarget
from toile.motion.track import lead_in
from toile.sim.colliders.limb_maps import LimbMapCollider, LimbMapSettings
from toile.sim.frame.advance import GRAVITY, STILL_AIR
from toile.sim.papers import PAPERS
from toile.sim.solvers import verlet_device
from toile.sim.solvers.verlet import VerletSettings, VerletSolver

DT = 0.01
"""time step of the paper [s]"""
MODES = {"20": (20, 0.0), "40": (40, 0.0), "adaptive": (40, 5e-4)}
"""most sweeps, and the movement in a sweep below which relaxation ends [m]"""
OF_MAPS = ("every", "rim", "refine", "by_depth", "closed", "overlap")
PICTURE = (640, 480)
"""pixels of the picture of each frame"""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of the tables."""

    cells: int
    """a side of the sheet"""
    culled: bool
    """only parts that can collide"""
    mode: str
    rate: float
    """frames a second by the clock, maps, cloth and picture"""
    sweeps: int
    """of the last step"""
    finite: bool


def run_cell(
    body: Body, poses: Sequence[PosedBody], cells: int, culled: bool, mode: str
) -> tuple[Cell, Array]:
    """Return one cell of the tables and the last picture, (height, width, 4)."""
    tune = dict(PAPERS["004"].tune)
    of_maps = {key: tune.pop(key) for key in OF_MAPS}
    most, threshold = MODES[mode]
    settings = VerletSettings(
        **{**tune, "iterations": most, "threshold": threshold}, columns=cells, device="gpu"
    )
    sheet = square_cloth(cells, cells)
    solver = VerletSolver(sheet, settings)
    collider = LimbMapCollider(body, LimbMapSettings(**of_maps, colliding=culled, device="gpu"))
    cloth, flat = solver.on_device, flat_position(sheet) - flat_position(sheet).mean(axis=0)
    start = np.stack([flat[:, 0], np.full(len(flat), body.vertices[:, 1].max() + 0.005), -flat[:, 1]], axis=1)
    picture = ClothPicture(cloth, sheet.triangles, *PICTURE)
    cloth.put(start, np.zeros_like(start))
    began = 0.0
    for k, posed in enumerate(poses):
        if k == 1:
            # the first frame makes textures and groups
            cloth.gpu.wait()
            began = time.perf_counter()
        query = collider.at(posed)
        assert query.on_device is not None
        scene = Scene(posed, query, GRAVITY, STILL_AIR)
        verlet_device.enqueue(cloth, query.on_device, settings, scene, DT)
        picture.draw(clip_from_world(start))
    cloth.gpu.wait()
    rate = (len(poses) - 1) / (time.perf_counter() - began)
    finite = bool(np.isfinite(cloth.get()[0]).all())
    return Cell(cells, culled, mode, rate, cloth.sweeps, finite), picture.read()


def clip_from_world(start: Floats) -> Floats:
    """Return the camera that sees the sheet from above the front, (4, 4)."""
    at = start.mean(axis=0)
    y = np.array([0.0, 0.8, -0.6])
    z = np.array([0.0, 0.6, 0.8])
    clip = np.zeros((4, 4))
    clip[0, :3], clip[1, :3], clip[2, :3] = [0.9, 0.0, 0.0], 1.2 * y, -0.2 * z
    clip[:3, 3] = -clip[:3, :3] @ (at - [0.0, 0.3, 0.0])
    clip[2, 3] += 0.5
    clip[3, 3] = 1.0
    return clip


def walk_poses(body: Body, count: int) -> list[PosedBody]:
    """Return the first poses of a walk, a time step apart."""
    track = retarget(read_motion("walk"), body, fps=1 / DT)
    poses = [rest_pose(body)]
    for k in range(1, count + 1):
        poses.append(pose_body(body, lead_in(body, track, k * DT, 0.3), poses[-1], DT))
    return poses[1:]


def run_gpu(
    sizes: Sequence[int] = (64, 128, 256),
    frames: int = 60,
    told: Callable[[Cell], None] = lambda cell: None,
) -> tuple[Device, list[Cell], Array]:
    """Return the device, the cells of both tables and the last picture."""
    body, device = named_body("woman"), open_device()
    poses, found = walk_poses(body, frames), list[Cell]()
    picture = np.zeros((1, 1, 4), np.uint8)
    for culled in (False, True):
        for cells in sizes:
            for mode in MODES:
                cell, picture = run_cell(body, poses, cells, culled, mode)
                found.append(cell)
                told(cell)
    return device, found, picture


def verdict(device: Device) -> str:
    """Return what the figures may be taken for."""
    if device.is_software:
        return f"{device.name} is a driver in software: these figures say nothing about graphics hardware"
    return f"measured on {device.name}"

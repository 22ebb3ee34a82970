"""Small cloths for tests."""

import numpy as np

from toile.core.records import Fabric, Floats, Garment, Scene
from toile.sim.colliders.base import NO_CONTACTS
from toile.sim.colliders.shapes import incline
from toile.sim.solvers.xpbd import XpbdSettings

DOUBLE = XpbdSettings(precision="double", levels=0, contact_queries=1, substep=1 / 600, self_collision=False)
COTTON = Fabric("cotton", 0.2, 2000.0, 2000.0, 300.0, 1e-5, 1e-5, damping=0.0)


def sheet(columns: int, rows: int, width: float, height: float, fabric: Fabric = COTTON) -> Garment:
    """Return a flat rectangle with alternating diagonals."""
    x, y = np.linspace(0, width, columns), np.linspace(0, height, rows)
    uv = np.stack(np.meshgrid(x, y), -1).reshape(-1, 2)
    i = np.arange(columns * rows).reshape(rows, columns)
    a, b, c, d = (part.ravel() for part in (i[:-1, :-1], i[:-1, 1:], i[1:, 1:], i[1:, :-1]))
    turn = ((np.arange(rows - 1)[:, None] + np.arange(columns - 1)) % 2 == 0).ravel()[:, None]
    first = np.where(turn, np.stack([a, b, c], 1), np.stack([a, b, d], 1))
    second = np.where(turn, np.stack([a, c, d], 1), np.stack([b, c, d], 1))
    triangles = np.concatenate([first, second])
    count = columns * rows
    return Garment(
        name="sheet",
        triangles=triangles,
        uv=uv,
        triangles_uv=triangles,
        uv_particle=np.arange(count),
        uv_panel=np.zeros(count),
        panel_names=("sheet",),
        fabrics=(fabric,),
        triangle_fabric=np.zeros(len(triangles)),
        seam_uv=np.zeros((0, 2)),
        seam_id=np.zeros(0),
        seam_names=(),
        hold_particle=np.zeros(0),
        particle_garment=np.zeros(count),
        garment_names=("sheet",),
        garment_layer=np.zeros(1),
    )


def lying(garment: Garment, height: float = 0.0) -> Floats:
    """Return positions of a one-panel garment lying flat at that height [m]."""
    return np.stack([garment.uv[:, 0], np.full(len(garment.uv), height), garment.uv[:, 1]], axis=1)


def edge_stretch(garment: Garment, position: Floats) -> Floats:
    """Return the elongation of each triangle side."""
    sides = [[0, 1], [1, 2], [2, 0]]
    flat = np.linalg.norm(np.diff(garment.uv[garment.triangles_uv[:, sides]], axis=2), axis=-1)
    now = np.linalg.norm(np.diff(position[garment.triangles[:, sides]], axis=2), axis=-1)
    return (now / flat - 1).ravel()


def empty_space(gravity: float = 9.81) -> Scene:
    return Scene(None, lambda _: NO_CONTACTS, np.array([0.0, -gravity, 0.0]), np.zeros(3))


def slope(angle: float) -> Scene:
    """Return an inclined plane through the origin that falls towards +x by an angle [rad], under gravity."""
    return Scene(None, incline(angle), np.array([0.0, -9.81, 0.0]), np.zeros(3))

"""What solvers on mesh edges share."""

import numpy as np
import pytest

from toile._kernels import SurfaceTree
from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose, vertex_normals
from toile.core.records import PosedBody, Scene, State
from toile.garment.shapes import flat_position, square_cloth
from toile.sim.colliders.contacts import make_collider
from toile.sim.frame.advance import GRAVITY, STILL_AIR
from toile.sim.solvers.edges import after_contact
from toile.sim.solvers.table import make_solver


@pytest.mark.parametrize("collider", ["limb_maps", "maps", "surface"])
def test_cloth_that_travels_with_the_body_stays_in_contact(collider):
    # late in a frame a walker is 5 cm ahead of where a query knows the skin: farther than contacts reach
    body = named_body("woman")
    still, speed, since = rest_pose(body), np.array([0.0, 0.0, 1.5]), 1 / 30
    walker = PosedBody(body, still.vertices, np.tile(speed, (len(body.vertices), 1)), still.world_from_joint)
    normal = vertex_normals(still.vertices, body.triangles)
    chest = (np.abs(still.vertices - [0.0, 1.25, 0.1]) < [0.12, 0.08, 0.1]).all(axis=1) & (normal[:, 2] > 0.7)
    under = still.vertices[chest] - 0.002 * normal[chest]
    at = under + since * speed
    none = np.zeros(chest.sum())
    scene = Scene(walker, make_collider(collider, body).at(walker), GRAVITY, STILL_AIR)
    moved, _ = after_contact(
        scene,
        at,
        np.tile(speed, (len(at), 1)),
        since=since,
        dt=0.01,
        thickness=0.004,
        friction=none,
    )
    out = np.einsum("ij,ij->i", moved - at, normal[chest])
    assert len(out) > 30
    assert np.median(out) == pytest.approx(0.006, abs=0.001)


@pytest.mark.parametrize(("solver", "tune"), [
    ("spring", {"contact_queries": 0}), ("spring", {"contact_queries": 4}), ("verlet", {}), ("implicit", {}),
])  # fmt: skip
def test_no_method_lets_a_walker_through_late_in_a_frame(solver, tune):
    # cloth travels with the chest, and into it: it would be 3 cm inside at the end of the frame
    body = named_body("woman")
    still, speed, dt = rest_pose(body), np.array([0.0, 0.0, 1.5]), 1 / 30
    walker = PosedBody(body, still.vertices, np.tile(speed, (len(body.vertices), 1)), still.world_from_joint)
    cloth = square_cloth(8, 8, 0.08, 0.08)
    flat = flat_position(cloth) - flat_position(cloth).mean(axis=0)
    breastbone = np.abs(still.vertices - [0.0, 1.15, 0.1]).sum(axis=1).argmin()
    front = still.vertices[breastbone, 2] + 0.03
    start = np.stack([flat[:, 0], 1.15 + flat[:, 1], np.full(len(flat), front)], axis=1)
    inward = np.tile(speed - np.array([0.0, 0.0, 1.8]), (len(start), 1))
    scene = Scene(walker, make_collider("maps", body).at(walker), np.zeros(3), STILL_AIR)
    after = make_solver(solver, cloth, **tune).step(State(start, inward), scene, dt)
    skin = SurfaceTree(body.triangles, still.vertices + dt * speed)
    _, gap, *_ = skin.nearest(after.position, 0.3)
    assert gap.min() > 0.0

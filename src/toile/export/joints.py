"""The skeleton's pose in each frame, as stored or recovered from the skin."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from toile.body.model.skeleton import rigid_inverse
from toile.core.records import Body, Floats
from toile.export.principal_shapes import align_points
from toile.geometry.rotation import nearest_rotation
from toile.store.record import Frame


class PoseFinder:
    """Finds joint transforms that explain a posed skin: linear least squares over all joints at once."""

    def __init__(self, body: Body) -> None:
        self.body = body
        n, joints = len(body.vertices), len(body.skeleton.names)
        moved = np.hstack([body.vertices, np.ones((n, 1))])
        design = np.zeros((n, joints, 4))
        for k in range(body.weight.shape[1]):
            np.add.at(design, (np.arange(n), body.weight_joint[:, k]), body.weight[:, k, None] * moved)
        self._design = csr_array(design.reshape(n, -1))
        square = (self._design.T @ self._design).toarray()
        total = np.maximum(design[..., 3].sum(axis=0), 1e-12)
        self._centre = design[..., :3].sum(axis=0) / total[:, None]
        """middle of the skin that each joint moves, at rest"""
        # joints that move no skin are not determined: a trace of a rest pose keeps them where they are
        self._solve = np.linalg.inv(square + np.eye(len(square)) * 1e-9 * np.trace(square))
        self._rest = np.tile(np.eye(4)[:, :3], (joints, 1))

    def world_from_joint(self, frame: Frame) -> tuple[Floats, float]:
        """Return the joints' transforms, (j, 4, 4), and how far the skin is from them at most [m]."""
        rest = self.body.skeleton.world_from_joint
        stored = frame.extra.get("world_from_joint")
        if stored is not None and stored.shape == rest.shape and np.isfinite(stored).all():
            return np.asarray(stored, dtype=np.float64), 0.0
        return self.fit(frame.body_vertices)

    def fit(self, vertices: Floats) -> tuple[Floats, float]:
        """Return the transforms that explain these vertices [m] best, and the largest distance left [m]."""
        joints = len(self.body.skeleton.names)
        # the motion of the whole is taken out first: what is undetermined goes along with it
        rotation, move = align_points(self.body.vertices, vertices)
        near = (vertices - move) @ rotation
        change = near - self._design @ self._rest
        found = (self._rest + self._solve @ (self._design.T @ change)).reshape(joints, 4, 3)
        world_from_rest = np.tile(np.eye(4), (joints, 1, 1))
        world_from_rest[:, :3, :3] = nearest_rotation(found[:, :3].transpose(0, 2, 1))
        # the translation that fits at the middle of the skin that the joint moves
        there = np.einsum("jkc,jk->jc", found[:, :3], self._centre) + found[:, 3]
        world_from_rest[:, :3, 3] = there - np.einsum("jab,jb->ja", world_from_rest[:, :3, :3], self._centre)
        flat = world_from_rest[:, :3].transpose(0, 2, 1).reshape(-1, 3)
        error = float(np.linalg.norm(self._design @ flat - near, axis=1).max())
        whole = np.eye(4)
        whole[:3, :3], whole[:3, 3] = rotation, move
        return whole @ world_from_rest @ self.body.skeleton.world_from_joint, error


def local_transforms(body: Body, world_from_joint: Floats) -> Floats:
    """Return each joint relative to its parent, (j, 4, 4)."""
    parents = body.skeleton.parents
    local = world_from_joint.copy()
    child = parents >= 0
    local[child] = rigid_inverse(world_from_joint[parents[child]]) @ world_from_joint[child]
    return local

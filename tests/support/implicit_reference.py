"""The implicit solver's linear system and limits in NumPy and SciPy, as a reference."""

from __future__ import annotations

import numpy as np
from scipy.sparse import bsr_array, csr_array
from scipy.sparse.linalg import LinearOperator, cg

from toile.core.records import Floats, Ints
from toile.sim.solvers.implicit_springs import Springs


def spring_forces(springs: Springs, damping: float, x: Floats, v: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the force on the first end of each spring [N], (s, 3), and the blocks −∂f/∂x and −∂f/∂v.

    f = −(k_s (|d| − l) + k_v d̂·(v_p − v_q)) d̂ with d = x_p − x_q and k_v = damping · k_s. Of −∂f/∂x the part
    that compression turns negative is left out, so that the system stays positive definite.
    """
    p, q = springs.pairs[:, 0], springs.pairs[:, 1]
    way = x[p] - x[q]
    now = np.maximum(np.linalg.norm(way, axis=1), 1e-12)
    direction = way / now[:, None]
    viscous = damping * springs.stiffness
    rate = np.einsum("ij,ij->i", direction, v[p] - v[q])
    size = springs.stiffness * (now - springs.length) + viscous * rate
    along = direction[:, :, None] * direction[:, None, :]
    tight = np.maximum(1 - springs.length / now, 0.0)[:, None, None]
    by_x = springs.stiffness[:, None, None] * (along + tight * (np.eye(3) - along))
    return -size[:, None] * direction, by_x, viscous[:, None, None] * along


class System:
    """Where each spring's 3 × 3 block goes in the sparse matrix; prepared once."""

    def __init__(self, pairs: Ints, count: int) -> None:
        p, q = pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64)
        own = np.arange(count, dtype=np.int64) * (count + 1)
        keys = np.concatenate([p * count + q, q * count + p, p * count + p, q * count + q])
        places = np.unique(np.concatenate([keys, own]))
        self.row, self.column = places // count, (places % count).astype(np.int32)
        self.start = np.searchsorted(self.row, np.arange(count + 1)).astype(np.int32)
        self.diagonal = np.searchsorted(places, own)
        sign = np.repeat([-1.0, -1.0, 1.0, 1.0], len(p))
        spring = np.tile(np.arange(len(p)), 4)
        shape = (len(places), len(p))
        self._gather = csr_array((sign, (np.searchsorted(places, keys), spring)), shape)
        ends = np.repeat([1.0, -1.0], len(p))
        self._scatter = csr_array(
            (ends, (np.concatenate([p, q]), np.tile(np.arange(len(p)), 2))), (count, len(p))
        )

    def blocks(self, per_spring: Floats) -> Floats:
        """Return the blocks of the matrix from one block per spring, (b, 3, 3)."""
        return np.asarray((self._gather @ per_spring.reshape(-1, 9)).reshape(-1, 3, 3))

    def forces(self, per_spring: Floats) -> Floats:
        """Return the force on each particle from the force on the first end of each spring, (n, 3)."""
        return np.asarray(self._scatter @ per_spring)

    def solve(self, blocks: Floats, right: Floats, guess: Floats, tolerance: float, most: int) -> Floats:
        """Return the solution by preconditioned conjugate gradients, (n, 3)."""
        size = right.size
        matrix = bsr_array((blocks, self.column, self.start), (size, size))
        inverse = np.linalg.inv(blocks[self.diagonal])

        def precondition(r: Floats) -> Floats:
            return np.asarray(np.einsum("nab,nb->na", inverse, r.reshape(-1, 3)).ravel())

        nearly = LinearOperator((size, size), matvec=precondition, dtype=np.float64)
        found, _ = cg(
            matrix,
            right.ravel(),
            x0=guess.ravel(),
            rtol=tolerance,
            maxiter=most,
            M=nearly,
        )
        return np.asarray(found, np.float64).reshape(-1, 3)


def shortened(x: Floats, weight: Floats, pairs: Ints, longest: Floats, sweeps: int) -> Floats:
    """Return positions after too long pairs were shortened one after the other."""
    x = x.copy()
    for _ in range(sweeps):
        for (p, q), most in zip(pairs, longest, strict=True):
            way = x[q] - x[p]
            now = np.linalg.norm(way)
            if now > most and weight[p] + weight[q] > 0:
                pull = (now - most) / (now * (weight[p] + weight[q])) * way
                x[p] += weight[p] * pull
                x[q] -= weight[q] * pull
    return x

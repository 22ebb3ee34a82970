"""Bending in plain NumPy, as engine/cloth/bending_step.h does it."""

import numpy as np

from toile.core.records import Floats
from toile.sim.solvers.constraints import BendingStencils

INSIDE, BESIDE, ALONG, AT_END, MOST = 0.85, 0.55, 0.5, 0.35, 6.75
"""what smoothed stencils may weigh, times the row sum of |C W Cᵀ|; how often that when smoothed most"""


def stencil_matrix(bends: BendingStencils, count: int) -> Floats:
    """Return the stencils as rows over all particles, (s, n)."""
    c = np.zeros((len(bends.particles), count))
    for row, particles, weight in zip(c, bends.particles, bends.weight, strict=True):
        row[particles[particles >= 0]] = weight[particles >= 0]
    return c


def bounds(c: Floats, w: Floats) -> Floats:
    """Return the row sums of |C W Cᵀ|, (s,)."""
    return np.asarray(np.abs(c) @ (w * np.abs(c).sum(axis=0)))


def chain(bends: BendingStencils) -> Floats:
    """Return the second differences of stencils along free edges, (a, a); ends are their own neighbours."""
    last = bends.particles[len(bends.centre) - bends.along :]
    at = {int(p): k for k, p in enumerate(last[:, 0])}
    result = np.zeros((bends.along, bends.along))
    for k, (centre, ends) in enumerate(zip(last[:, 0], last[:, [1, 3]], strict=True)):
        for end in ends:
            other = at.get(int(end), k)
            if other != k and centre in last[other, [1, 3]]:
                result[k, other] += 1.0
                result[k, k] -= 1.0
    return result


def neighbours(bends: BendingStencils, c: Floats) -> Floats:
    """Return Λ: stencils over each other where they have a centre inside, chains along edges."""
    inner = len(bends.centre) - bends.along
    result = np.zeros((len(c), len(c)))
    result[:inner, :inner] = c[:inner, bends.centre[:inner]]
    result[inner:, inner:] = chain(bends)
    return result


def gains(bends: BendingStencils, w: Floats, dt2: float, *, smooth: bool = True) -> tuple[Floats, Floats]:
    """Return C (s, n) and Γ (s, s): the cloth is moved by -W Cᵀ Γ C x."""
    c = stencil_matrix(bends, len(w))
    bound, asked = bounds(c, w), bends.stiffness * dt2
    some = bound > 0
    if not smooth or dt2 <= np.sort(1.1 / bound[some] / bends.stiffness[some])[some.sum() // 2]:
        return c, np.diag(1 / np.maximum(1 / asked, bound / 1.1))
    inner, own = len(c) - bends.along, np.zeros(len(w), dtype=bool)
    own[bends.centre[:inner]] = True
    along = np.arange(len(c)) >= inner
    beside = (c[:, ~own] != 0).any(axis=1)
    around = neighbours(bends, c)
    limit = np.where(along, np.where(around.diagonal() > -2, AT_END, ALONG), np.where(beside, BESIDE, INSIDE))
    limit /= np.where(some, bound, 1e-30)
    gain = np.minimum(asked, MOST * limit)
    share = np.sqrt(gain / (MOST * limit)) / np.where(along, 4.0, np.abs(c).sum(axis=1))
    h = np.sqrt(gain * share)
    return c, np.diag(gain) + h[:, None] * around * h


def bent(bends: BendingStencils, x: Floats, w: Floats, dt2: float, *, smooth: bool = True) -> Floats:
    """Return where the bending force of all stencils at once moves particles x with inverse masses w."""
    c, gain = gains(bends, w, dt2, smooth=smooth)
    return np.asarray(x - w[:, None] * (c.T @ (gain @ (c @ x))))

"""The default engine: extended position-based dynamics in many small steps (Macklin et al. 2019).

Each triangle resists stretch along warp and weft and shear, with the fabric's own stiffness in N/m; bending
is the quadratic energy of the mean curvature vector (Bergou et al. 2006), one *stencil* (weighted sum of a
particle and its neighbours) per particle; seams pull shut; contact planes push out with Coulomb friction.
Coarse distance limits (engine/cloth/hierarchy.h) carry tension across the whole cloth in one sweep. The hot
loop is engine/cloth/xpbd_step.h; by which laws it is stepped stands in engine/frame/step_laws.h.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from toile import _kernels
from toile.core.choices import choose
from toile.core.errors import ToileError
from toile.core.records import Floats, Garment, Ints, Scene, State
from toile.sim.solvers.base import Solver
from toile.sim.solvers.cloth_arrays import cloth_arrays

_LAWS: dict[str, float] = _kernels.step_laws()
SLOW, BRISK = _LAWS["SLOW"], _LAWS["BRISK"]
"""mean speeds between which cloth takes from resting to moving substeps [m/s]"""
SOFT, FIRM, WORN_FIRM = _LAWS["SOFT"], _LAWS["FIRM"], _LAWS["WORN_FIRM"]
"""mean speeds up to which cloth is as stiff as its fabric, and from which on it is held to its length,
hanging and over skin [m/s]"""
SOFT_STRETCH, FIRMER = _LAWS["SOFT_STRETCH"], _LAWS["FIRMER"]
"""until they are stretched by this, limits of firm cloth give; how many times as stiff as its fabric it is"""
RUBBING, STICKING, AT_ONCE = _LAWS["RUBBING"], _LAWS["STICKING"], _LAWS["AT_ONCE"]
"""by how much threads that rub slow down cloth that moves, and cloth that is nearly still [m/s²]; how fast
slow cloth that is too near to cloth is moved away [m/s]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """How short the substeps are: between two lengths, so that the cloth keeps to a stated stretch."""

    longest: float
    """substep where the cloth hardly stretches [s]"""
    worn: float
    """the same of garments over skin [s]: it pulls at them before their stretch can tell"""
    shortest: float
    """substep where it stretches 1.2 times as much as stated [s]; cloth that whips may take less"""
    resting: float
    """substep of slow cloth, whatever its stretch [s]: the shape at rest is what one looks at; one much
    shorter than those of moving cloth is another stiffness, which keeps cloth going"""
    hanging: float
    """the same of rectangles [s]: they hang free, where garments, worn, come to rest and fall asleep"""
    stretch: float
    """99 % of the threads should stretch less than this"""
    buckling: float
    """share of their resistance to being pushed together that threads of worn garments do without: it
    stretches the threads beside them; in long substeps cloth would lose its area, and stretch as much"""


QUALITIES = {
    "draft": Quality(
        longest=1 / 360,
        worn=1 / 480,
        shortest=1 / 720,
        resting=1 / 2400,
        hanging=1 / 1200,
        stretch=0.06,
        buckling=0.0,
    ),
    "normal": Quality(
        longest=1 / 480,
        worn=1 / 840,
        shortest=1 / 1200,
        resting=1 / 4800,
        hanging=1 / 4800,
        stretch=0.02,
        buckling=0.5,
    ),
    "fine": Quality(
        longest=1 / 1200,
        worn=1 / 1200,
        shortest=1 / 2400,
        resting=1 / 4800,
        hanging=1 / 7200,
        stretch=0.01,
        buckling=0.5,
    ),
}
"""by name"""


@dataclass(frozen=True, slots=True, kw_only=True)
class XpbdSettings:
    """Settings of the default engine."""

    quality: str = "normal"
    """draft, normal or fine: how much the cloth may stretch, and so how many substeps are taken"""
    substep: float = 0.0
    """longest substep [s]; shorter is stiffer; 0: as the quality asks"""
    levels: int = 4
    """levels of coarse distance limits; 0: neither these nor long threads nor evening, pure physics"""
    head_start: float = 0.45
    """share of what constraints asked for in one substep that the next begins with; over 0.5 it swings up"""
    compression: float = 0.3
    """share of their stiffness with which threads of moving cloth resist being pushed together, 0 to 1"""
    evening: float = 0.75
    """share of its stretch that an edge gives to its neighbours when a step ends, 0 to 1; 0: none"""
    contact_queries: int = 2
    """how often per 1/60 s the nearest skin is looked up"""
    thickness: float = 0.004
    """distance kept between cloth and skin [m]; thick fabrics keep half of what exceeds 1 mm besides, worn
    garments with edges over 3.2 cm as much as these bulge over an arm"""
    self_collision: bool = True
    """keep cloth from passing through cloth, within a garment and between layers"""
    cloth_thickness: float = 0.002
    """distance kept between cloth and cloth [m]; at least the fabric's thickness, at most 0.4 of an edge"""
    cloth_radius: float = 0.01
    """cloth that can come near within a frame is watched, up to twice this [m]"""
    apart: float = 0.1
    """how fast brisk cloth that is too near to cloth is moved away [m/s], up to 20: the faster, the more
    energy whipping cloth gains, as the cloth round it is stretched, whose speed that becomes"""
    stretch_scale: float = 1.0
    """factor on the fabric's membrane stiffness"""
    bend_scale: float = 1.0
    """factor on the fabric's bending rigidity"""
    drag: float = 0.0
    """rate at which the air carries the cloth along, besides the fabric's own damping [1/s]"""
    speed_limit: float = 20.0
    """no particle moves faster [m/s]"""
    precision: str = "single"
    """single, or double for reference computations"""

    def __post_init__(self) -> None:
        choose("quality", QUALITIES, self.quality)
        if self.substep and not 1e-7 <= self.substep <= 1.0:
            raise ToileError(f"substep is {self.substep} s: choose 1e-7 to 1 s, or 0 for the quality's")
        if self.contact_queries < 1:
            raise ToileError("contact_queries must be at least 1")
        if self.precision not in ("single", "double"):
            raise ToileError(f"precision is '{self.precision}': choose single or double")
        if not 0 <= self.head_start <= 0.5:
            raise ToileError(f"head_start is {self.head_start}: choose 0 to 0.5, cloth swings up above")
        for name in ("compression", "evening"):
            if not 0 <= getattr(self, name) <= 1:
                raise ToileError(f"{name} is {getattr(self, name)}: choose 0 to 1")
        if not 0 < self.apart <= AT_ONCE:
            raise ToileError(f"apart is {self.apart} m/s: choose more than 0, up to {AT_ONCE:g} m/s")
        for name in ("stretch_scale", "bend_scale", "speed_limit"):
            if not getattr(self, name) > 0:
                raise ToileError(f"{name} must be positive")


class XpbdSolver(Solver):
    """The default engine for one garment or outfit, sewn or not."""

    def __init__(
        self,
        garment: Garment,
        settings: XpbdSettings | None = None,
        *,
        seams: Ints | None = None,
        seam_gap: Floats | None = None,
        worn: Floats | None = None,
    ) -> None:
        """Prepare the constraints.

        seams (s, 2) are particle pairs that pull shut from seam_gap [m], (s,); worn is how the garment sits
        on the body [m], (n, 3): where it is held stretched there, the coarse limits do not pull it back.
        """
        self.settings = settings or XpbdSettings()
        self.garment = garment
        arrays = cloth_arrays(garment, self.settings, seams=seams, seam_gap=seam_gap, worn=worn)
        self._kernel = _kernels.ClothSolver(arrays | solver_arrays(self.settings))

    @classmethod
    def worn_on(cls, garment: Garment, settings: Any, worn: Floats) -> Self:
        """Return the solver of a garment that sits on a body at worn [m], (n, 3)."""
        return cls(garment, settings, worn=worn)

    @property
    def _cloth(self) -> Any:
        """Return the engine's cloth, which tests look into."""
        return self._kernel.cloth

    @property
    def longest_contact_step(self) -> float:
        """Return the longest time between two contact updates [s]."""
        return float(self._kernel.longest_contact_step)

    @property
    def followed_updates(self) -> int:
        """Return in how many contact updates the skin is searched once; contacts are followed between."""
        return int(self._kernel.followed_updates)

    @property
    def constraint_count(self) -> int:
        """Return how many constraints one sweep projects."""
        return int(self._cloth.constraint_count)

    @property
    def memory(self) -> dict[str, int]:
        """Return how many bytes the kernel holds, by part."""
        return dict(self._cloth.memory)

    def pin(self, particles: Ints) -> None:
        """Let these particles move with the velocity in the state, whatever pulls at them."""
        self._kernel.pin(np.ascontiguousarray(particles, dtype=np.int32))

    def set_drag(self, drag: float) -> None:
        """Let the air carry the cloth along at this rate [1/s], besides the fabric's own damping."""
        self._kernel.set_drag(drag)

    def set_friction(self, scale: float | Floats) -> None:
        """Scale the fabric's friction against skin; 0 lets a garment slip into place while it is put on."""
        each = np.broadcast_to(np.array(scale, np.float64), self.garment.particle_count)
        self._kernel.set_friction(np.ascontiguousarray(each))

    def close_seams(self, fraction: float) -> None:
        """Let the seams shrink to this fraction of their first gap during the next step."""
        self._kernel.close_seams(fraction)

    def stretch(self, position: Floats) -> tuple[float, float]:
        """Return mean and 99th percentile of how much the threads are longer than at rest."""
        mean, most = self._cloth.stretch(np.ascontiguousarray(position, np.float64))
        return float(mean), float(most)

    def _substep(self, position: Floats, speed: float, whipping: float, *, over_skin: bool = False) -> float:
        """Return the substep of cloth at these speeds [m/s], [s]."""
        return float(self._kernel.substep(position, speed, whipping, over_skin))

    def step(self, state: State, scene: Scene, dt: float) -> State:
        """Return the state dt seconds later."""
        position, velocity = self._kernel.step(
            state.position, state.velocity, scene.contacts, scene.gravity, scene.wind, scene.watch, dt
        )
        return State(position=position, velocity=velocity, time=state.time + dt)


FEW = 65_000
"""particles and second stencils that 16 bits count"""


def solver_arrays(settings: XpbdSettings) -> dict[str, Any]:
    """Return the settings as the arrays that the engine reads (engine/frame/scene_arrays.h)."""
    quality = QUALITIES[settings.quality]
    of_quality = ("longest", "worn", "shortest", "resting", "hanging", "stretch", "buckling")
    names = (
        "substep", "head_start", "compression", "evening", "cloth_radius", "apart", "drag", "speed_limit",
    )  # fmt: skip
    reals = {name: getattr(quality, name) for name in of_quality} | {n: getattr(settings, n) for n in names}
    wholes = {
        "double": settings.precision == "double",
        "few": FEW,
        "levels": settings.levels,
        "contact_queries": settings.contact_queries,
        "self_collision": settings.self_collision,
    }
    return {f"solver.{name}": np.array([value], np.float64) for name, value in reals.items()} | {
        f"solver.{name}": np.array([value], np.int32) for name, value in wholes.items()
    }


def speeds(velocity: Floats) -> tuple[float, float]:
    """Return the root of the mean square of velocities (n, 3) [m/s], and of those against their mean.

    The second is that of cloth which whips; cloth that is carried along as a whole does not.
    """
    mean, own = _kernels.speeds(velocity)
    return float(mean), float(own)


def mean_speed(velocity: Floats) -> float:
    """Return the root of the mean square of velocities (n, 3) [m/s]."""
    return speeds(velocity)[0]


def calmness(speed: float, slow: float) -> float:
    """Return how calm cloth of a mean speed is: 1 up to slow, 0 from twice that [m/s]."""
    return float(_kernels.calmness(speed, slow))


def swiftness(speed: float, slow: float, fast: float) -> float:
    """Return 0 for cloth of a mean speed up to slow, 1 from fast on [m/s], by its logarithm between."""
    return float(_kernels.swiftness(speed, slow, fast))


def firmness(speed: float, firm: float = FIRM) -> float:
    """Return how many times as stiff as the fabric cloth of a mean speed is along the bias.

    firm: from which speed on it is held to its length [m/s].
    """
    return float(_kernels.firmness(speed, firm))


def rubbing_drag(speed: float) -> float:
    """Return the rate at which threads that rub slow down cloth of a mean speed [m/s], [1/s]."""
    return float(_kernels.rubbing_drag(speed))

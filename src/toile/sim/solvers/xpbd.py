"""The default engine: extended position-based dynamics in many small steps (Macklin et al. 2019).

Each triangle resists stretch along warp and weft and shear, with the fabric's own stiffness in N/m; bending
is the quadratic energy of the mean curvature vector (Bergou et al. 2006), one *stencil* (weighted sum of a
particle and its neighbours) per particle; seams pull shut; contact planes push out with Coulomb friction.
Coarse distance limits (engine/cloth/hierarchy.h) carry tension across the whole cloth in one sweep. The hot
loop is engine/cloth/xpbd_step.h.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from toile import _kernels
from toile.core.choices import choose
from toile.core.errors import ToileError
from toile.core.records import Contacts, Floats, Garment, Ints, Scene, State
from toile.garment.build import particle_mass, sewn_labels
from toile.sim.colliders.base import NO_CONTACTS
from toile.sim.colliders.contacts import advance_contacts, contact_friction
from toile.sim.solvers.base import Solver
from toile.sim.solvers.constraints import (
    BendingStencils,
    Membrane,
    bending_stencils,
    cloth_distance,
    extra_thickness,
    give,
    mean_edge,
    membrane,
    particle_average,
    particle_order,
    skin_distance,
)
from toile.sim.solvers.folds import Folds
from toile.sim.solvers.gathers import gathered_corners
from toile.sim.solvers.grid import find_grid, grid_stencil
from toile.sim.solvers.threads import long_threads


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
SLOW, BRISK = 0.04, 0.16
"""cloth slower than the first on the mean [m/s] takes resting substeps, faster than the second as many as its
stretch asks for, in between by the logarithm of its speed: another number of substeps is another stiffness,
and where that changes steeply cloth whose speed rises and falls is kept going by it"""
JOLT_AT_REST, JOLT = 60.0, 600.0
"""skin and constraints change velocities of slow and of brisk cloth by this at most [m/s²], six times the
weight; faster cloth's by any. What long substeps leave stretched, shorter ones take back at once: as speed
it would keep cloth going"""
FAST = 0.35
"""cloth that whips by more than twice this [m/s, against its own mean motion] is stretched for a moment only,
and takes as many substeps as that asks for; slower cloth would tremble, stretched and relieved in turn"""
CALM_ASKS, FAST_ASKS = (0.5, 1.2, 1.0), (0.0, 0.5, 6.0)
"""from which share of the stated stretch on calm and fast cloth takes more substeps, at which share the most
that calm cloth may take, and the most in terms of that"""
LARGE = 32_768
"""cloth of more particles takes more substeps, by the third root: tension has more edges to go along"""
SOFT, FIRM, WORN_FIRM = 0.03, 0.8, 0.3
"""cloth slower than the first speed on the mean is as stiff as its fabric, faster than the second it is held
to its length, garments over skin from the third on; in between by the logarithm of its speed [m/s]: cloth
that goes soft sinks, and if it went soft at once it would gain so much speed that it never came to rest"""
FIRMER = 75.0
"""how many times as stiff as its fabric firm cloth is along the bias"""
SOFT_STRETCH, MOST_SOFT_STRETCH = 0.003, 0.1
"""until they are stretched by this, long threads and coarse limits of firm cloth bear only what that needs
besides the sweep (engine/cloth/compliance.h), beyond they are hard; those of softer cloth give as much
more, up to the second"""
EVENED = 0.4
"""edges of cloth as fast as this on the mean [m/s] share their stretch as much as they may, of slower cloth
less: they are pushed by that, and slow cloth would go on trembling"""
AT_ONCE = 20.0
"""how fast slow cloth that is too near to cloth is moved away [m/s]; if it is moved by and by it shivers"""
RUBBING, STICKING = 0.04, 0.08
"""threads rub on each other, constraints do not: by how much that slows down cloth that moves and cloth that
is nearly still [m/s²]; dry friction, so that small swings end"""
NEARLY_STILL, HARDEST_BRAKE = 0.03, 5.0
"""the mean speed below which cloth sticks [m/s], less and less up to twice this; the highest rate [1/s]"""


FOLLOWED = 2
"""the skin is searched once in so many looks at least, and followed from there: cloth itself whips"""


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
        self._worn = worn
        self.settings = settings or XpbdSettings()
        self.garment = garment
        mass = particle_mass(garment)
        bends = bending_stencils(garment, self.settings.bend_scale)
        threads = membrane(garment, self.settings.stretch_scale)
        self._grid = find_grid(garment) if seams is None and worn is None else None
        order = particle_order(garment) if self._grid is None else np.arange(len(mass), dtype=np.int32)
        least = self.settings.thickness
        distance = least if worn is None else skin_distance(mean_edge(garment), least)
        self._cloth = _kernel(self.settings.precision, len(mass) + bends.along)(
            order=order,
            inverse_mass=1 / mass,
            drag=particle_average(garment, "damping"),
            thickness=distance + extra_thickness(garment),
            friction=particle_average(garment, "friction"),
            triangles=garment.triangles,
            triangle_weight=threads.weight,
            triangle_stiffness=threads.stiffness,
            stencils=bends.particles,
            stencil_weight=bends.weight,
            stencil_stiffness=bends.stiffness,
            stencil_centre=bends.centre,
            stencil_along=bends.along,
            seams=np.zeros((0, 2), np.int32) if seams is None else seams,
            seam_rest=np.zeros(0) if seam_gap is None else seam_gap,
        )
        self._cloth.set_drag(self.settings.drag)
        self._folds = Folds(garment, bends.centre, self.settings.bend_scale) if len(garment.fold_uv) else None
        self._friction, self._loose = np.broadcast_to(1.0, garment.particle_count), False
        self._seam_fraction = self._next_fraction = 1.0
        self._levels_ready = False
        if self._grid is not None:
            self._set_grid(threads, bends)
        if self.settings.self_collision:
            self._cloth.set_layers(
                garment.triangles,
                sewn_labels(garment),
                garment.garment_layer[garment.particle_garment],
                particle_average(garment, "friction_cloth"),
                cloth_distance(garment, self.settings.cloth_thickness),
            )

    @property
    def longest_look(self) -> float:
        """Return the longest time between two looks at the skin [s]."""
        return 1 / (60 * self.settings.contact_queries)

    @property
    def followed_looks(self) -> int:
        """Return in how many looks the skin is searched once: contacts are followed over it meanwhile."""
        return FOLLOWED

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
        inverse_mass = 1 / particle_mass(self.garment)
        inverse_mass[particles] = 0.0
        self._cloth.set_inverse_mass(inverse_mass)
        self._levels_ready = False

    def set_drag(self, drag: float) -> None:
        """Let the air carry the cloth along at this rate [1/s], besides the fabric's own damping."""
        self._cloth.set_drag(drag)

    def set_friction(self, scale: float | Floats) -> None:
        """Scale the fabric's friction against skin; 0 lets a garment slip into place while it is put on."""
        self._friction = np.broadcast_to(np.array(scale, np.float64), self.garment.particle_count)
        self._cloth.set_friction(np.ascontiguousarray(self._friction))

    def _loosen(self, contacts: Contacts) -> None:
        """Let cloth slide on skin that grips less, until it is looked at again."""
        if contacts.grip is not None or self._loose:
            self._cloth.set_friction(np.ascontiguousarray(contact_friction(contacts, self._friction)))
        self._loose = contacts.grip is not None

    def _set_grid(self, threads: Membrane, bends: BendingStencils) -> None:
        """Let a rectangle of equal cells be swept without lists."""
        grid = self._grid
        assert grid is not None
        stencil_of, bend = grid_stencil(grid, bends.particles, bends.weight, bends.centre)
        span = 2 * (1 + give(self.garment).max()) if self.settings.levels else 0.0
        self._cloth.set_grid(
            rows=grid.rows,
            columns=grid.columns,
            cell=grid.cell,
            stiffness=threads.stiffness[0],
            bend=bend,
            reach=span * grid.cell,
            stencil_of=stencil_of,
            alternate=grid.alternate,
        )

    def _set_levels(self) -> None:
        """Prepare the coarse limits; they depend on what is pinned, so they wait for the first step."""
        self._levels_ready = True
        garment = self.garment
        corner, slack = gathered_corners(garment), give(garment)
        panel = garment.uv_panel[garment.triangles_uv[:, 0]]
        self._cloth.set_levels(
            garment.triangles,
            corner * (1 + slack)[:, None, None] if slack.any() else corner,
            panel,
            garment.triangles_uv,
            self.settings.levels,
            self._worn,
        )
        if self.settings.levels and self._grid is None:
            self._cloth.set_long_threads(*self._long_threads(corner, slack))

    def _long_threads(self, corner: Floats, slack: Floats) -> tuple[Ints, Floats]:
        """Return pairs of particles and how far apart they may be [m]: as far as cloth gives, or is worn."""
        pairs, rest = long_threads(self.garment, corner, mean_edge(self.garment))
        most = np.zeros(self.garment.particle_count)
        np.maximum.at(most, self.garment.triangles, slack[:, None])
        rest = rest * (1 + most[pairs].max(axis=1, initial=0.0))
        if self._worn is not None:
            held = np.linalg.norm(self._worn[pairs[:, 0]] - self._worn[pairs[:, 1]], axis=1)
            rest = np.maximum(rest, held)
        return pairs, rest

    def _set_limit_compliance(self, firm: float, substep: float, head_start: float) -> None:
        """Let coarse limits of cloth so firm bear what the fabric needs in substeps of this length [s]."""
        if not self.settings.levels:
            return
        # with a head start constraints ask for so much less in each substep (StepOptions::asked_dt2)
        asked = substep * math.sqrt(1.0 - head_start)
        self._cloth.set_limit_compliance(
            min(SOFT_STRETCH * FIRMER / firm, MOST_SOFT_STRETCH), asked, bias=firm
        )

    def close_seams(self, fraction: float) -> None:
        """Let the seams shrink to this fraction of their first gap during the next step."""
        self._next_fraction = fraction

    def stretch(self, position: Floats) -> tuple[float, float]:
        """Return mean and 99th percentile of how much the threads are longer than at rest."""
        mean, most = self._cloth.stretch(np.ascontiguousarray(position, np.float64))
        return float(mean), float(most)

    def _substep(self, position: Floats, speed: float, whipping: float, *, over_skin: bool = False) -> float:
        """Return the substep now [s]: from the state alone, so that a resumed run takes it too."""
        # slow cloth does not ask its stretch, else it trembles, stretched and relieved in turn; all cloth
        # keeps to one number of substeps without limits, which bear what longer substeps do not
        quality = QUALITIES[self.settings.quality]
        rate = 1 / (quality.resting if self._grid is None else quality.hanging)
        if self.settings.levels and speed > SLOW:
            moving = self._moving_rate(position, whipping, over_skin=over_skin)
            rate = between(rate, moving, swiftness(speed, SLOW, BRISK))
        return float(1 / (rate * max(1.0, self.garment.particle_count / LARGE) ** (1 / 3)))

    def _moving_rate(self, position: Floats, whipping: float, *, over_skin: bool) -> float:
        """Return how many substeps moving cloth takes [1/s], as its stretch asks."""
        quality = QUALITIES[self.settings.quality]
        # some 2000 triangles are asked
        _, most = self._cloth.stretch(position, every=max(4, self.garment.particle_count // 1000))
        tame = calmness(whipping, FAST)
        begin, end, highest = (tame * a + (1.0 - tame) * b for a, b in zip(CALM_ASKS, FAST_ASKS, strict=True))
        strain = min(max((most / quality.stretch - begin) / (end - begin), 0.0), highest)
        longest = quality.worn if over_skin else quality.longest
        return float(1 / longest + strain * (1 / quality.shortest - 1 / longest))

    def _substeps(
        self, position: Floats, speed: float, whipping: float, dt: float, *, over_skin: bool
    ) -> int:
        """Return how many substeps dt seconds take at a mean speed [m/s]."""
        if self.settings.substep:
            return max(1, math.ceil(dt / self.settings.substep - 1e-9))
        return max(1, math.floor(dt / self._substep(position, speed, whipping, over_skin=over_skin) + 0.5))

    def _looks(self, scene: Scene, dt: float) -> int:
        """Return how often a step of dt seconds looks at the skin and at near cloth."""
        if scene.contacts.nowhere and not self.settings.self_collision:
            return 1
        return max(1, math.ceil(dt / self.longest_look - 1e-6))

    def step(self, state: State, scene: Scene, dt: float) -> State:
        """Return the state dt seconds later."""
        if not self._levels_ready:
            self._set_levels()
        parts = self._looks(scene, dt)
        speed, whipping = speeds(state.velocity)
        chosen = not self.settings.substep  # what follows the substeps is left alone where the user sets them
        over_skin = chosen and self._grid is None and not scene.contacts.nowhere
        substeps = self._substeps(state.position, speed, whipping, dt / parts, over_skin=over_skin)
        swift = swiftness(speed, SLOW, BRISK)
        # what carries on from substep to substep also carries on trembling
        head_start = self.settings.head_start * swift * swift
        firm = firmness(speed, WORN_FIRM if over_skin else FIRM)
        self._set_limit_compliance(firm, dt / parts / substeps, head_start)
        rubbing = rubbing_drag(speed) if chosen else 0.0
        evening = self.settings.evening * min(speed / EVENED, 1.0) if self.settings.levels else 0.0
        buckling = QUALITIES[self.settings.quality].buckling if over_skin else 0.0
        apart = between(AT_ONCE, self.settings.apart, swift)
        changes = self.settings.levels and chosen and swift < 1
        jolt = between(JOLT_AT_REST, JOLT, swift) if changes else math.inf
        start, end = self._seam_fraction, self._next_fraction
        position, velocity = state.position, state.velocity
        if self._folds is not None:
            self._cloth.set_stencil_rest(self._folds.rest(position))
        watch = dt if scene.watch is None else scene.watch
        ball, part = scene.contacts.ball, 0
        while part < parts:
            time = part * dt / parts
            contacts = NO_CONTACTS if ball else advance_contacts(scene.contacts(position), time)
            self._loosen(contacts)
            # the kernel asks a ball, and follows contacts over the skin, by itself
            looks = parts if ball else min(FOLLOWED, parts - part) if contacts.tracked else 1
            position, velocity = self._cloth.step(
                position,
                velocity,
                looks * dt / parts,
                substeps,
                scene.gravity,
                scene.wind,
                contacts.particle,
                contacts.gap,
                contacts.normal,
                contacts.velocity,
                seam_from=start + (end - start) * part / parts,
                seam_to=start + (end - start) * (part + looks) / parts,
                speed_limit=self.settings.speed_limit,
                jolt=jolt,
                cloth_radius=self.settings.cloth_radius if self.settings.self_collision else 0.0,
                watch=watch if part == 0 else 0.0,
                head_start=head_start,
                compression=self.settings.compression * (1.0 - buckling),
                evening=evening if part + looks == parts else 0.0,
                looks=looks,
                ball=ball,
                tracked=contacts.tracked,
                skin_time=time,
                rubbing=rubbing,
                apart=apart,
            )
            part += looks
        self._seam_fraction = end
        return State(position=position, velocity=velocity, time=state.time + dt)


FEW = 65_000
"""particles and second stencils that 16 bits count"""


def _kernel(precision: str, particles: int) -> type:
    """Return the kernel that keeps a cloth of so many particles and second stencils."""
    single: type = _kernels.ClothSmall if particles <= FEW else _kernels.ClothFloat
    double: type = _kernels.ClothDouble
    return double if precision == "double" else single


def speeds(velocity: Floats) -> tuple[float, float]:
    """Return the root of the mean square of velocities (n, 3) [m/s], and of those against their mean.

    The second is that of cloth which whips; cloth that is carried along as a whole does not.
    """
    # no dot product: a threaded one adds up in another order on another machine
    mean, own = _kernels.mean_squares(velocity)
    return math.sqrt(mean), math.sqrt(own)


def mean_speed(velocity: Floats) -> float:
    """Return the root of the mean square of velocities (n, 3) [m/s]."""
    return speeds(velocity)[0]


def calmness(speed: float, slow: float) -> float:
    """Return how calm cloth of a mean speed is: 1 up to slow, 0 from twice that [m/s]."""
    return min(max(2.0 - speed / slow, 0.0), 1.0)


def swiftness(speed: float, slow: float, fast: float) -> float:
    """Return 0 for cloth of a mean speed up to slow, 1 from fast on [m/s], by its logarithm between."""
    return math.log(min(max(speed, slow), fast) / slow) / math.log(fast / slow)


def between(at_rest: float, brisk: float, swift: float) -> float:
    """Return what lies between two figures, by their ratio: the first at 0, the second at 1."""
    return float(at_rest * (brisk / at_rest) ** swift)


def firmness(speed: float, firm: float = FIRM) -> float:
    """Return how many times as stiff as the fabric cloth of a mean speed is along the bias.

    firm: from which speed on it is held to its length [m/s].
    """
    return float(FIRMER ** swiftness(speed, SOFT, firm))


def rubbing_drag(speed: float) -> float:
    """Return the rate at which threads that rub slow down cloth of a mean speed [m/s], [1/s]."""
    slows = RUBBING + (STICKING - RUBBING) * calmness(speed, NEARLY_STILL)
    return HARDEST_BRAKE if slows >= HARDEST_BRAKE * speed else slows / speed

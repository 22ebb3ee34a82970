"""The core records: what flows between the parts of the program.

SI units, radians, right-handed axes, y up, the body faces +z (its left hand is at +x).
Counts end in ``_count``; transforms read ``target_from_source``. Records check their shapes once
and make their arrays read-only, so that they can be shared safely. Those of flat patterns are written
down in core/pattern_records.py, the checks in arrays.py; all are imported from here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from toile.core.arrays import Bools, Floats, Ints, as_floats, as_ints, set_fields
from toile.core.errors import ToileError
from toile.core.pattern_records import (
    CurveKind,
    Edge,
    EdgeRef,
    Grade,
    Hold,
    Mark,
    Notch,
    Panel,
    Pattern,
    Placement,
    Seam,
)
from toile.core.provenance import Provenance

if TYPE_CHECKING:
    from toile._kernels import Ball, TrackedContacts

__all__ = [
    "LIMBS", "Body", "Bools", "ContactQuery", "Contacts", "CurveKind", "Edge", "EdgeRef", "Fabric", "Floats",
    "Garment", "Grade", "Hold", "Ints", "Mark", "Motion", "Notch", "Panel", "PanelMesh", "Pattern",
    "Placement", "PosedBody", "Recording", "Scene", "Seam", "Settings", "Skeleton", "State", "as_floats",
    "as_ints", "as_query",
]  # fmt: skip

Settings: TypeAlias = Mapping[str, Any]


# ---------------------------------------------------------------------------- cloth


@dataclass(frozen=True, eq=False, slots=True)
class PanelMesh:
    """A triangulated panel."""

    uv: Floats
    """rest position in the panel's plane [m], (v, 2)"""
    triangles: Ints
    """counter-clockwise in the plane, (t, 3)"""
    edge_vertices: tuple[Ints, ...]
    """per panel edge the vertices along it from start to end, both ends included"""
    smallest_angle: float = 0.0
    """[rad]"""
    warnings: tuple[str, ...] = ()
    """one line per place where the outline allows no good triangle"""
    mark_edges: tuple[Ints, ...] = ()
    """per mark of the panel the mesh edges that follow it, each (k, 2)"""
    grid: tuple[int, int] = (0, 0)
    """rows and columns of vertices, where uv is a grid stored row by row; (0, 0): any triangles"""

    def __post_init__(self) -> None:
        set_fields(
            self,
            uv=as_floats(self.uv, -1, 2, name="panel mesh uv"),
            triangles=as_ints(self.triangles, -1, 3, name="panel mesh triangles"),
            edge_vertices=tuple(as_ints(e, -1, name="edge vertices") for e in self.edge_vertices),
            mark_edges=tuple(as_ints(e, -1, 2, name="mark edges") for e in self.mark_edges),
        )


@dataclass(frozen=True, eq=False, slots=True)
class Fabric:
    """How a cloth behaves, per unit width, as textile laboratories measure it."""

    name: str
    mass: float
    """areal mass [kg/m²]"""
    stretch_warp: float
    """membrane stiffness along the warp [N/m]"""
    stretch_weft: float
    """membrane stiffness along the weft [N/m]"""
    shear: float
    """shear stiffness [N/m]"""
    bend_warp: float
    """bending rigidity along the warp [N·m]"""
    bend_weft: float
    """bending rigidity along the weft [N·m]"""
    thickness: float = 0.0005
    """[m]"""
    friction: float = 0.3
    """Coulomb coefficient against skin"""
    friction_cloth: float = 0.3
    """Coulomb coefficient against cloth"""
    strain_limit: float = 0.05
    """largest elongation that the fabric bears in wear"""
    damping: float = 1.0
    """rate at which internal motion dies down [1/s]"""
    colour: tuple[float, float, float] = (0.7, 0.7, 0.72)
    """linear RGB for pictures"""
    source: str = ""
    """where the figures come from"""


@dataclass(frozen=True, eq=False, slots=True)
class Garment:
    """Everything about a simulated garment (or whole outfit) that does not change with time.

    Two vertex lists, as in an OBJ file: *particles* move and are joined by welded seams; *uv* points lie
    in the flat panels and stay apart at seams, so that texture and rest shape are never distorted.
    """

    name: str
    triangles: Ints
    """particle indices, (t, 3)"""
    uv: Floats
    """rest position of each uv point in its panel's plane, turned so that +y is the warp [m], (u, 2)"""
    triangles_uv: Ints
    """uv indices, same order as triangles, (t, 3); clockwise in uv where a panel is drawn from its inside"""
    uv_particle: Ints
    """particle that carries each uv point, (u,)"""
    uv_panel: Ints
    """panel of each uv point, (u,)"""
    panel_names: tuple[str, ...]
    """an outfit's panels in the order of patterns and their panels"""
    fabrics: tuple[Fabric, ...]
    triangle_fabric: Ints
    """index into fabrics, (t,)"""
    seam_uv: Ints
    """uv points that are sewn together, (s, 2)"""
    seam_id: Ints
    """seam of each pair, index into seam_names, (s,)"""
    seam_names: tuple[str, ...]
    hold_particle: Ints
    """particles on held edges (waistbands, elastics), (h,)"""
    particle_garment: Ints
    """which garment of the outfit, (n,)"""
    garment_names: tuple[str, ...]
    garment_layer: Ints
    """layer of each garment: higher lies outside, (g,)"""
    patterns: tuple[Pattern, ...] = ()
    """what each garment was cut from"""
    edge_length: float = 0.0
    """target edge length of the mesh [m]"""
    fold_uv: Ints = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int32))
    """mesh edges along fold lines (pleats, creases), as pairs of uv points, (k, 2)"""
    fold_angle: Floats = field(default_factory=lambda: np.zeros(0))
    """how far the cloth is folded there at rest [rad], positive towards its outside, (k,)"""
    panel_grid: Ints = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int32))
    """rows and columns of uv points in panels that are grids, stored row by row; else 0, (p, 2) or (0, 2)"""

    def __post_init__(self) -> None:
        set_fields(
            self,
            panel_grid=as_ints(np.asarray(self.panel_grid).reshape(-1, 2), -1, 2, name="garment panel_grid"),
            fold_uv=as_ints(np.asarray(self.fold_uv).reshape(-1, 2), -1, 2, name="garment fold_uv"),
            fold_angle=as_floats(self.fold_angle, len(self.fold_uv), name="garment fold_angle"),
            triangles=as_ints(self.triangles, -1, 3, name="garment triangles"),
            uv=as_floats(self.uv, -1, 2, name="garment uv"),
            triangles_uv=as_ints(self.triangles_uv, len(self.triangles), 3, name="garment triangles_uv"),
            uv_particle=as_ints(self.uv_particle, len(self.uv), name="garment uv_particle"),
            uv_panel=as_ints(self.uv_panel, len(self.uv), name="garment uv_panel"),
            triangle_fabric=as_ints(self.triangle_fabric, len(self.triangles), name="triangle_fabric"),
            seam_uv=as_ints(np.asarray(self.seam_uv).reshape(-1, 2), -1, 2, name="garment seam_uv"),
            seam_id=as_ints(self.seam_id, len(self.seam_uv), name="garment seam_id"),
            hold_particle=as_ints(self.hold_particle, -1, name="garment hold_particle"),
            particle_garment=as_ints(self.particle_garment, -1, name="garment particle_garment"),
            garment_layer=as_ints(self.garment_layer, len(self.garment_names), name="garment_layer"),
        )

    @property
    def particle_count(self) -> int:
        """Return the number of moving points."""
        return len(self.particle_garment)


# ---------------------------------------------------------------------------- body

LIMBS = (
    "head", "neck", "torso", "pelvis",
    "left_upper_arm", "left_forearm", "left_hand", "right_upper_arm", "right_forearm", "right_hand",
    "left_thigh", "left_shin", "left_foot", "right_thigh", "right_shin", "right_foot",
)  # fmt: skip
"""names of the limb labels, by index"""


@dataclass(frozen=True, eq=False, slots=True)
class Skeleton:
    """Joints in a tree, parents before children."""

    names: tuple[str, ...]
    parents: Ints
    """index of the parent joint, -1 for the root, (j,)"""
    world_from_joint: Floats
    """rest pose, rigid, (j, 4, 4); a joint's y axis points along its bone"""
    tails: Floats
    """end of each bone in the rest pose [m], (j, 3)"""

    def __post_init__(self) -> None:
        count = len(self.names)
        set_fields(
            self,
            parents=as_ints(self.parents, count, name="skeleton parents"),
            world_from_joint=as_floats(self.world_from_joint, count, 4, 4, name="world_from_joint"),
            tails=as_floats(self.tails, count, 3, name="skeleton tails"),
        )


@dataclass(frozen=True, eq=False, slots=True)
class Body:
    """A person in the rest pose (A-pose), with a skeleton to move it."""

    name: str
    vertices: Floats
    """rest pose [m], feet on y = 0, (n, 3)"""
    triangles: Ints
    """counter-clockwise seen from outside, (t, 3)"""
    skeleton: Skeleton
    weight_joint: Ints
    """joints that move each vertex, (n, k); unused places have weight 0"""
    weight: Floats
    """their shares, each row sums to 1, (n, k)"""
    limb: Ints
    """index into LIMBS, (n,)"""
    landmarks: Mapping[str, int] = field(default_factory=dict)
    """name → vertex index"""
    measurements: Mapping[str, float] = field(default_factory=dict)
    """name → metres (weight in kg); names as in ISO 8559-1, lower case with underscores"""

    def __post_init__(self) -> None:
        count = len(self.vertices)
        set_fields(
            self,
            vertices=as_floats(self.vertices, -1, 3, name=f"body {self.name}: vertices"),
            triangles=as_ints(self.triangles, -1, 3, name=f"body {self.name}: triangles"),
            weight_joint=as_ints(self.weight_joint, count, -1, name="weight_joint"),
            weight=as_floats(self.weight, count, -1, name="weight"),
            limb=as_ints(self.limb, count, name="limb"),
        )


@dataclass(frozen=True, eq=False, slots=True)
class PosedBody:
    """The body at one instant."""

    body: Body
    vertices: Floats
    """[m], (n, 3)"""
    velocity: Floats
    """of each vertex [m/s], (n, 3)"""
    world_from_joint: Floats
    """(j, 4, 4)"""


@dataclass(frozen=True, eq=False, slots=True)
class Motion:
    """What an actor did: joint turns over time, on the actor's own skeleton.

    In the actor's rest pose every turn is the identity (joint axes are parallel to the world's), so that
    all sources read alike. A looping motion repeats its first pose in its last frame, up to a shift along
    the floor and a turn about the vertical: that is how far one loop travels.
    """

    name: str
    fps: float
    """frames per second"""
    names: tuple[str, ...]
    """joints, parents before children; the first is the root"""
    parents: Ints
    """index of the parent joint, -1 for the root, (j,)"""
    offsets: Floats
    """rest position of each joint relative to its parent [m], (j, 3)"""
    tails: Floats
    """end of each bone relative to its joint in the rest pose [m], (j, 3)"""
    rotations: Floats
    """parent_from_joint, unit quaternions (w, x, y, z), (f, j, 4)"""
    translation: Floats
    """root joint in the world [m], y up, (f, 3)"""
    loop: bool = False
    source: str = ""
    """where it comes from: a file, or the published data"""

    def __post_init__(self) -> None:
        joints, frames = len(self.names), len(self.translation)
        set_fields(
            self,
            parents=as_ints(self.parents, joints, name=f"motion {self.name}: parents"),
            offsets=as_floats(self.offsets, joints, 3, name=f"motion {self.name}: offsets"),
            tails=as_floats(self.tails, joints, 3, name=f"motion {self.name}: tails"),
            rotations=as_floats(self.rotations, frames, joints, 4, name=f"motion {self.name}: rotations"),
            translation=as_floats(self.translation, frames, 3, name=f"motion {self.name}: translation"),
        )
        if not (0.0 < self.fps <= 10000.0) or frames < 1:
            raise ToileError(
                f"motion {self.name}: {frames} frames at {self.fps} frames per second make no motion"
            )

    @property
    def duration(self) -> float:
        """Return the time from the first frame to the last [s]."""
        return (len(self.translation) - 1) / self.fps


# ---------------------------------------------------------------------------- contact, time


@dataclass(frozen=True, eq=False, slots=True)
class Contacts:
    """Points near the skin; a particle between two limbs may appear more than once."""

    particle: Ints
    """ascending, (c,)"""
    gap: Floats
    """distance to the skin, negative inside [m], (c,)"""
    normal: Floats
    """unit, out of the body, (c, 3)"""
    velocity: Floats
    """of the skin at the nearest point [m/s], (c, 3)"""
    tracked: TrackedContacts | None = None
    """lets a solver follow these contacts over the skin while it moves on"""
    grip: Floats | None = None
    """share of the fabric's friction that acts there, (c,); None: all of it everywhere"""


class ContactQuery:
    """The body at one instant, ready to be asked many times: made from a function, or derived from this."""

    nowhere: bool = False
    """there is nothing to touch, so one query a step is enough"""

    def __init__(self, ask: Callable[[Floats], Contacts]) -> None:
        """Answer with what this function returns."""
        self._ask = ask

    def __call__(self, position: Floats) -> Contacts:
        """Return the contacts of all particles at these positions [m], (n, 3)."""
        return self._ask(position)

    @property
    def ball(self) -> Ball | None:
        """Return the ball that it is, if it is nothing else: an engine may ask that by itself."""
        return None


def as_query(ask: Callable[[Floats], Contacts]) -> ContactQuery:
    """Return a function from points to contacts as a query."""
    return ask if isinstance(ask, ContactQuery) else ContactQuery(ask)


@dataclass(frozen=True, eq=False, slots=True)
class Scene:
    """What surrounds the cloth at one instant."""

    body: PosedBody | None
    contacts: ContactQuery
    """what the cloth may touch; a plain function will do"""
    gravity: Floats
    """[m/s²], (3,)"""
    wind: Floats
    """velocity of the air [m/s], (3,)"""
    watch: float | None = None
    """how long a solver goes on with what cloth it finds near other cloth now [s]; 0: it goes on with what it
    found before; None: for this step"""

    def __post_init__(self) -> None:
        set_fields(self, contacts=as_query(self.contacts))


@dataclass(frozen=True, eq=False, slots=True)
class State:
    """Everything that changes with time."""

    position: Floats
    """[m], (n, 3)"""
    velocity: Floats
    """[m/s], (n, 3)"""
    time: float = 0.0
    """[s]"""

    def __post_init__(self) -> None:
        for values in (self.position, self.velocity):
            values.setflags(write=False)


@dataclass(frozen=True, eq=False, slots=True)
class Recording:
    """A garment's life on a body, frame by frame; replays without simulating."""

    garment: Garment
    body: Body | None
    times: Floats
    """[s], (f,)"""
    positions: Floats
    """particles per frame [m], (f, n, 3)"""
    body_vertices: Floats
    """body per frame [m], (f, b, 3)"""
    provenance: Provenance = field(default_factory=Provenance)
    """everything that was chosen, and what there is to tell"""

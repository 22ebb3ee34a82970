"""The core records: what flows between the parts of the program.

SI units, radians, right-handed axes, y up, the body faces +z (its left hand is at +x).
Counts end in ``_count``; transforms read ``target_from_source``. Records check their shapes once
and make their arrays read-only, so that they can be shared without fear.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from toile.errors import ToileError

if TYPE_CHECKING:
    from toile._kernels import Ball, SkinTrail

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]
Bools: TypeAlias = NDArray[np.bool_]
CurveKind = Literal["line", "quadratic", "cubic", "arc", "polyline"]
Settings: TypeAlias = Mapping[str, Any]


def as_floats(values: ArrayLike, *shape: int, name: str = "array") -> Floats:
    """Return a read-only float64 copy; -1 in shape means any size. NaN and infinity are refused."""
    array = np.array(values, dtype=np.float64, order="C")
    _check_shape(array, shape, name)
    if not np.isfinite(array).all():
        raise ToileError(f"{name} holds NaN or infinite numbers")
    array.setflags(write=False)
    return array


def as_ints(values: ArrayLike, *shape: int, name: str = "array") -> Ints:
    """Return a read-only int32 copy; -1 in shape means any size."""
    array = np.array(values, dtype=np.int32, order="C")
    _check_shape(array, shape, name)
    array.setflags(write=False)
    return array


def _check_shape(array: NDArray[Any], shape: tuple[int, ...], name: str) -> None:
    if array.ndim != len(shape) or any(
        want not in (-1, got) for want, got in zip(shape, array.shape, strict=True)
    ):
        wanted = ", ".join("any" if s == -1 else str(s) for s in shape)
        raise ToileError(f"{name} has shape {array.shape}, wanted ({wanted})")


def _set(record: object, **values: Any) -> None:
    """Store checked values in a frozen record from its __post_init__."""
    for key, value in values.items():
        object.__setattr__(record, key, value)


# ---------------------------------------------------------------------------- pattern


@dataclass(frozen=True, eq=False, slots=True)
class Edge:
    """One side of a panel's outline, from one corner to the next."""

    start: int
    """index into Panel.vertices"""
    end: int
    """index into Panel.vertices"""
    kind: CurveKind = "line"
    """line (no control point), quadratic (1), cubic (2), arc (1: any point that the arc passes),
    polyline (n: points between start and end)"""
    controls: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    """control points in panel coordinates [m], (k, 2)"""
    name: str = ""
    """tailor's word for it: waist, hem, side … (may be empty)"""

    def __post_init__(self) -> None:
        controls = as_floats(np.asarray(self.controls).reshape(-1, 2), -1, 2, name="edge controls")
        wanted = {"line": 0, "quadratic": 1, "cubic": 2, "arc": 1}.get(self.kind, len(controls))
        if len(controls) != wanted:
            raise ToileError(f"a {self.kind} edge takes {wanted} control points, not {len(controls)}")
        _set(self, controls=controls)


@dataclass(frozen=True, eq=False, slots=True)
class Placement:
    """Where a panel stands before sewing, before it is aligned to a body."""

    translation: Floats
    """position of the panel's origin [m], (3,)"""
    rotation: Floats
    """world_from_panel, (3, 3); panel coordinates are (x, y, 0)"""
    around: str = ""
    """what the panel is curved round: torso, left_arm, right_arm, left_leg, right_leg, neck, head;
    empty: stays flat"""

    def __post_init__(self) -> None:
        _set(
            self,
            translation=as_floats(self.translation, 3, name="placement translation"),
            rotation=as_floats(self.rotation, 3, 3, name="placement rotation"),
        )


@dataclass(frozen=True, slots=True)
class Notch:
    """A mark on an edge that must meet its partner across the seam."""

    edge: int
    """position in Panel.edges"""
    fraction: float
    """place along the edge's length, 0 at its start, 1 at its end"""
    name: str = ""
    """notches of the same name meet (may be empty)"""


@dataclass(frozen=True, eq=False, slots=True)
class Mark:
    """A line drawn inside a panel."""

    kind: Literal["internal", "fold", "cutout", "sew", "drill", "cut"]
    """internal: to be followed by the mesh; fold: crease or pleat; cutout: closed, the inside is removed;
    sew: seam line inside the cut line; drill: single points; cut: where the scissors go (allowance)"""
    points: Floats
    """in panel coordinates [m], (k, 2)"""
    angle: float = 0.0
    """fold: how far the cloth is folded along the line [rad], 0 flat, positive towards the panel's +z side"""
    name: str = ""

    def __post_init__(self) -> None:
        _set(self, points=as_floats(np.asarray(self.points).reshape(-1, 2), -1, 2, name="mark points"))


@dataclass(frozen=True, eq=False, slots=True)
class Panel:
    """A flat piece of cloth: a closed loop of edges."""

    name: str
    vertices: Floats
    """corners in the panel's plane [m], (n, 2); y along the warp (grain) unless grain says otherwise"""
    edges: tuple[Edge, ...]
    """in order: each edge ends where the next starts, the last ends where the first starts"""
    placement: Placement | None = None
    fabric: str = ""
    """name in the fabric database; empty: the garment's fabric"""
    grain: float = 0.0
    """angle of the warp from the panel's y axis [rad], counter-clockwise"""
    label: str = ""
    """free text: part of the body, or what the source file said"""
    notches: tuple[Notch, ...] = ()
    marks: tuple[Mark, ...] = ()
    """internal lines, fold lines, cut-outs"""

    def __post_init__(self) -> None:
        _set(self, vertices=as_floats(self.vertices, -1, 2, name=f"panel {self.name}: vertices"))


@dataclass(frozen=True, slots=True)
class EdgeRef:
    """An edge as a seam runs along it."""

    panel: str
    edge: int
    """position in Panel.edges"""
    reversed: bool = False
    """the seam runs from the edge's end to its start"""


@dataclass(frozen=True, slots=True)
class Seam:
    """Two chains of edges sewn together: the start of chain a meets the start of chain b."""

    a: tuple[EdgeRef, ...]
    b: tuple[EdgeRef, ...]
    ease: float | None = None
    """declared length of b / length of a (gathers, ease); None: equal lengths were meant"""
    name: str = ""


@dataclass(frozen=True, slots=True)
class Hold:
    """An edge that stays where the body carries it: a waistband, an elastic."""

    edge: EdgeRef
    kind: Literal["pin", "elastic"] = "pin"
    ratio: float = 1.0
    """elastic: relaxed length / cut length"""


@dataclass(frozen=True, slots=True)
class Grade:
    """How a pattern changes from one size to the next, along one edge or at one of its ends."""

    edge: EdgeRef
    where: Literal["out", "start", "end"] = "out"
    """out: the whole edge moves outward; start, end: that corner moves"""
    x: float = 0.0
    """out: how far; else to the right, per step [m]"""
    y: float = 0.0
    """upward, per step; not used by out [m]"""


@dataclass(frozen=True, eq=False, slots=True)
class Pattern:
    """The flat pieces of one garment and the seams that join them."""

    name: str
    panels: tuple[Panel, ...]
    seams: tuple[Seam, ...] = ()
    holds: tuple[Hold, ...] = ()
    layer: int = 0
    """0 is worn next to the skin; higher layers lie over lower ones"""
    origin: Literal["floor", "waist", "body", "unknown"] = "unknown"
    """what y = 0 of the placements means; body: already aligned to the body it was drafted for"""
    notes: tuple[str, ...] = ()
    """what a reader had to assume, one sentence each, for the user to see"""
    tuck: str = ""
    """garment of the same outfit that this one is tucked into: a shirt into trousers"""
    sizes: tuple[str, ...] = ()
    """sizes that the grade rules lead to, in order"""
    size: str = ""
    """the one of them that is drawn"""
    grades: tuple[Grade, ...] = ()
    """what each edge does from one size to the next"""
    recipe: str = ""
    """draft and style that it was drafted by, such as 'skirt length=0.6'; empty: drawn by hand"""

    def panel(self, name: str) -> Panel:
        """Return the panel of that name."""
        for panel in self.panels:
            if panel.name == name:
                return panel
        raise ToileError(f"pattern {self.name}: no panel '{name}'")


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
        _set(
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
        _set(
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
        _set(
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
        _set(
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
        _set(
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
    trail: SkinTrail | None = None
    """lets a solver follow these contacts over the skin while it moves on"""
    grip: Floats | None = None
    """share of the fabric's friction that acts there, (c,); None: all of it everywhere"""


class ContactQuery:
    """The body at one instant, ready to be asked many times: made from a function, or derived from this."""

    nowhere: bool = False
    """there is nothing to touch, so nobody need ask more than once a step"""

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
        _set(self, contacts=as_query(self.contacts))


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
    settings: Settings = field(default_factory=dict)
    """everything that was chosen: solver, collider, fabric, versions, seeds"""


def record_arrays(record: object) -> dict[str, NDArray[Any]]:
    """Return the array fields of a record by name, for storage."""
    return {
        f.name: value
        for f in fields(record)  # type: ignore[arg-type]
        if isinstance(value := getattr(record, f.name), np.ndarray)
    }

"""
Hot loops on arrays. Use the Python functions around them, not this module.
"""

from typing import Annotated, Any

import numpy
from numpy.typing import NDArray

def visible(
    points: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    triangles: Annotated[
        NDArray[numpy.int32], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    width: int,
    height: int,
    farthest: bool = False,
    cull: int = 0,
) -> tuple[NDArray[numpy.int32], NDArray[numpy.float32]]:
    """
    triangle (-1: none) and depth seen at each pixel; points are x, y in pixels (y down) and depth; cull 1 keeps triangles that are counter-clockwise to the viewer, -1 the others
    """

def pixel_weights(
    pixel: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    id: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    points: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    triangles: Annotated[
        NDArray[numpy.int32], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    inverse_w: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    width: int,
    height: int,
) -> NDArray[numpy.float32]:
    """shares of corners 1 and 2 of the triangle at each pixel (flat index)"""

def mix(
    id: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    weights: Annotated[
        NDArray[numpy.float32], dict(shape=(None, 2), order="C", device="cpu", writable=False)
    ],
    triangles: Annotated[
        NDArray[numpy.int32], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    values: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
) -> NDArray[numpy.float32]:
    """point values interpolated at pixels"""

def unhidden(
    depth: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    points: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    bias: float,
) -> NDArray[numpy.float32]:
    """
    shadow look-up: share of the depth map round each point that lies not before it
    """

class FollowClothFloat:
    """Particles and edges as springs; see docs/solver-follow.md."""

    def __init__(
        self,
        edges: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 2), order="C", device="cpu", writable=False)
        ],
        rest: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        mass: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        drag: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        friction: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def hold(
        self,
        held: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def step(
        self,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        steps: int,
        dt: float,
        stiffness: float,
        thickness: float,
        near: float,
        share: float,
        gravity: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        wind: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        who: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        gap: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        normal: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        skin_velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        grip: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        -> position, velocity; particles with a gap below `near` first take over the part `share` of the skin's velocity, times its grip
        """

class FollowClothDouble:
    """Particles and edges as springs; see docs/solver-follow.md."""

    def __init__(
        self,
        edges: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 2), order="C", device="cpu", writable=False)
        ],
        rest: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        mass: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        drag: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        friction: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def hold(
        self,
        held: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def step(
        self,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        steps: int,
        dt: float,
        stiffness: float,
        thickness: float,
        near: float,
        share: float,
        gravity: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        wind: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        who: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        gap: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        normal: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        skin_velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        grip: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        -> position, velocity; particles with a gap below `near` first take over the part `share` of the skin's velocity, times its grip
        """

class ImplicitCloth:
    """Springs in implicit Euler steps; see docs/solver-implicit.md."""

    def __init__(
        self,
        pairs: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 2), order="C", device="cpu", writable=False)
        ],
        rest: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        stiffness: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        mass: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        drag: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        limited: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 2), order="C", device="cpu", writable=False)
        ],
        longest: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def pin(
        self,
        pinned: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def velocity_change(
        self,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        dt: float,
        damping: float,
        gravity: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        wind: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        tolerance: float,
        iterations: int,
    ) -> tuple[NDArray[numpy.float64], int]:
        """-> change of velocity (n, 3), iterations of conjugate gradients"""

    def shorten(
        self,
        sweeps: int,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
    ) -> NDArray[numpy.float64]:
        """-> position (n, 3) with limited pairs shortened"""

    def constrain(
        self,
        sweeps: int,
        dt: float,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
    ) -> tuple[NDArray[numpy.float64], float]:
        """
        -> velocity (n, 3) after the constraint forces, the largest of these [N]
        """

def ellipsoid_contacts(
    points: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    world_from_unit: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3, 4), order="C", device="cpu", writable=False)
    ],
    unit_from_world: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3, 4), order="C", device="cpu", writable=False)
    ],
    group: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    limb: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    adjacent: Annotated[
        NDArray[numpy.bool_], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    parent: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    radius: float,
    centre: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    velocity: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    spin: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    along_ray: bool = False,
) -> tuple[
    NDArray[numpy.int32],
    NDArray[numpy.float64],
    NDArray[numpy.float64],
    NDArray[numpy.float64],
    NDArray[numpy.int32],
]:
    """
    -> particle (c,), gap (c,), normal (c, 3), velocity (c, 3), parent (n,): the nearest ellipsoid of each group that is tested; parent -1: all groups are
    """

class SpringCloth:
    """Particles and springs; see docs/solver-spring.md."""

    def __init__(
        self,
        ends: Annotated[NDArray[numpy.int32], dict(shape=(None, 2), order="C", device="cpu", writable=False)],
        rest: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        stiffness: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        limited: Annotated[
            NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        mass: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        air: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        friction: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        triangles: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        faces: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 4), order="C", device="cpu", writable=False)
        ],
    ) -> None:
        """
        faces (f, 4): corners, -1 last for triangles; their middles may have contacts
        """

    def pin(
        self,
        pinned: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def set_options(
        self,
        damping: float,
        rule: int,
        threshold: float,
        sweeps: int,
        gravity_directs: bool,
        thickness: float,
        speed_limit: float,
        by_velocity: bool,
        slide: float,
        reflection: float,
        grip: float,
    ) -> None: ...
    def set_seams(
        self,
        pairs: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 2), order="C", device="cpu", writable=False)
        ],
        rate: float,
        speed: float,
        stiffness: float = 0.0,
    ) -> None:
        """
        pairs (m, 2) are pulled together in every step from now on: by velocities, or by elastic forces of a stiffness [N/m]
        """

    def steps(
        self,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        count: int,
        dt: float,
        since: float,
        gravity: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        wind: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        who: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        gap: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        normal: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        skin_velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        grip: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], int, float]:
        """
        -> position, velocity, steps made, widest seam; contacts of face f have who = particles + f
        """

    def steps_in_maps(
        self,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        count: int,
        dt: float,
        since: float,
        gravity: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        wind: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        texels: Annotated[
            NDArray[numpy.float32], dict(shape=(None, None, 2, 8), order="C", device="cpu", writable=False)
        ],
        left: float,
        top: float,
        pixel: float,
        reach: float,
        refine: bool,
        closed: float,
        by_depth: bool,
        travel: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], int, float]:
        """
        the same with a look into front and back maps before every step; ends when the widest seam is at most `closed`
        """

class VerletGridFloat:
    """A grid of particles, row by row; see docs/solver-verlet.md."""

    def __init__(
        self,
        rows: int,
        columns: int,
        rest: Annotated[
            NDArray[numpy.float64], dict(shape=(6, None), order="C", device="cpu", writable=False)
        ],
        share: Annotated[NDArray[numpy.float64], dict(shape=(6), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def pin(
        self,
        particles: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def step(
        self,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        dt: float,
        keep: float,
        gravity: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        wind: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        iterations: int,
        threshold: float,
        check_every: int = 4,
        moving: int = 0,
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], int]:
        """-> position, velocity, sweeps"""

class VerletMeshFloat:
    """Particles joined by pairs; see docs/solver-verlet.md."""

    def __init__(
        self,
        order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        pairs: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 2), order="C", device="cpu", writable=False)
        ],
        low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        share: float,
    ) -> None:
        """a pair whose length lies between low and high is left alone"""

    def pin(
        self,
        particles: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def sequence(self) -> NDArray[numpy.int32]: ...
    def step(
        self,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        dt: float,
        keep: float,
        gravity: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        wind: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        iterations: int,
        threshold: float,
        check_every: int = 4,
        moving: int = 0,
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], int]:
        """-> position, velocity, sweeps"""

class VerletGridDouble:
    """A grid of particles, row by row; see docs/solver-verlet.md."""

    def __init__(
        self,
        rows: int,
        columns: int,
        rest: Annotated[
            NDArray[numpy.float64], dict(shape=(6, None), order="C", device="cpu", writable=False)
        ],
        share: Annotated[NDArray[numpy.float64], dict(shape=(6), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def pin(
        self,
        particles: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def step(
        self,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        dt: float,
        keep: float,
        gravity: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        wind: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        iterations: int,
        threshold: float,
        check_every: int = 4,
        moving: int = 0,
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], int]:
        """-> position, velocity, sweeps"""

class VerletMeshDouble:
    """Particles joined by pairs; see docs/solver-verlet.md."""

    def __init__(
        self,
        order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        pairs: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 2), order="C", device="cpu", writable=False)
        ],
        low: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        high: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        share: float,
    ) -> None:
        """a pair whose length lies between low and high is left alone"""

    def pin(
        self,
        particles: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def sequence(self) -> NDArray[numpy.int32]: ...
    def step(
        self,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        dt: float,
        keep: float,
        gravity: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        wind: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        iterations: int,
        threshold: float,
        check_every: int = 4,
        moving: int = 0,
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], int]:
        """-> position, velocity, sweeps"""

def respond(
    position: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    velocity: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    particle: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    gap: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    normal: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    skin_velocity: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    thickness: Annotated[
        NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    friction: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    dt: float,
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """-> position, velocity after contact"""

class Ball:
    """A ball that the engine asks by itself."""

    def __init__(
        self,
        centre: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        radius: float,
        reach: float,
        velocity: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
    ) -> None: ...

def ball_contacts(
    position: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    centre: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
    radius: float,
    reach: float,
) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]:
    """-> particle (c,), gap [m], (c,), normal (c, 3)"""

class BoxTrees:
    """
    One quad tree of boxes over the faces of each group. Not to be refitted while being asked.
    """

    def __init__(
        self,
        triangles: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        vertices: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        group: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        group_count: int,
    ) -> None: ...
    def refit(
        self,
        vertices: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def contacts(
        self,
        points: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        reach: float,
    ) -> tuple[
        NDArray[numpy.int32],
        NDArray[numpy.float64],
        NDArray[numpy.float64],
        NDArray[numpy.int32],
        NDArray[numpy.float64],
    ]:
        """
        -> particle (c,), gap (c,), normal (c, 3), face (c,), weight (c, 3): the nearest face of each group in reach
        """

class PartMaps:
    """
    Front and back maps of parts of a body. Not to be posed or drawn while being asked.
    """

    def __init__(
        self,
        triangles: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        triangle_part: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        part_count: int,
        vertex_count: int,
        behind: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        behind_part: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None:
        """
        behind: skin of neighbours, that a part shows where only one of its cameras sees skin of its own
        """

    def set_options(
        self,
        pixel: float,
        tolerance: float,
        reach: float,
        silhouette: float,
        rim: int,
        refine: bool,
        by_depth: bool = False,
    ) -> None: ...
    def pose(
        self,
        vertices: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        frames: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 4, 3), order="C", device="cpu", writable=False)
        ],
    ) -> None:
        """
        frames (parts, 4, 3): x, y, z axes in the world, origin; y is up in the maps, the front camera looks along -z
        """

    def draw(
        self,
        wanted: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None:
        """draws the wanted parts that are not drawn yet for this pose"""

    def touched(
        self,
        points: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        every: int = 1,
    ) -> NDArray[numpy.bool_]:
        """
        parts whose box, widened by reach, holds one of the points (of every n-th)
        """

    def look_up(
        self,
        points: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        cull: bool = True,
    ) -> tuple[
        NDArray[numpy.int32],
        NDArray[numpy.float64],
        NDArray[numpy.float64],
        NDArray[numpy.float64],
        NDArray[numpy.int32],
    ]:
        """
        -> particle (c,), gap (c,), normal (c, 3), velocity (c, 3), part (c,); particles ascend, then parts
        """

    def boxes(self) -> NDArray[numpy.float64]:
        """lowest and highest corner in each part's frame, (parts, 2, 3)"""

    def texels(self, part: int) -> tuple[float, float, NDArray[numpy.float32]]:
        """
        -> left [m], top [m], (h, w, side, 8): normal, offset, depth (infinite: unseen), velocity; side 0 is the front
        """

    @property
    def part_count(self) -> int: ...

def look_up_map(
    points: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    texels: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None, 2, 8), order="C", device="cpu", writable=False)
    ],
    left: float,
    top: float,
    pixel: float,
    reach: float,
    silhouette: float,
    refine: bool,
    by_depth: bool = False,
) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    -> particle (c,), gap (c,), normal (c, 3), velocity (c, 3) from a map that texels() returned
    """

def colour(
    constraints: Annotated[
        NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    vertex_count: int,
) -> NDArray[numpy.int32]:
    """
    Return a colour per constraint (c, k); constraints of one colour share no vertex. -1: no vertex.
    """

class ThreadPool:
    """Threads that calls of one Python thread use; see toile.Context."""

    def __init__(self, threads: int = 0) -> None: ...
    @property
    def threads(self) -> int: ...

def use_pool(pool: ThreadPool | None) -> None:
    """
    calls from this Python thread use that pool from now on, None: the shared one
    """

def thread_count() -> int:
    """threads that calls from this Python thread use"""

def set_thread_count(count: int) -> None:
    """
    of the pool that this Python thread uses; 0: TOILE_THREADS or all cores of this process
    """

class SurfaceTree:
    """
    Tree of boxes over a triangle surface. Not to be refitted while being asked.
    """

    def __init__(
        self,
        triangles: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        vertices: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        group: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None = None,
    ) -> None: ...
    def refit(
        self,
        vertices: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        raised: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None = None,
        place: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ]
        | None = None,
    ) -> None:
        """
        new places of all vertices (n, 3); raised (v,) are at place (v, 3) instead
        """

    def nearest(
        self,
        points: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        radius: float,
        hint: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None = None,
    ) -> tuple[Any, ...]:
        """
        -> triangle (n,), gap (n,), point (n, 3), normal (n, 3), weight (n, 3); triangle -1 and gap inf beyond radius
        """

    def nearest_per_group(
        self,
        points: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        radius: float,
        hint: Annotated[
            NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ]
        | None = None,
        order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None = None,
        widest: int = 5,
    ) -> tuple[Any, ...]:
        """
        -> particle (c,), gap (c,), normal (c, 3), point (c, 3), triangle (c,), weight (c, 3), hint (n, groups)
        """

    def contacts(
        self,
        points: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        radius: float,
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        hint: Annotated[
            NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ]
        | None = None,
        order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None = None,
    ) -> tuple[Any, ...]:
        """
        -> particle (c,), gap (c,), normal (c, 3), velocity of the surface there (c, 3), triangle (c,), hint (n, groups)
        """

    def contacts_tracked(
        self,
        points: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        radius: float,
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        particle: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        triangle: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        asked: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        since: float,
        slip: float,
        boxes: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 2, 3), order="C", device="cpu", writable=False)
        ],
        hint: Annotated[
            NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ]
        | None = None,
        order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None = None,
    ) -> tuple[Any, ...]:
        """
        the same some time after points were at asked (n, 3) and had contacts (particle, triangle): these are followed over the surface; points in boxes (k, 2, 3) and those that have gone farther than slip past the surface are searched again
        """

    def sides(
        self,
        points: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        radius: float,
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
    ) -> tuple[Any, ...]:
        """
        -> particle (c,), gap (c,), normal (c, 3), velocity of the surface (c, 3) at all places of the surface that are nearer than the surface round them, seen from outside
        """

    def winding(
        self,
        points: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
    ) -> NDArray[numpy.int32]:
        """
        -> how often the surface encloses each point (n,): 0 outside, 1 inside, 2 where two limbs overlap
        """

    @property
    def triangle_count(self) -> int: ...
    @property
    def vertex_count(self) -> int: ...
    @property
    def group_count(self) -> int: ...

class TrackedContacts:
    """Contacts that a step may follow over a surface that moves on."""

    def __init__(
        self,
        tree: SurfaceTree,
        triangle: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        radius: float,
        slip: float,
        hint: Annotated[
            NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)
        ]
        | None = None,
    ) -> None: ...

def triangles_meet(
    s: Annotated[NDArray[numpy.float64], dict(shape=(3, 3), order="C", device="cpu", writable=False)],
    t: Annotated[NDArray[numpy.float64], dict(shape=(3, 3), order="C", device="cpu", writable=False)],
) -> bool:
    """do two triangles (3, 3) have a common point? exact"""

def meeting_pairs(a: SurfaceTree, b: SurfaceTree, limit: int = 100000) -> tuple[Any, ...]:
    """
    -> number of pairs, (k, 2) triangles of tree a and tree b that have a common point, ascending
    """

def meeting_pairs_self(
    tree: SurfaceTree,
    label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | None = None,
    limit: int = 100000,
) -> tuple[Any, ...]:
    """
    -> number of pairs, (k, 2) triangles i < j of one tree that meet where they should not
    """

class ClothPatches:
    """Near pairs of a cloth. Not to be used by two threads at once."""

    def __init__(
        self,
        triangles: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        particle_count: int,
        label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None = None,
    ) -> None: ...
    def find(
        self,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        radius: float,
        allow_avx2: bool = True,
    ) -> tuple[Any, ...]:
        """
        -> vertex-face (k, 4), edge-edge (k, 4): particles of pairs nearer than radius that share none
        """

    def crossing_skin(
        self,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        body: SurfaceTree,
        widest: int = 5,
    ) -> NDArray[numpy.int32]:
        """
        -> (k, 2) triangles of the cloth and of a tree that have a common point, ascending: those of meeting_pairs
        """

    @property
    def patch_count(self) -> int: ...

def nearest_points(
    position: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    pairs: Annotated[NDArray[numpy.int32], dict(shape=(None, 4), order="C", device="cpu", writable=False)],
    edges: bool,
    allow_avx2: bool = True,
) -> tuple[Any, ...]:
    """
    -> weights of the particles of each pair (k, 4), the way from its second piece to its first (k, 3) [m]
    """

class Untangler:
    """Moves crossing cloth apart. Not to be used by two threads at once."""

    def __init__(
        self,
        triangles: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        layer: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None = None,
        label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
        | None = None,
        rest: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ]
        | None = None,
    ) -> None: ...
    def run(
        self,
        position: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu")],
        inverse_mass: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ]
        | None = None,
        body: SurfaceTree | None = None,
        rounds: int = 12,
        step: float = 0.001,
        reach: float = 0.015,
    ) -> dict[str, Any]:
        """
        moves position (n, 3) in place -> {rounds, body_before, body_after, cloth_before, cloth_after, moved, left: pairs of triangles that still cross (k, 2), (t, t): one that crosses the skin}
        """

class Cloth:
    """A garment's constraints and the step that advances it."""

    @property
    def kind(self) -> str: ...
    def set_long_threads(
        self,
        pairs: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 2), order="C", device="cpu", writable=False)
        ],
        rest: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def set_stencil_rest(
        self,
        rest: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def set_grid(
        self,
        rows: int,
        columns: int,
        cell: Annotated[NDArray[numpy.float64], dict(shape=(2), order="C", device="cpu", writable=False)],
        stiffness: Annotated[
            NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)
        ],
        bend: Annotated[NDArray[numpy.float64], dict(shape=(2), order="C", device="cpu", writable=False)],
        reach: Annotated[NDArray[numpy.float64], dict(shape=(2), order="C", device="cpu", writable=False)],
        stencil_of: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        alternate: bool,
    ) -> None: ...
    def set_limit_compliance(self, soft_stretch: float, substep: float, bias: float = 1.0) -> None: ...
    def level_limits(
        self,
        level: int,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
    ) -> tuple[Any, ...]: ...
    def triangle_sequence(
        self,
        triangles: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
    ) -> list[int]: ...
    def stretch(
        self,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        every: int = 1,
    ) -> tuple[float, float]: ...
    def step(
        self,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        dt: float,
        substep_count: int,
        gravity: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        wind: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        contact_particle: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        contact_gap: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
        contact_normal: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        contact_velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        **options: Any,
    ) -> tuple[Any, ...]: ...
    @property
    def memory(self) -> list[tuple[str, int]]:
        """-> bytes held, by part"""

    @property
    def levels(self) -> list[tuple[int, int]]: ...
    @property
    def constraint_count(self) -> int: ...

class ClothSolver:
    """The default solver of a cloth: arrays as in scene_fields()."""

    def __init__(self, arrays: dict[str, Any]) -> None: ...
    def set_law(self, name: str, value: float) -> None:
        """for tests"""

    def set_levels(self) -> None: ...
    @property
    def measured(self) -> int:
        """-> how often the stretch of the cloth has been measured"""

    def pin(
        self,
        particles: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def set_drag(self, drag: float) -> None: ...
    def set_friction(
        self,
        scale: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def close_seams(self, fraction: float) -> None: ...
    def substep(
        self,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        speed: float,
        whipping: float,
        over_skin: bool,
    ) -> float: ...
    def step(
        self,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        contacts: object,
        gravity: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        wind: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        watch: float | None,
        dt: float,
    ) -> tuple[Any, ...]:
        """
        -> position, velocity dt [s] later; contacts: a query, as in toile.core.records
        """

    @property
    def longest_contact_step(self) -> float: ...
    @property
    def followed_updates(self) -> int: ...
    @property
    def cloth(self) -> Cloth: ...

def fixed_math(
    name: str,
    x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    y: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> NDArray[numpy.float64]:
    """
    log, exp, power, atan2, hypot, fourth_root, sine, cosine of engine/core/fixed_math.h
    """

def step_laws() -> dict[str, Any]:
    """
    -> figures by which the default solver steps (engine/frame/step_laws.h)
    """

def calmness(speed: float, slow: float) -> float: ...
def swiftness(speed: float, slow: float, fast: float) -> float: ...
def firmness(speed: float, firm: float) -> float: ...
def rubbing_drag(speed: float) -> float: ...
def speeds(
    velocity: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
) -> tuple[float, float]: ...
def scene_fields() -> list[tuple[str, str, str, str]]:
    """-> name, type, shape, group of each array of a scene"""

class SkinContact:
    """
    Contact with one body's skin: arrays as in scene_fields(). Not to be asked by two threads at once.
    """

    def __init__(self, arrays: dict[str, Any]) -> None: ...
    def find(
        self,
        vertices: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        points: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
    ) -> tuple[Any, ...]:
        """-> particle, gap, normal, velocity, tracked contacts, grip or None"""

    def follow(
        self,
        vertices: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        points: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        since: float,
        boxes: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 2, 3), order="C", device="cpu", writable=False)
        ],
    ) -> tuple[Any, ...]:
        """
        the same since [s] after all were searched; points in boxes (k, 2, 3) are searched again
        """

    def sides(
        self,
        vertices: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        points: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
    ) -> tuple[Any, ...]:
        """
        -> particle, gap, normal, velocity of contacts with all sides of creases
        """

    def tree(
        self,
        vertices: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
    ) -> SurfaceTree:
        """
        -> the tree over the skin in this pose, until another pose is asked for
        """

def body_steps(
    before: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    after: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    limb: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    thin: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    position: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    velocity: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    dt: float,
    longest_contact_step: float,
    followed_updates: int,
) -> tuple[Any, ...]:
    """
    -> searches of the skin, those for broad limbs, velocity of the skin (n, 3), boxes near thin limbs (k, 2, 3), steps (share of the way, length [s], watch [s], since the skin was searched [s], whether contacts are followed)
    """

class Repair:
    """The last correction of a frame. Not to be used by two threads at once."""

    def __init__(
        self,
        triangles: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        layer: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        sides: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        pinned: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def run(
        self,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        contact: SkinContact,
        vertices: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        start: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ]
        | None = None,
    ) -> tuple[Any, ...]:
        """
        -> position, velocity, (body_before, cloth_before, body_after, cloth_after, moved)
        """

class Rest:
    """
    Keeps a garment from trembling while its body stands still. Not to be used by two threads at once.
    """

    def __init__(
        self,
        triangles: Annotated[
            NDArray[numpy.int32], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        contact: SkinContact,
    ) -> None: ...
    def stay(
        self,
        start: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        end: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        end_velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        free: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        vertices: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        dt: float,
    ) -> object:
        """-> position, velocity; None: nothing has to stay"""

    def asleep(
        self,
        start: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        end: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        before: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        after: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        dt: float,
    ) -> bool:
        """-> whether cloth stays at the start of a frame"""

def stands_still(
    before: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    after: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
) -> bool:
    """-> whether no skin moves between two poses"""

def widen_zone(
    triangles: Annotated[
        NDArray[numpy.int32], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    zone: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)],
    crossing: Annotated[NDArray[numpy.int32], dict(shape=(None, 2), order="C", device="cpu", writable=False)],
) -> NDArray[numpy.uint8]:
    """-> zone (n,) with what crosses, one ring round it, both sides of seams"""

def carry_zone(
    triangles: Annotated[
        NDArray[numpy.int32], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    label: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    zone: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order="C", device="cpu", writable=False)],
    crossing: Annotated[NDArray[numpy.int32], dict(shape=(None, 2), order="C", device="cpu", writable=False)],
    start: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    position: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    velocity: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
) -> tuple[Any, ...]:
    """
    -> position, velocity with each zone in the shape that it had at the start
    """

class Walker:
    """
    A dressed body in motion: arrays as in scene_fields(). Not to be used by two threads at once.
    """

    def __init__(
        self, arrays: dict[str, Any], contact: object | None, make: object | None = None
    ) -> None: ...
    def frame(
        self,
        vertices: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        gravity: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        wind: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
        led: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)]
        | None,
        dt: float,
    ) -> tuple[Any, ...]:
        """
        Compute the next frame, which ends with the skin at vertices -> (body_before, cloth_before, body_after, cloth_after, moved)
        """

    def go_to(
        self,
        position: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        velocity: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
        vertices: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    def pin(
        self,
        particles: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> None: ...
    @property
    def pinned(self) -> NDArray[numpy.int32]: ...
    @property
    def position(self) -> NDArray[numpy.float64]: ...
    @property
    def velocity(self) -> NDArray[numpy.float64]: ...
    @property
    def sleeps(self) -> bool: ...

class Scene:
    """
    A prepared scene as a page or a game opens it: the bytes of a file (engine/core/named_arrays.h).
    """

    def __init__(self, file: bytes) -> None: ...
    def pose(
        self,
        world_from_joint: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 4, 4), order="C", device="cpu", writable=False)
        ],
    ) -> bool: ...
    def pose_vertices(
        self,
        vertices: Annotated[
            NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
        ],
    ) -> bool: ...
    def frame(self, dt: float) -> int:
        """-> how many crossings are left"""

    @property
    def position(self) -> NDArray[numpy.float64]: ...
    @property
    def velocity(self) -> NDArray[numpy.float64]: ...
    @property
    def skin(self) -> NDArray[numpy.float64]: ...
    @property
    def sleeps(self) -> bool: ...
    @property
    def counts(self) -> tuple[int, int, int]: ...
    def save(self) -> NDArray[numpy.float64]: ...
    def restore(
        self,
        numbers: Annotated[
            NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> bool: ...
    def set_wind(
        self,
        wind: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def set_gravity(
        self,
        gravity: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def grab(
        self,
        particle: int,
        target: Annotated[NDArray[numpy.float64], dict(shape=(3), order="C", device="cpu", writable=False)],
    ) -> bool: ...
    def let_go(self) -> None: ...
    def pin(
        self,
        particles: Annotated[
            NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
        ],
    ) -> bool: ...
    def set_fabric(
        self, mass: float = 1.0, stretch: float = 1.0, bend: float = 1.0, friction: float = 1.0
    ) -> bool: ...

def scene_checksum(
    bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> int: ...
def skin(
    rest: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    joint: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weight: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    pose: Annotated[NDArray[numpy.float64], dict(shape=(None, 12), order="C", device="cpu", writable=False)],
    previous: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    dt: float,
    dual: bool = False,
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    Positions and velocities of a skinned surface; pose: 3x4 world_from_rest per joint; dual: blend dual quaternions instead of matrices.
    """

def from_rest(
    world: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 4, 4), order="C", device="cpu", writable=False)
    ],
    rest: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 4, 4), order="C", device="cpu", writable=False)
    ],
) -> NDArray[numpy.float64]:
    """
    -> world_from_rest (j, 12): 3x4 by rows; both arguments (j, 4, 4) are rigid
    """

def vertex_normals(
    position: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    triangles: Annotated[
        NDArray[numpy.int32], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    start: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    face: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> NDArray[numpy.float64]:
    """Unit vertex normals, area-weighted."""

def track_pose(
    rotations: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None, 4), order="C", device="cpu", writable=False)
    ],
    root: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    offsets: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    time: float,
    loop: bool,
) -> NDArray[numpy.float64]:
    """-> world_from_joint (j, 4, 4) of a motion at a time [frames]"""

def between(
    before: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    after: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    fraction: float,
) -> NDArray[numpy.float64]:
    """-> points (n, 3) a fraction of the way between two places"""

def ride(
    vertices: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    frame: Annotated[NDArray[numpy.int32], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    rides: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    local: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    start: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)]
    | None = None,
) -> NDArray[numpy.float64]:
    """
    -> points (p, 3) that are at local (p, 3) in the axes of triangle frame[rides[p]], from vertex start[p] or from the triangle's middle
    """

def most_bent(
    vertices: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    pairs: Annotated[NDArray[numpy.int32], dict(shape=(None, 2), order="C", device="cpu", writable=False)],
    apart: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> float:
    """-> by how much a pair's distance differs most from apart (p,) [m]"""

def skin_travel(
    before: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    after: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    limb: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    thin: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    position: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    velocity: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
    dt: float,
    near: float,
) -> tuple[Any, ...]:
    """
    -> how far skin near the cloth moves against the cloth's median motion [m]: of broad limbs (thin[limb] -1), of thin ones; velocity of the skin (n, 3) [m/s]; boxes (k, 2, 3), low and high corner, of cloth that may come near thin limbs
    """

def mean_squares(
    rows: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
) -> tuple[Any, ...]:
    """
    -> mean of the squared lengths of rows (n, 3), and of their distances from the mean row
    """

def blend(
    targets: Annotated[
        NDArray[numpy.int16], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    share: Annotated[NDArray[numpy.float32], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> NDArray[numpy.float32]:
    """Sum of share * target over the rows, in their order."""

def target_work(
    targets: Annotated[
        NDArray[numpy.int16], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    vertex: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    force: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    start: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
) -> NDArray[numpy.float64]:
    """
    Work of each group of forces when a target is turned on, (groups, rows).
    """

def rest_forces(
    vertex: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    force: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    start: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    joint: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weight: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    rotation: Annotated[
        NDArray[numpy.float64], dict(shape=(None, 9), order="C", device="cpu", writable=False)
    ],
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    Forces on a posed skin, turned back to the rest pose, and what each joint carries of each group.
    """

def tape(
    skin: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    rows: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    edges: Annotated[NDArray[numpy.int32], dict(shape=(None, 2), order="C", device="cpu", writable=False)],
    plane: Annotated[NDArray[numpy.float64], dict(shape=(4, 3), order="C", device="cpu", writable=False)],
    reach: float,
    fan: Annotated[NDArray[numpy.float64], dict(shape=(2, None), order="C", device="cpu", writable=False)],
) -> tuple[float, NDArray[numpy.int32], NDArray[numpy.float64], float]:
    """
    Length of a tape round a section; vertices and slopes; slope along the normal. plane: origin, normal, axes.
    """

def volume(
    skin: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order="C", device="cpu", writable=False)],
    triangles: Annotated[
        NDArray[numpy.int32], dict(shape=(None, 3), order="C", device="cpu", writable=False)
    ],
) -> tuple[float, NDArray[numpy.float64]]:
    """Volume inside a closed surface and its slopes by vertex."""

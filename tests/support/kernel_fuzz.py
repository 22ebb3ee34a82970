"""Calls kernels with wrong arguments. Run by test_kernel_fuzz.py in a process of its own: it may crash.

What kernels accept is learnt by listening: every function and class of the kernels is wrapped before the rest
of the program is imported, small jobs are done, and the arguments of the calls are kept. The answer names the
kernels that nothing called: a new one needs a job here.
"""

import contextlib
import inspect
import json
import sys
from collections.abc import Callable

import numpy as np

from toile import _kernels

REFUSED = (TypeError, AttributeError, ValueError, IndexError, RuntimeError, OverflowError, MemoryError)
LARGEST = 200_000
"""numbers of an array; calls with larger ones are passed over while there is another"""
Call = tuple[Callable[..., object], list[object], dict[str, object]]
HEARD: dict[str, Call] = {}
"""a right call of each kernel, by name"""


def public(thing: object) -> list[str]:
    return [n for n in dir(thing) if not n.startswith("_") and callable(getattr(thing, n))]


def every_kernel() -> list[str]:
    """Return the names of all functions, classes and methods."""
    names = []
    for name in public(REAL):
        thing = getattr(REAL, name)
        names.append(name)
        if inspect.isclass(thing):
            names += [f"{name}.{method}" for method in public(thing)]
    return names


class Real:
    """The kernels as they are, before they are listened to."""


REAL = Real()
for _name in public(_kernels):
    setattr(REAL, _name, getattr(_kernels, _name))


def copied(value: object) -> object:
    if isinstance(value, dict):
        return {key: copied(one) for key, one in value.items()}
    return value.copy() if isinstance(value, np.ndarray) else value


def hear(
    name: str, function: Callable[..., object], args: tuple[object, ...], named: dict[str, object]
) -> None:
    arrays = [v for v in (*args, *named.values()) if isinstance(v, np.ndarray)]
    if name not in HEARD and all(a.size <= LARGEST for a in arrays):
        HEARD[name] = function, [copied(v) for v in args], {k: copied(v) for k, v in named.items()}


def heard_function(name: str, real: Callable[..., object]) -> Callable[..., object]:
    def call(*args: object, **named: object) -> object:
        hear(name, real, args, named)
        return real(*args, **named)

    return call


def heard_class(name: str, real: type) -> type:
    def begin(self: object, *args: object, **named: object) -> None:
        hear(name, real, args, named)
        real.__init__(self, *args, **named)

    def method_of(method: str) -> Callable[..., object]:
        plain = getattr(real, method)

        def call(self: object, *args: object, **named: object) -> object:
            hear(f"{name}.{method}", lambda *a, **n: plain(self, *a, **n), args, named)
            return plain(self, *args, **named)

        return call

    return type(name, (real,), {"__init__": begin, **{m: method_of(m) for m in public(real)}})


for _name in public(_kernels):
    _real = getattr(_kernels, _name)
    _wrap = heard_class if inspect.isclass(_real) else heard_function
    setattr(_kernels, _name, _wrap(_name, _real))

# only now: these keep the names that they import
import kernel_fuzz_frames  # noqa: E402
from toile.audit.check import Auditor  # noqa: E402
from toile.bench.scenes import dummy_body, skirt_cloth  # noqa: E402
from toile.body.model.make import named_body  # noqa: E402
from toile.body.model.skin import pose_body, rest_pose  # noqa: E402
from toile.core.records import Scene, State  # noqa: E402
from toile.garment.shapes import flat_position, square_cloth, tube_cloth  # noqa: E402
from toile.motion.track import pose_at, still  # noqa: E402
from toile.render.picture import Studio, body_mesh, garment_mesh, render_views  # noqa: E402
from toile.sim.colliders.contacts import COLLIDERS, make_collider  # noqa: E402
from toile.sim.colliders.shapes import Sphere  # noqa: E402
from toile.sim.frame.advance import advance_frame  # noqa: E402
from toile.sim.solvers import xpbd  # noqa: E402
from toile.sim.solvers.table import SOLVERS, make_solver  # noqa: E402


def every_solver_with_every_collider() -> None:
    body = named_body("woman")
    garment, x = tube_cloth(16, 4, 1.26, 0.2)
    x = x + np.array([0.0, 0.7, 0.0])
    before, there = rest_pose(body), pose_body(body, body.skeleton.world_from_joint)
    colliders = [make_collider(name, body) for name in COLLIDERS]
    for name in SOLVERS:
        solver = make_solver(name, garment)
        solver.pin(np.arange(3, dtype=np.int32))
        for collider in colliders:
            advance_frame(solver, collider, State(x, np.zeros_like(x)), before, there, 1 / 60)


def both_precisions() -> None:
    garment = square_cloth(14, 14)
    x = flat_position(garment)
    scene = Scene(None, Sphere(np.array([0.5, 0.5, -0.3]), 0.3), np.array([0.0, 0.0, -9.81]), np.zeros(3))
    kinds = (("verlet", {}), ("verlet", {"columns": 14}), ("xpbd", {}), ("follow", {}))
    for precision in ("single", "double"):
        for name, settings in kinds:
            solver = make_solver(name, garment, precision=precision, **settings)
            solver.pin(np.arange(2, dtype=np.int32))
            solver.step(State(x, np.zeros_like(x)), scene, 1 / 60)
            if name == "xpbd":
                solver.set_drag(1.0)
                solver.set_friction(0.5)
                solver.stretch(x)
                solver._cloth.set_stencil_rest(np.zeros((garment.particle_count, 3)))
                solver._cloth.level_limits(0, x)
                solver._cloth.triangle_sequence(garment.triangles)
            elif name == "verlet" and not settings:
                solver._cloth.sequence()


def more_particles_than_16_bits_count() -> None:
    few, xpbd.FEW = xpbd.FEW, 0
    try:
        both_precisions()
        a_rectangle_of_equal_cells()
    finally:
        xpbd.FEW = few


def a_rectangle_of_equal_cells() -> None:
    garment = square_cloth(40, 3)
    x = flat_position(garment)
    scene = Scene(None, Sphere(np.array([0.5, 0.5, -0.3]), 0.3), np.array([0.0, 0.0, -9.81]), np.zeros(3))
    for precision in ("single", "double"):
        make_solver("xpbd", garment, precision=precision).step(State(x, np.zeros_like(x)), scene, 1 / 60)


def layers_and_pictures() -> None:
    garment, x, _ = skirt_cloth(300)
    body = dummy_body(12, 16)
    Auditor(garment, body).audit(x, body.vertices)
    _kernels.Untangler(garment.triangles, x).run(x.copy(), None)
    studio = Studio(sky_count=2, key_count=2, samples=2)
    render_views([body_mesh(body), garment_mesh(garment, x)], width=32, height=32, studio=studio)


def what_is_called_elsewhere() -> None:
    """Kernels that only tests use, or only with large maps."""
    garment = square_cloth(6, 6)
    x, t = flat_position(garment), garment.triangles
    _kernels.set_thread_count(_kernels.thread_count())
    _kernels.use_pool(_kernels.ThreadPool(1))
    _kernels.use_pool(None)
    patches = _kernels.ClothPatches(t, len(x), None)
    patches.find(x, 0.01)
    patches.crossing_skin(x, _kernels.SurfaceTree(t, x))
    tree = _kernels.SurfaceTree(t, x, np.zeros(len(t), np.int32))
    tree.nearest_per_group(x, 0.1)
    tree.sides(x, 0.1, 0 * x)
    ones, boxes = np.arange(len(x), dtype=np.int32), np.zeros((1, 2, 3))
    tree.contacts_tracked(x, 0.1, 0 * x, ones, 0 * ones, x, 0.01, 0.01, boxes)
    _kernels.nearest_points(x, np.arange(4, dtype=np.int32)[None], True)
    _kernels.triangles_meet(x[t[0]].copy(), x[t[1]].copy())
    texels = np.zeros((5, 4, 2, 8), np.float32)
    _kernels.look_up_map(x, texels, 0.0, 1.0, 0.1, 0.05, 0.0, True)
    maker = make_solver("spring", garment)
    maker._cloth.set_seams(np.array([[0, 1]], np.int32), 1.0, 0.1)
    down, calm = np.array([0.0, -9.81, 0.0]), np.zeros(3)
    maps = (texels, 0.0, 1.0, 0.1, 0.05, True, 0.0, False, calm)
    maker._cloth.steps_in_maps(x, 0 * x, 1, 0.001, 0.0, down, calm, *maps)
    collider = make_collider("limb_maps", named_body("woman"))
    collider.at(rest_pose(named_body("woman")))
    collider.maps.boxes()
    pose_at(still(named_body("woman")), 0.01)
    _kernels.between(x, 2 * x, 0.5)
    _kernels.ride(x, t, np.zeros(2, np.int32), x[:2].copy(), np.arange(2, dtype=np.int32))


def a_figure_with_few_targets() -> None:
    """The kernels that shape bodies: the template's own targets are too large to be copied at every call."""
    targets = np.arange(24, dtype=np.int16).reshape(2, 12)
    rows, start = np.arange(2, dtype=np.int32), np.array([0, 2, 4], np.int32)
    vertex, force = np.arange(4, dtype=np.int32), np.ones((4, 3))
    _kernels.blend(targets, rows, np.ones(2, np.float32))
    _kernels.target_work(targets, rows, vertex, force, start)
    joint, turned = np.zeros((4, 1), np.int32), np.eye(3).reshape(1, 9)
    _kernels.rest_forces(vertex, force, start, joint, np.ones((4, 1)), turned)
    corners = np.array([[1.0, -1.0, 0.0], [-1.0, -1.0, 0.0], [0.0, -1.0, 1.0], [0.0, 1.0, 0.0]])
    upright = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    edges = np.array([[0, 3], [1, 3], [2, 3]], np.int32)
    fan = np.array([[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0]])
    _kernels.tape(corners, vertex, edges, np.vstack([np.zeros(3), upright]), 2.0, fan)
    _kernels.volume(corners, np.array([[0, 1, 2], [0, 2, 3], [1, 0, 3], [2, 1, 3]], np.int32))


JOBS = (
    every_solver_with_every_collider,
    both_precisions,
    a_rectangle_of_equal_cells,
    more_particles_than_16_bits_count,
    layers_and_pictures,
    what_is_called_elsewhere,
    a_figure_with_few_targets,
)


def wrong_values(rng: np.random.Generator) -> list[object]:
    n = int(rng.integers(0, 9))
    points, rows = rng.normal(size=(n, 3)), rng.integers(-3, 12, (n, 3)).astype(np.int32)
    return [
        *(points, points.astype(np.float32), points[:, :2], points.T, points.ravel(), points * np.nan),
        *(points * 1e300, rows, rows.astype(np.int64), rows.ravel(), np.full((n, 3), 2**31 - 1, np.int32)),
        *(
            np.abs(rows) % max(n, 1),
            np.arange(n, dtype=np.int32),
            np.zeros((0, 3)),
            np.zeros((0, 3), np.int32),
        ),
        *(np.zeros((n, 2, 2)), np.zeros((n, 16)), np.full((n, 16), -1, np.int32), np.zeros(3), np.ones(n)),
        *(np.zeros((n, n, n)), np.array(["a", "b"]), None, "text", -1, 0, 1, 10**12, 2.5, True, [], {}),
        *(float("nan"), float("inf")),
    ]


def spoilt(value: object, rng: np.random.Generator) -> object:
    """Return an argument that was right, changed a little; or something else altogether."""
    if isinstance(value, np.ndarray) and value.size and rng.random() < 0.8:
        kind, copy = int(rng.integers(5)), value.copy()
        place = tuple(int(rng.integers(size)) for size in value.shape)
        if kind == 0:
            return copy[:-1]
        if kind == 1:
            return np.concatenate([copy, copy[:1]])
        if kind == 2:
            return copy[..., None]
        if kind == 3:
            return np.asfortranarray(copy.astype(np.complex128))
        whole = copy.dtype.kind in "iu" and np.iinfo(copy.dtype)
        wild = (
            (max(-1, whole.min), whole.min, whole.max, min(copy.size, whole.max))
            if whole
            else (np.nan, np.inf, -1e30, 0.0)
        )
        copy[place] = wild[int(rng.integers(len(wild)))]
        return copy
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = list(value)[int(rng.integers(len(value)))]
        if rng.random() < 0.1:
            return {k: v for k, v in value.items() if k != key}
        return value | {key: spoilt(value[key], rng)}
    if isinstance(value, bytes) and value and rng.random() < 0.9:
        at = int(rng.integers(len(value)))
        return (
            value[:at] + bytes([int(rng.integers(256))]) + value[at + 1 :]
            if rng.random() < 0.7
            else value[:at]
        )
    values = wrong_values(rng)
    return values[int(rng.integers(len(values)))]


def tell(name: str) -> None:
    """The last line tells who crashed."""
    sys.stderr.write(name + "\n")
    sys.stderr.flush()


def call(name: str, function: Callable[..., object], args: list[object], named: dict[str, object]) -> None:
    tell(name)
    with contextlib.suppress(*REFUSED):
        function(*args, **named)


def fuzz(name: str, tries: int, rng: np.random.Generator) -> None:
    """Call a kernel with one right argument spoilt, then with nothing right at all."""
    function, args, named = HEARD[name]
    count = len(args) + len(named)
    for turn in range(tries if count else 0):
        new, more = [copied(v) for v in args], {k: copied(v) for k, v in named.items()}
        wrong = [int(rng.integers(count))] if turn % 4 else range(count)
        for which in wrong:
            if which < len(args):
                new[which] = spoilt(new[which], rng)
            else:
                key = list(named)[which - len(args)]
                more[key] = spoilt(more[key], rng)
        call(name, function, new, more)


def main(seed: int, tries: int) -> None:
    for job in (*JOBS, *kernel_fuzz_frames.jobs(hear)):
        tell(str(job))
        job()
    missing = sorted(set(every_kernel()) - set(HEARD))
    rng = np.random.default_rng(seed)
    for name in sorted(HEARD):
        fuzz(name, tries, rng)
    sys.stdout.write(json.dumps({"fuzzed": sorted(HEARD), "missing": missing}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

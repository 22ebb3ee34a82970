"""Jobs of kernel_fuzz.py for the frame loop: walkers, scenes, repair, rest. Imported when it listens."""

from collections.abc import Callable
from functools import partial

import numpy as np

from toile import _kernels
from toile.bench.scenes import dummy_body
from toile.body.model.skin import rest_pose
from toile.core.records import Recording, Scene, State
from toile.garment.shapes import flat_position, square_cloth, tube_cloth
from toile.motion.track import still
from toile.sim.colliders.base import no_contacts
from toile.sim.colliders.surface import SurfaceCollider
from toile.sim.frame.repair import Repair
from toile.sim.solvers.table import make_solver
from toile.sim.walk.scene import prepared_scene, scene_bytes
from toile.sim.walk.walker import AnimateSettings, Plan, Walker

DT = 1 / 60
Hear = Callable[..., None]


class Listened:
    """An object that the kernels handed out: its calls are heard, too."""

    def __init__(self, hear: Hear, name: str, thing: object) -> None:
        self._hear, self._name, self._thing = hear, name, thing

    def __getattr__(self, method: str) -> Callable[..., object]:
        real = getattr(self._thing, method)

        def call(*args: object, **named: object) -> object:
            self._hear(f"{self._name}.{method}", real, args, named)
            return real(*args, **named)

        return call


def clothed() -> tuple[Recording, Walker]:
    """Return a tube round a dummy, and its walker."""
    body = dummy_body(12, 16)
    garment, x = tube_cloth(16, 5, 1.3, 0.25)
    recording = Recording(
        garment, body, np.zeros(1), (x + np.array([0.0, 0.7, 0.0]))[None], body.vertices[None]
    )
    settings = AnimateSettings(seconds=0.2, fps=60.0, lead=0.0)
    plan = Plan(start=recording.positions[0], track=still(body, 60.0), settings=settings)
    return recording, Walker(garment, body, plan)


def walkers_and_scenes(hear: Hear) -> None:
    _, walker = clothed()
    for _ in range(2):
        walker.step()
    kernel = walker._kernel
    kernel.pin(np.arange(2, dtype=np.int32))
    walker.go_to(0, walker.state)
    file = scene_bytes(prepared_scene(walker))
    _kernels.scene_checksum(np.frombuffer(file[:64], np.uint8))
    scene = _kernels.Scene(file)
    scene.pose(np.ascontiguousarray(walker.pose(1)))
    scene.pose_vertices(walker.skin.vertices)
    scene.frame(DT)
    scene.restore(scene.save())
    scene.set_wind(np.zeros(3))
    scene.set_gravity(np.array([0.0, -9.81, 0.0]))
    scene.grab(3, np.zeros(3))
    scene.let_go()
    scene.pin(np.arange(3, dtype=np.int32))
    scene.set_fabric(1.0, 1.0, 1.0, 1.0)
    _kernels.scene_fields()


def repair_and_rest(hear: Hear) -> None:
    recording, _ = clothed()
    garment, body = recording.garment, rest_pose(recording.body)
    x = recording.positions[0]
    skin = SurfaceCollider(recording.body).skin
    Repair(garment, skin, x, np.arange(2))(State(x.copy(), 0 * x), body, x)
    label = np.arange(len(x), dtype=np.int32)
    rest = _kernels.Rest(garment.triangles, label, x, skin)
    rest.stay(x, x + 1e-5, 0 * x, x + 1e-5, body.vertices, DT)
    rest.asleep(x, x + 1e-6, body.vertices, body.vertices, DT)
    _kernels.stands_still(body.vertices, body.vertices)
    crossing = np.array([[0, 20]], np.int32)
    zone = _kernels.widen_zone(garment.triangles, label, np.zeros(len(x), bool), crossing)
    _kernels.carry_zone(garment.triangles, label, zone, crossing, x, x + 1e-3, 0 * x)


def contact_with_skin(hear: Hear) -> None:
    recording, _ = clothed()
    body, x = rest_pose(recording.body), recording.positions[0]
    skin = SurfaceCollider(recording.body).skin
    skin.find(body.vertices, body.velocity, x)
    skin.follow(body.vertices, body.velocity, x, 0.001, np.zeros((1, 2, 3)))
    skin.sides(body.vertices, body.velocity, x)
    skin.tree(body.vertices)
    triangles = recording.body.triangles
    tree = _kernels.SurfaceTree(triangles, body.vertices)
    found = tree.contacts(x, 0.1, body.velocity)
    _kernels.TrackedContacts(tree, found[4], body.velocity, 0.1, 0.01, found[5])
    limb = recording.body.limb
    thin = np.full(int(limb.max()) + 1, -1, np.int32)
    _kernels.skin_travel(body.vertices, body.vertices + 0.01, limb, thin, x, 0 * x, DT, 0.1)
    pairs = np.array([[0, 1], [1, 2]], np.int32)
    _kernels.most_bent(body.vertices, pairs, np.ones(2))
    _kernels.mean_squares(x)


def laws_of_the_step(hear: Hear) -> None:
    _kernels.calmness(0.1, 0.2)
    _kernels.swiftness(0.1, 0.2, 0.3)
    _kernels.firmness(0.1, 0.3)
    _kernels.rubbing_drag(0.1)
    _kernels.speeds(np.ones((4, 3)))
    _kernels.fixed_math("log", np.ones(3), np.ones(3))


def the_default_solver(hear: Hear) -> None:
    garment = square_cloth(12, 12)
    x = flat_position(garment)
    solver = make_solver("xpbd", garment)
    kernel = solver._kernel
    kernel.set_law("FIRMER", 1.0)
    kernel.set_levels()
    kernel.close_seams(0.5)
    kernel.substep(x, 0.1, 0.1, False)
    cloth = Listened(hear, "Cloth", kernel.cloth)
    hear("Cloth", type(kernel.cloth), (0,), {})
    n, none = len(x), np.zeros((0, 3))
    down, calm, ids = np.array([0.0, -9.81, 0.0]), np.zeros(3), np.zeros(0, np.int32)
    cloth.step(x, 0 * x, DT, 4, down, calm, ids, np.zeros(0), none, none, watch=0.01, contact_updates=1)
    cloth.stretch(x, 1)
    cloth.level_limits(0, x)
    cloth.triangle_sequence(garment.triangles)
    cloth.set_limit_compliance(0.01, 0.001, 1.0)
    cloth.set_stencil_rest(np.zeros((n, 3)))
    cloth.set_long_threads(np.array([[0, 2]], np.int32), np.ones(1))
    strip = square_cloth(40, 3)
    grid = Listened(hear, "Cloth", make_solver("xpbd", strip)._kernel.cloth)
    stencils = np.full(strip.particle_count, -1, np.int32)
    grid.set_grid(4, 41, np.full(2, 0.1), np.ones(3), np.ones(2), np.ones(2), stencils, False)


def limits_by_forces(hear: Hear) -> None:
    garment = square_cloth(8, 8)
    x = flat_position(garment)
    solver = make_solver("implicit", garment, limits="forces", strain_limit=0.02)
    scene = Scene(None, no_contacts, np.array([0.0, 0.0, -9.81]), np.zeros(3))
    solver.step(State(x, np.zeros_like(x)), scene, DT)


JOBS = (
    walkers_and_scenes,
    repair_and_rest,
    contact_with_skin,
    laws_of_the_step,
    the_default_solver,
    limits_by_forces,
)


def jobs(hear: Hear) -> list[Callable[[], None]]:
    return [partial(job, hear) for job in JOBS]

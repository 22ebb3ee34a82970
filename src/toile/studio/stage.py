"""What is simulated: the person, the outfit on her or an experiment, perhaps a second time for comparison."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from toile.body.model.skin import rest_pose
from toile.core.errors import ToileError
from toile.core.records import Body, Floats, Garment, PosedBody, Recording, State
from toile.garment.fabric import fabric as fabric_named
from toile.jobs.describe import Inputs
from toile.sim.dress.dress import cut_out, place_outfit
from toile.sim.method import Method, make_method
from toile.studio import scenes
from toile.studio.asked import Compare, Scene
from toile.studio.cutting import Cut, cut_of, recut
from toile.studio.keeping import Hung
from toile.studio.living import Air, BodySkin, Living, MethodCloth, carried_along
from toile.studio.mover import Mover, motion_of
from toile.studio.project import Project, fabric_of, method_of, opened_person
from toile.studio.slit import slit

OUTFIT = "outfit"


class Stage:
    """Person and cloth, as time goes on."""

    def __init__(self, project: Project, inputs: Inputs) -> None:
        """Let the person stand there, without clothes."""
        self.project, self.inputs = project, inputs
        self.doubts: tuple[str, ...] = ()
        self.skin: BodySkin
        self.mover: Mover
        self.posed: PosedBody
        self.cut: Cut | None = None
        self.dressed: Floats | None = None
        """where the outfit lies on the person in the rest pose [m]"""
        self.flat: tuple[Garment, Floats] | None = None
        """pieces that are not sewn yet, round the person"""
        self.cloth: Living | None = None
        self.other: Living | None = None
        """what it is compared with"""
        self.compared: Compare | None = None
        self.scene = Scene()
        self.experiment: scenes.Experiment | None = None
        self.time = 0.0
        self._open_person(project)
        self._show_flat()

    # ------------------------------------------------------------------ person

    @property
    def body(self) -> Body:
        """Return the person."""
        return self.skin.body

    def _open_person(self, project: Project) -> None:
        opened = opened_person(project.person, self.inputs)
        self.skin, self.doubts = BodySkin(opened.body), opened.doubts
        self._open_motion(project)
        self.posed = rest_pose(self.body)

    def _open_motion(self, project: Project) -> None:
        chosen = project.motion
        self.mover = Mover(self.body, motion_of(chosen, self.inputs), chosen.speed, chosen.amplitude)

    def _change_motion(self, project: Project, old: Mover) -> None:
        self._open_motion(project)
        self.mover.go_on_from(old)

    def _change_person(self, project: Project) -> None:
        """Put another person there; clothes go along with the skin where it is made alike."""
        before, was = self.posed, self.skin.body
        moved = self.mover
        self._open_person(project)
        self.mover.go_on_from(moved)
        self.posed = self.skin.posed(self.mover.pose(), None, 1.0)
        if self.cloth is None or self.dressed is None or self.experiment is not None:
            return
        if not np.array_equal(was.triangles, self.body.triangles):
            raise ToileError("clothes do not fit a person of another make: sew anew")
        position = carried_along(self.cloth.state.position, before, self.posed)
        self.dressed = carried_along(self.dressed, rest_pose(was), rest_pose(self.body))
        self._hang(State(position, np.zeros_like(position), self.time))

    # ------------------------------------------------------------------ outfit

    @property
    def sewn(self) -> bool:
        """Return whether the outfit is on the person."""
        return self.cut is not None

    def wear(self, project: Project, recording: Recording) -> None:
        """Put on what was sewn."""
        self.project = project
        self.cut = cut_of(project, self.body, recording.garment)
        self.dressed = np.array(recording.positions[-1])
        self.flat, self.experiment, self.scene = None, None, Scene()
        self.mover.reset()
        self.posed, self.time = rest_pose(self.body), 0.0
        self._hang(State(np.array(self.dressed), np.zeros_like(self.dressed)))

    def undress(self) -> None:
        """Take the outfit off: its pieces are shown round the person."""
        self.cut = self.dressed = self.cloth = self.other = None
        self._show_flat()

    def _show_flat(self) -> None:
        self.flat = None
        garments = self.project.garments
        if not garments or self.experiment is not None:
            return
        try:
            items = [(worn.pattern, fabric_of(worn)) for worn in garments]
            cut, _ = cut_out(items, self.body, self.project.mesh.edge_length, self.project.mesh.mesh)
            self.flat = place_outfit(cut, self.body)
        except ToileError:
            # pieces without a place are seen in the flat view only
            self.flat = None

    def _hang(self, state: State) -> Living:
        """Let the cloth live from a state on, with the project's method, and what it is compared with."""
        assert self.cut is not None
        assert self.dressed is not None
        pinned = self.cloth.pinned if self.cloth is not None else None
        garment = self.cut.garment
        self.cloth = self.skin.cloth(garment, self.dressed, state, self.posed, method_of(self.project))
        if pinned is not None and len(pinned) and pinned.max() < garment.particle_count:
            self.cloth.pin(pinned)
        self.other = self._compared_cloth(state)
        return self.cloth

    def edit(self, after: Project) -> None:
        """Follow an edit that leaves the seams as they are."""
        before, self.project = self.project, after
        if before.person != after.person:
            self._change_person(after)
        if before.motion != after.motion:
            self._change_motion(after, self.mover)
        if self.experiment is not None:
            if before.method != after.method:
                self.play_scene(self.scene, keep=True)
            return
        if self.cut is None:
            self._show_flat()
            return
        cloth_changed = before.garments != after.garments or before.mesh != after.mesh
        if cloth_changed and _cloth_of(before) != _cloth_of(after):
            self._recut(after)
        elif before.method != after.method:
            assert self.cloth is not None
            self._hang(self.cloth.state)

    def _recut(self, after: Project) -> None:
        assert self.cut is not None
        assert self.cloth is not None
        assert self.dressed is not None
        if self.mover.rests:
            # it has settled since it was dressed
            self.dressed = np.array(self.cloth.state.position)
        found = recut(self.cut, after, self.body)
        state = self.cloth.state
        if found.carried is not None:
            self.cloth.pinned = self.cloth.pinned[:0]
        self.cut, self.dressed = found.cut, found.carry(self.dressed)
        self._hang(State(found.carry(state.position), found.carry(state.velocity), state.time))

    # ------------------------------------------------------------------ comparison, experiments

    def compare(self, asked: Compare) -> None:
        """Show the outfit a second time with another method or fabric, or stop that."""
        self.compared = asked if asked.on else None
        if self.cut is None or self.cloth is None:
            raise ToileError("there is nothing to compare yet: sew the outfit first")
        self.other = self._compared_cloth(self.cloth.state)

    def _compared_cloth(self, state: State) -> Living | None:
        asked = self.compared
        if asked is None or self.cut is None or self.dressed is None:
            return None
        garment = self.cut.garment
        if asked.fabric:
            fabric = fabric_named(asked.fabric)
            garment = replace(garment, fabrics=(fabric,) * len(garment.fabrics))
        method = self._compared_method(asked)
        return self.skin.cloth(garment, self.dressed, state, self.posed, method)

    def _compared_method(self, asked: Compare) -> Method:
        own = self.project.method
        if not asked.solver and not asked.collider:
            return method_of(self.project)
        return make_method(asked.solver or own.solver, asked.collider or own.collider)

    def play_scene(self, asked: Scene, *, keep: bool = False) -> None:
        """Show an experiment, or the outfit again; keep: the cloth stays where it is."""
        state = self.cloth.state if keep and self.cloth is not None else None
        pinned = self.cloth.pinned if keep and self.cloth is not None else None
        self.scene, self.other, self.compared = asked, None, None
        if asked.name == OUTFIT:
            self.experiment, self.cloth = None, None
            self.mover.reset()
            self.posed = rest_pose(self.body)
            if self.cut is None or self.dressed is None:
                self._show_flat()
            else:
                self._hang(State(np.array(self.dressed), np.zeros_like(self.dressed)))
            return
        self.flat = None
        self.experiment = self._made(asked)
        self.cloth = self.experiment.cloth
        if state is not None:
            self.cloth.put(state)
            if pinned is not None:
                self.cloth.pin(pinned)
        else:
            self.time = 0.0
            self.mover.reset()
            self.mover.on = self.experiment.person
            self.posed = rest_pose(self.body)

    def _made(self, asked: Scene) -> scenes.Experiment:
        method = method_of(self.project)
        if asked.name == "tablecloth":
            return scenes.tablecloth(asked.cells, asked.fabric, method)
        if asked.name == "falling":
            return scenes.falling(asked.cells, asked.fabric, method, self.skin)
        return scenes.hanging(asked.name.removeprefix("hang_"), asked.cells, asked.fabric, method)

    # ------------------------------------------------------------------ time

    @property
    def person_seen(self) -> bool:
        """Return whether the person is there."""
        return self.experiment is None or self.experiment.person

    @property
    def rests(self) -> bool:
        """Return whether nothing would change in a frame."""
        if self.cloth is None:
            return self.mover.rests and not self.mover.on
        both = [one for one in (self.cloth, self.other) if one is not None]
        return all(one.asleep and not one.held for one in both) and self.mover.rests and not self.mover.on

    def advance(self, dt: float) -> None:
        """Go on by dt [s]."""
        before = self.posed
        if self.person_seen:
            self.posed = self.skin.posed(self.mover.advance(dt), before, dt)
        air = Air(np.array(self.project.air.gravity), np.array(self.project.air.wind))
        self.time += dt
        for one in (self.cloth, self.other):
            if one is None:
                continue
            if self.experiment is not None and self.experiment.ball:
                one.ball = scenes.ball_at(self.time)
            one.frame(before, self.posed, dt, air)

    def cut_cloth(self, particles: tuple[int, ...]) -> None:
        """Cut the cloth along a line of particles."""
        if self.cloth is None:
            raise ToileError("there is no cloth to cut yet")
        state, pinned = self.cloth.state, self.cloth.pinned
        garment, source = slit(self.cloth.garment, state.position, particles)
        opened = State(state.position[source], state.velocity[source], state.time)
        if self.experiment is None:
            assert self.cut is not None
            assert self.dressed is not None
            self.cut, self.dressed = replace(self.cut, garment=garment), self.dressed[source]
            self._hang(opened)
            return
        method = method_of(self.project)
        if self.experiment.person:
            self.cloth = self.skin.cloth(garment, opened.position, opened, self.posed, method)
        else:
            self.cloth = MethodCloth(garment, opened, method)
        self.cloth.pin(pinned)
        self.experiment = replace(self.experiment, cloth=self.cloth)

    def reset(self) -> None:
        """Go back to how the outfit was dressed, or the experiment began."""
        self.play_scene(self.scene)
        self.time = 0.0

    def seek(self, time: float) -> None:
        """Put the person at a time of the motion; the cloth goes along with the skin."""
        before = self.posed
        self.mover.seek(time)
        self.posed = self.skin.posed(self.mover.pose(), None, 1.0)
        if self.cloth is None or self.experiment is not None:
            return
        position = carried_along(self.cloth.state.position, before, self.posed)
        self._hang(State(position, np.zeros_like(position), self.time))

    # ------------------------------------------------------------------ keeping

    def hung(self) -> Hung | None:
        """Return how the cloth lies, to be kept in a file."""
        if self.cut is None or self.dressed is None or self.cloth is None or self.experiment is not None:
            return None
        return Hung(
            garment=self.cut.garment,
            dressed=self.dressed,
            position=self.cloth.state.position,
            velocity=self.cloth.state.velocity,
            time=self.time,
            clock=self.mover.clock,
            share=self.mover.share,
            pinned=tuple(int(k) for k in self.cloth.pinned),
        )

    def hang_up(self, hung: Hung) -> None:
        """Let the cloth lie as a file says."""
        self.cut = cut_of(self.project, self.body, hung.garment)
        self.dressed, self.flat, self.time = np.array(hung.dressed), None, hung.time
        self.mover.take_up(hung.clock, hung.share)
        self.posed = self.skin.posed(self.mover.pose(), None, 1.0)
        self.cloth = None
        cloth = self._hang(State(np.array(hung.position), np.array(hung.velocity), hung.time))
        if hung.pinned:
            cloth.pin(np.array(hung.pinned, np.int32))


def _cloth_of(project: Project) -> list[object]:
    """Return what decides the cloth of a project."""
    mesh = (project.mesh.edge_length, project.mesh.mesh)
    return [mesh, *((worn.pattern, worn.fabric, worn.figures) for worn in project.garments)]

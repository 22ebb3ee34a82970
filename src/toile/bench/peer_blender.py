"""Blender's cloth on our scene, its quality (steps a frame) and mass of a point left as they are.

Its masses and stiffnesses are no kg and N/m: a point has 0.3, whatever the mesh, and its solver stops at
errors that are small for such masses. With a square metre's real mass shared out (1e-5 kg a point) cloth
hovers in the air. So the mass stays, and stiffness is chosen so that cloth of 64² comes down on the ball as
ours does, with about our stretch. It shears as easily as our fabric in proportion: Blender shears quads by
springs of their own, while all sides of triangles are threads, so the cloth is given as cells. Gravity pulls
by 9.81 mm per frame², whatever the frame rate: time is scaled by that.
"""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from toile.bench.peer_scene import START, Arrays, Watch, dummy_motion, serve

FRAME_UNIT = 0.001**0.5
"""what Blender's cloth takes one frame for [s]"""
HALF_GAP = 0.002
"""Blender keeps the sum of the cloth's and the obstacle's distance [m]: 4 mm as ours"""


def cells(triangles: Any) -> list[list[int]]:
    """Return the quads that triangles make two by two, one after the other."""
    quads = []
    for one, two in zip(triangles[::2].tolist(), triangles[1::2].tolist(), strict=True):
        (k,) = (i for i, corner in enumerate(one) if corner not in two)
        (far,) = (corner for corner in two if corner not in one)
        quads.append([one[k], one[(k + 1) % 3], far, one[(k + 2) % 3]])
    return quads


def add_mesh(name: str, vertices: Any, faces: list[list[int]]) -> Any:
    """Return a new object; Blender's z is up, ours is y."""
    mesh = bpy.data.meshes.new(name)
    turned = np.stack([vertices[:, 0], -vertices[:, 2], vertices[:, 1]], axis=1)
    mesh.from_pydata(turned.tolist(), [], faces)
    made = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(made)
    return made


def key_motion(thing: Any, frames: int, dt: float) -> None:
    """Let an object sway and turn like the dummy."""
    for frame in range(frames + 1):
        angle, shift = dummy_motion(frame * dt)
        thing.location, thing.rotation_euler = (shift, 0.0, 0.0), (0.0, 0.0, angle)
        thing.keyframe_insert("location", frame=frame + 1)
        thing.keyframe_insert("rotation_euler", frame=frame + 1)


def add_obstacle(scene: Arrays, frames: int, dt: float) -> None:
    """Add the ball, or the dummy in motion."""
    if str(scene["kind"]) == "ball":
        radius, (x, y, z) = float(scene["radius"]), (float(v) for v in scene["centre"])
        bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=32, radius=radius, location=(x, -z, y))
        obstacle = bpy.context.object
    else:
        obstacle = add_mesh("dummy", scene["body"], scene["body_triangles"].tolist())
        key_motion(obstacle, frames, dt)
    hit = obstacle.modifiers.new("collision", "COLLISION")
    hit.settings.thickness_outer = HALF_GAP
    hit.settings.cloth_friction = 5.0


def add_cloth(scene: Arrays, frames: int, dt: float) -> Any:
    """Return the cloth; its waist goes with the dummy."""
    cloth = add_mesh("cloth", scene["start"], cells(scene["triangles"]))
    soft = cloth.modifiers.new("cloth", "CLOTH")
    setting, finer = soft.settings, len(scene["start"]) / 4096
    setting.quality, setting.time_scale = 5, dt / FRAME_UNIT
    # the same cloth with more points of the same mass: springs and bending grow with their number
    setting.tension_stiffness = setting.compression_stiffness = 1000.0 * finer**0.5
    setting.shear_stiffness = setting.tension_stiffness * float(scene["shear"] / scene["stiffness"])
    setting.bending_stiffness, setting.bending_damping, setting.air_damping = 0.1 * finer, 0.0, 0.0
    soft.collision_settings.distance_min = HALF_GAP
    soft.collision_settings.use_self_collision = False
    soft.point_cache.frame_start, soft.point_cache.frame_end = 1, frames + 1
    if "pinned" in scene:
        key_motion(cloth, frames, dt)
        group = cloth.vertex_groups.new(name="pin")
        group.add([int(i) for i in scene["pinned"]], 1.0, "REPLACE")
        setting.vertex_group_mass = "pin"
    return cloth


def shape_of(cloth: Any) -> Any:
    """Return where the cloth is now, y up."""
    shown = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get())
    flat = np.zeros(3 * len(shown.data.vertices), np.float32)
    shown.data.vertices.foreach_get("co", flat)
    at = flat.reshape(-1, 3) @ np.array(shown.matrix_world)[:3, :3].T + np.array(shown.matrix_world)[:3, 3]
    return np.stack([at[:, 0], at[:, 2], -at[:, 1]], axis=1)


def run(scene: Arrays, watch: Watch) -> tuple[str, str]:
    """Play the scene; frame 1 is the start."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    world, frames = bpy.context.scene, watch.frame_count
    world.render.fps, world.frame_start, world.frame_end = round(1 / watch.dt), 1, frames + 1
    add_obstacle(scene, frames, watch.dt)
    cloth = add_cloth(scene, frames, watch.dt)
    world.frame_set(1)
    watch.film(lambda number: world.frame_set(number + 1), lambda: shape_of(cloth))
    return f"Blender {bpy.app.version_string}, quality 5", START


if __name__ == "__main__":
    serve(run)

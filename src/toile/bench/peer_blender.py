"""Blender's cloth on our scene: cotton as Blender ships it, 0.2 kg/m², five steps a frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np

from toile.bench.peer_scene import Arrays, dummy_motion, serve


def add_mesh(name: str, vertices: Any, triangles: Any) -> Any:
    """Return a new object; Blender's z is up, ours is y."""
    mesh = bpy.data.meshes.new(name)
    turned = np.stack([vertices[:, 0], -vertices[:, 2], vertices[:, 1]], axis=1)
    mesh.from_pydata(turned.tolist(), [], triangles.tolist())
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


def run(scene: Arrays, timed: Callable[[Callable[[], None]], None]) -> tuple[Any, str]:
    """Return the cloth's last positions and the version."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    frames, dt = int(scene["frames"]), float(scene["dt"])
    world = bpy.context.scene
    world.render.fps, world.frame_start, world.frame_end = round(1 / dt), 1, frames + 1
    cloth = add_mesh("cloth", scene["start"], scene["triangles"])
    if str(scene["kind"]) == "ball":
        radius, (x, y, z) = float(scene["radius"]), (float(v) for v in scene["centre"])
        bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=32, radius=radius, location=(x, -z, y))
        obstacle = bpy.context.object
    else:
        obstacle = add_mesh("dummy", scene["body"], scene["body_triangles"])
        key_motion(obstacle, frames, dt)
        key_motion(cloth, frames, dt)
    hit = obstacle.modifiers.new("collision", "COLLISION")
    hit.settings.thickness_outer = 0.004
    hit.settings.cloth_friction = 5.0
    soft = cloth.modifiers.new("cloth", "CLOTH")
    points = len(scene["start"])
    edges = scene["start"][scene["triangles"]]
    area = 0.5 * np.linalg.norm(np.cross(edges[:, 1] - edges[:, 0], edges[:, 2] - edges[:, 0]), axis=1).sum()
    soft.settings.quality, soft.settings.mass = 5, float(scene["mass"]) * float(area) / points
    soft.settings.tension_stiffness = soft.settings.compression_stiffness = 15.0
    soft.settings.shear_stiffness, soft.settings.bending_stiffness = 5.0, 0.5
    soft.collision_settings.distance_min = 0.004
    soft.collision_settings.use_self_collision = False
    soft.point_cache.frame_start, soft.point_cache.frame_end = 1, frames + 1
    if "pinned" in scene:
        group = cloth.vertex_groups.new(name="pin")
        group.add([int(i) for i in scene["pinned"]], 1.0, "REPLACE")
        soft.settings.vertex_group_mass = "pin"
    world.frame_set(1)
    for frame in range(2, frames + 2):
        timed(lambda frame=frame: world.frame_set(frame))  # type: ignore[misc]
    shown = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get())
    flat = np.zeros(3 * points, np.float32)
    shown.data.vertices.foreach_get("co", flat)
    at = flat.reshape(-1, 3) @ np.array(shown.matrix_world)[:3, :3].T + np.array(shown.matrix_world)[:3, 3]
    return np.stack([at[:, 0], at[:, 2], -at[:, 1]], axis=1), f"Blender {bpy.app.version_string}, quality 5"


if __name__ == "__main__":
    serve(run)

"""Runs inside Blender's Python: import a file, write the world vertices of each mesh at some frames.

python blender_dump.py FILE OUT.npz FPS FRAME [FRAME …]; a FILE.py is a script that imports by itself
"""

import sys
from pathlib import Path

import bpy
import numpy as np

IMPORTERS = {
    ".usdc": lambda path: bpy.ops.wm.usd_import(filepath=path),
    ".usdz": lambda path: bpy.ops.wm.usd_import(filepath=path),
    ".abc": lambda path: bpy.ops.wm.alembic_import(filepath=path),
    ".glb": lambda path: bpy.ops.import_scene.gltf(filepath=path),
    ".obj": lambda path: bpy.ops.wm.obj_import(filepath=path),
    ".py": lambda path: exec(Path(path).read_text(), {}),
}


def main(path: str, out: str, fps: int, frames: list[int]) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = fps
    IMPORTERS[Path(path).suffix](path)
    found = {}
    for frame in frames:
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        for thing in scene.objects:
            if thing.type != "MESH":
                continue
            posed = thing.evaluated_get(graph)
            mesh = posed.to_mesh()
            points = np.zeros(3 * len(mesh.vertices))
            mesh.vertices.foreach_get("co", points)
            world = np.array(posed.matrix_world)
            points = points.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
            # Blender's z is up: back to y up
            found[f"{thing.name}@{frame}"] = points[:, [0, 2, 1]] * [1, 1, -1]
            found[f"{thing.name}:uv"] = np.array(len(mesh.uv_layers))
            posed.to_mesh_clear()
    np.savez(out, **found)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), [int(f) for f in sys.argv[4:]])

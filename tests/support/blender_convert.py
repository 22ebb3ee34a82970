"""Runs inside Blender's Python: import an avatar, hand it on as a user would export it.

python blender_convert.py AVATAR.glb OUT.usdc|OUT.glb FPS
"""

import sys
from pathlib import Path

import bpy


def main(path: str, out: str, fps: int) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = fps
    bpy.ops.import_scene.gltf(filepath=path)
    scene.frame_start = 1
    scene.frame_end = int(max(action.frame_range[1] for action in bpy.data.actions))
    if Path(out).suffix == ".glb":
        bpy.ops.export_scene.gltf(filepath=out)
    else:
        bpy.ops.wm.usd_export(filepath=out, export_animation=True, export_armatures=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))

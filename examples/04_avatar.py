"""An avatar with its own animation (GLB, VRM, USD) is dressed and goes back as it came.

Run: python examples/04_avatar.py [folder] [avatar.glb]. Without a file, an avatar is made first. What is
written has the avatar where its file has it, frame by frame: open both in Blender and the skin is the same.
"""

import sys
from pathlib import Path

import toile
from toile.core.records import Recording
from toile.export.gltf_motion import write_body_glb
from toile.motion.library import read_motion
from toile.motion.retargeting.retarget import retarget
from toile.sim.walk.animate import animate_avatar


def make_avatar(path: Path) -> None:
    """Write a skinned, walking figure as GLB: what Blender or a game would hand over."""
    body = toile.named_body("woman")
    write_body_glb(body, retarget(read_motion("walk"), body, fps=30), path)


def main(
    folder: str | Path = "out", avatar: str | Path = "", edge_length: float = 0.015, seconds: float = 1.0
) -> Recording:
    """Write dressed.glb (or .usd, as the avatar came) into the folder: the avatar, its clip and a skirt."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if not avatar:
        avatar = folder / "avatar.glb"
        make_avatar(Path(avatar))
    body = toile.open_body(str(avatar))
    skirt = toile.draft("skirt", body.measurements)
    dressed = toile.dress([skirt], body, fabric="wool", edge_length=edge_length)
    # one frame of cloth for each frame of the avatar's own clip
    frames = animate_avatar(dressed, body, avatar, seconds=seconds)
    toile.save(frames, folder / f"dressed{Path(avatar).suffix}")
    return frames


if __name__ == "__main__":
    main(*sys.argv[1:3])

"""Write a small sound scene, where fuzzing the engine's reader begins: python tools/scene_seed.py FILE."""

import sys

import toile
from toile.motion.library import read_motion
from toile.sim.walk.animate import AnimateSettings, plan_walk
from toile.sim.walk.scene import prepared_scene, write_scene
from toile.sim.walk.walker import Walker

if __name__ == "__main__":
    body = toile.named_body("woman")
    dressed = toile.dress([toile.draft("skirt", body.measurements, length=0.35)], body, edge_length=0.1)
    settings = AnimateSettings(seconds=1.0, fps=60.0, lead=0.2)
    plan = plan_walk(dressed, body, read_motion("walk"), settings=settings)
    write_scene(sys.argv[1], prepared_scene(Walker(dressed.garment, body, plan)))

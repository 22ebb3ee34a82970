"""People: everything that bodies, scans and motions are judged by, as tables.

python benchmarks/bench_people.py [--samples FOLDER] [--people 500] [--only scans,motions]

Times are seconds of CPU. With --samples the scans are those of the body in that folder
(garmentcode_mean_female.obj and .yaml, cmu_07_01.bvh), else of our own man.
"""

import argparse
import re
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from bench_body import MEASURES, SUBSET, accuracy, speed

import scan_samples as shapes
from toile.body.measure.mesh_measures import measure_mesh
from toile.body.model.check_measures import BodyWarning
from toile.body.model.landmarks import limb_mask
from toile.body.model.make import make_body, named_body
from toile.body.scan.clean import weld
from toile.body.scan.fit import surface_gap
from toile.body.scan.reconstruct import ROUGH, fit_scan, fit_surface
from toile.core.errors import ToileError
from toile.io.surfaces import read_triangles
from toile.motion.library import read_motion
from toile.motion.retargeting.retarget import retarget
from toile.pattern.drafts.library import draft
from toile.sim.dress.dress import dress

UNITS = {"mm": 1000.0, "cm": 100.0, "m": 1.0, "inch": 1 / 0.0254}
SAMPLE, TABLE, WALK = "garmentcode_mean_female.obj", "garmentcode_mean_female.yaml", "cmu_07_01.bvh"
THEIRS = {"bust": "bust", "underbust": "underbust", "waist": "waist", "hips": "hips", "thigh": "leg_circ",
          "wrist": "wrist", "height": "height"}  # fmt: skip
"""our measure → name in the sample's table [cm]"""


def turned(*degrees):
    return Rotation.from_rotvec(degrees, degrees=True).as_matrix()


def conditions(points, triangles):
    """Yield name, points and triangles in our axes [m], file_from_ours, unit."""
    cases = {
        "as it is": np.eye(3),
        "z up": turned(90, 0, 0),
        "z down": turned(-90, 0, 0),
        "x up": turned(0, 0, -90),
        "on its head": turned(180, 0, 0),
        "facing back": turned(0, 180, 0),
        "turned 37°": turned(0, 37, 0),
        "any way": turned(50, 80, -30),
    }
    for (name, rotation), unit in zip(cases.items(), [*UNITS, *UNITS], strict=True):
        yield name, points, triangles, rotation, unit
    yield "2 mm noise", shapes.noisy(points, 0.002), triangles, np.eye(3), "cm"
    yield "5 % holes", *shapes.with_holes(points, triangles), np.eye(3), "m"
    yield "flipped", points, triangles[:, ::-1].copy(), cases["z up"], "mm"
    yield "floor", *shapes.with_floor(points, triangles), cases["z up"], "cm"
    yield "200k faces", *shapes.finer(points, triangles), np.eye(3), "mm"
    yield "in 12 parts", *shapes.in_parts(points, triangles), cases["facing back"], "m"
    all_wrong = shapes.with_floor(*shapes.with_holes(shapes.noisy(points, 0.002), triangles[:, ::-1].copy()))
    yield "all of it", *all_wrong, turned(90, 20, 0), "inch"


def scans(points, triangles):
    print("scan              faces  unit  turn   mean   95 %   CPU   (mm, s; head, hands and feet aside)")
    for name, place, faces, rotation, unit in conditions(points, triangles):
        start = time.process_time()
        fit = fit_surface(place @ rotation.T * UNITS[unit], faces, name)
        seconds = time.process_time() - start
        aside = np.degrees(np.arccos(np.clip((np.trace(fit.facing.rotation @ rotation) - 1) / 2, -1, 1)))
        right = "ok" if fit.facing.unit == unit else f"WRONG {fit.facing.unit}"
        errors = f"{fit.mean_error * 1e3:5.2f}  {fit.high_error * 1e3:5.2f}"
        print(
            f"{name:16} {len(faces):6}  {unit:4} {right} {aside:4.1f}°  {errors}  {seconds:5.1f}", flush=True
        )


def reposed(points, triangles):
    """A person in A-pose, brought into the T-pose, scanned, brought back."""
    first = fit_surface(points, triangles, "A").body
    people = {
        "the scan": first,
        "man": named_body("man"),
        "small woman": make_body("female", 65, height=1.52),
        "heavy man": make_body("male", 50, height=1.78, waist=1.35, weight=130),
    }
    print("T to A and back: distance of the skins in A-pose (mm), change of measures (cm)")
    for name, body in people.items():
        skin = shapes.posed(body, shapes.POSES["T"])
        back = fit_surface(skin, body.triangles, "T").body
        keep = ~limb_mask(body.limb, *ROUGH)
        moved = back.vertices - (back.vertices - body.vertices)[keep].mean(axis=0)
        gap = surface_gap(body.vertices[keep], moved, body.triangles) * 1e3
        change = " ".join(f"{n} {(back.measurements[n] - body.measurements[n]) * 100:+.1f}" for n in
                          ("shoulder_width", "arm_length", "bust", "waist", "hips"))  # fmt: skip
        print(f"  {name:12} mean {gap.mean():.2f}  95 % {np.quantile(gap, 0.95):.2f}   {change}", flush=True)


WORDS = {
    "person": "^$",
    "headless": "head is missing",
    "one side": "(back|front) is missing",
    "limb": "missing: ",
    "dressed": "clothing",
    "seated": "sits or bends",
    "thing": "not a person",
}


def refusal_cases():
    """Yield kind, name and surface: other people, poses and cuts than those that the limits came from."""
    people = {
        "woman": named_body("woman"),
        "big woman": make_body("female", 45, height=1.65, waist=1.1, hips=1.3),
        "slim man": make_body("male", 22, height=1.93, waist=0.74),
    }
    poses = ("uneven", "T, shoulders up", "arms down")
    for number, (name, body) in enumerate(people.items()):
        skin = shapes.posed(body, shapes.POSES[poses[number]], "dual")
        side, other = ("left", "right") if number % 2 else ("right", "left")
        yield "person", name, (skin, body.triangles)
        yield "headless", name, shapes.headless(body, skin, 0.02 * number, 0.15 * (number - 1))
        yield "one side", name, shapes.one_side(body, skin, (-20, 180, 200)[number])
        yield "limb", name, shapes.cut_limb(body, skin, side, ("forearm", "hand"))
        yield "limb", name, shapes.cut_limb(body, skin, other, ("shin", "foot"))
        yield "dressed", f"{name}, skirt", shapes.with_skirt(body, skin, 0.5 + 0.1 * number, 0.12)
        coat = {"torso": 0.04, "pelvis": 0.03, f"{side}_upper_arm": 0.03, f"{other}_upper_arm": 0.03}
        yield "dressed", f"{name}, jacket", shapes.swollen(body, skin, coat, number)
        yield "person", f"{name} in underwear", shapes.in_underwear(body, skin, 0.003)
        for stoop in ("on a chair", "squatting"):
            yield "seated", f"{name} {stoop}", (shapes.posed(body, shapes.STOOPED[stoop]), body.triangles)
    yield from simulated(people)
    for name, make in shapes.THINGS.items():
        yield "thing", name, make()


CLOTHES = {
    "woman": (("tshirt", "jersey", {}), ("trousers", "denim", {}), ("sleeved_dress", "viscose", {})),
    "big woman": (("tshirt", "cotton", {"ease": 0.04}), ("circle_skirt", "silk", {}), ("coat", "wool", {})),
    "slim man": (("shirt", "silk", {}), ("shorts", "cotton", {}), ("hooded_jacket", "fleece", {})),
}
"""draft, fabric and style that our own engine dresses people in"""


def simulated(people):
    """Yield what a scanner sees of people in simulated clothes."""
    for name, outfit in CLOTHES.items():
        for kind, fabric, style in outfit:
            body = people[name]
            worn = dress([draft(kind, body.measurements, **style)], body, fabric=fabric, edge_length=0.02)
            surface = shapes.dressed(body, worn.positions[-1], worn.garment.triangles)
            yield "dressed", f"{name}, {fabric} {kind}", surface


def refusals():
    counts = {}
    for kind, name, surface in refusal_cases():
        try:
            fit_surface(*surface, "scan")
            said = ""
        except ToileError as error:
            said = str(error).removeprefix("scan: ")
        total = counts.setdefault(kind, [0, 0, 0])
        total[0] += 1
        total[1] += bool(re.search(WORDS[kind], said))
        total[2] += (kind == "person") != (not said)
        if not re.search(WORDS[kind], said):
            print(f"  {kind}, {name}: {said or 'accepted'}", flush=True)
    print("refusals          shapes  right words  wrongly accepted or refused")
    for kind, (count, right, wrong) in counts.items():
        print(f"  {kind:16} {count:5}  {right:8}  {wrong:8}")


def sample(folder):
    rows = [line.split(":") for line in (folder / TABLE).read_text().splitlines()[1:] if ":" in line]
    table = {name.strip(): float(value) for name, value in rows}
    points, triangles = read_triangles(folder / SAMPLE)
    fitted = fit_scan(folder / SAMPLE).body.measurements
    direct = measure_mesh(*weld(points, triangles))
    print("the sample body (cm)   its table   by its surface   as a scan")
    for ours, theirs in THEIRS.items():
        a, b, c = table[theirs], direct[ours] * 100, fitted[ours] * 100
        print(f"  {ours:18} {a:9.1f}   {b:7.1f} ({b - a:+.1f})   {c:7.1f} ({c - a:+.1f})", flush=True)


def motions(folder):
    people = {
        "small woman": make_body("female", 60, height=1.50, weight=47),
        "average man": named_body("man"),
        "very heavy": make_body("male", 45, height=1.75, waist=1.45, weight=150),
    }
    names = ["walk", "run", "sit", "reach"] + ([str(folder / WALK)] if folder else [])
    keys = {"foot_slide": 1e3, "floor_depth": 1e3, "arm_depth_before": 1e3, "arm_depth": 1e3, "arm_turn": 1,
            "thigh_depth": 1e3, "knee_least": 1, "knee_most": 1, "joint_excess": 1}  # fmt: skip
    print(
        "motion on body".ljust(34) + " ".join(f"{k.replace('_', ' '):>16}" for k in keys) + "   (mm, degrees)"
    )
    for who, body in people.items():
        for name in names:
            report = retarget(read_motion(name), body).report
            cells = " ".join(f"{report.get(k, np.nan) * f:16.1f}" for k, f in keys.items())
            print(f"{Path(name).stem + ' on ' + who:34}{cells}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=Path)
    parser.add_argument("--people", type=int, default=500)
    parser.add_argument("--only", default="measures,sample,scans,reposed,refusals,motions")
    options = parser.parse_args()
    warnings.simplefilter("ignore", BodyWarning)
    only = options.only.split(",")
    body = named_body("man")
    surface = read_triangles(options.samples / SAMPLE) if options.samples else (body.vertices, body.triangles)
    # what every table needs, in the order of the page
    tables = {
        "measures": lambda: (speed(), accuracy(options.people, MEASURES), accuracy(options.people, SUBSET)),
        "sample": lambda: sample(options.samples) if options.samples else None,
        "scans": lambda: scans(*surface),
        "reposed": lambda: reposed(*surface),
        "refusals": refusals,
        "motions": lambda: motions(options.samples),
    }
    for name, table in tables.items():
        if name in only:
            table()


if __name__ == "__main__":
    main()

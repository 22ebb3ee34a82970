"""Bodies: accuracy of measures → shape on people who were not learnt from, and milliseconds of CPU.

python benchmarks/bench_body.py [people]
"""

import subprocess
import sys

import numpy as np
from timing import milliseconds

from toile.body.model.fitting import fit_dials
from toile.body.model.make import body_from_shape, make_body, named_body
from toile.body.model.network import SEED, measure_dials, weigh_dials
from toile.body.model.population import MEASURES, sample_people, shape_of
from toile.body.model.skin import pose_body, rest_pose, vertex_faces, vertex_normals
from toile.core.blas import one_thread

SUBSET = ("height", "bust", "waist", "hips", "inseam")


@one_thread()
def made(sex, age, wanted):
    """Return the fit of a body, after making it as make_body does; no measure is beyond human limits here."""
    fit = fit_dials(sex, wanted, age)
    body_from_shape(shape_of(sex, fit.age, fit.dials), "body", fit.measures)
    return fit


def accuracy(people, names):
    errors, seconds, steps = [], [], []
    for sex in ("female", "male"):
        ages, dials = sample_people(sex, people // 2, SEED + 17)
        for age, turned in zip(ages, dials, strict=True):
            wanted = dict(zip(MEASURES, measure_dials(sex, age, turned), strict=True))
            wanted["weight"] = 100 * weigh_dials(sex, age, turned)
            wanted = {n: wanted[n] for n in names}
            fit = made(sex, age, wanted)
            seconds.append(milliseconds(lambda s=sex, a=age, w=wanted: made(s, a, w), 3))
            errors.append([abs(fit.error[n]) for n in names])
            steps.append(fit.steps)
    table = np.array(errors) * [1.0 if n == "weight" else 100.0 for n in names]
    print(f"{people} people, {len(names)} measures given: error in cm (weight: kg)")
    for name, column in zip(names, table.T, strict=True):
        line = f"mean {column.mean():.3f}  99 % {np.percentile(column, 99):.3f}  max {column.max():.3f}"
        print(f"  {name:16} {line}")
    middle, high, most = (np.percentile(seconds, share) for share in (50, 95, 100))
    print(f"  body made: median {middle:.1f} ms, 95 % {high:.1f} ms, at most {most:.1f} ms")
    print(f"  {np.mean(steps):.2f} corrections on average, {max(steps)} at most")


def speed():
    body = named_body("woman")
    world, still = body.skeleton.world_from_joint, rest_pose(body)
    around = vertex_faces(body.triangles, len(body.vertices))
    print(f"{len(body.vertices)} vertices:")
    for method in ("linear", "dual"):

        def pose(method=method):
            posed = pose_body(body, world, still, 1 / 60, method)
            vertex_normals(posed.vertices, body.triangles, around)

        print(f"  pose with velocities and normals, {method}: {milliseconds(pose, 200):.3f} ms")
    print(f"  make_body, five measures: {milliseconds(lambda: make_body('female', **ASKED), 20):.1f} ms")
    first = min(float(subprocess.check_output([sys.executable, "-c", FIRST])) for _ in range(5))
    print(f"  import and first make_body in a new process, NumPy loaded: {first * 1e3:.0f} ms of CPU")


FIRST = """
import time, numpy
start = time.process_time()
import toile
toile.make_body("female", height=1.72, bust=0.92, waist=0.74, hips=1.0, inseam=0.79)
print(time.process_time() - start)
"""
ASKED = {"height": 1.72, "bust": 0.92, "waist": 0.74, "hips": 1.0, "inseam": 0.79}

if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    speed()
    accuracy(count, MEASURES)
    accuracy(count, SUBSET)

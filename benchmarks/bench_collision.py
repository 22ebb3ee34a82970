"""Contact kernels: milliseconds of the shortest call, for one thread and for all.

python benchmarks/bench_collision.py
"""

import numpy as np
from timing import milliseconds

from toile._kernels import (
    ClothPatches,
    SurfaceTree,
    Untangler,
    meeting_pairs,
    meeting_pairs_self,
    set_thread_count,
    thread_count,
)
from toile.audit.check import Auditor
from toile.body.model.make import named_body
from toile.body.model.skin import rest_pose
from toile.garment.outfit import join
from toile.garment.shapes import tube_cloth
from toile.geometry.topology import packet_order
from toile.geometry.triangles import triangle_normals
from toile.sim.colliders.surface import SurfaceCollider, triangle_groups


def points_near(body, count, farthest):
    """Return points over the skin, in an order that keeps neighbours together as cloth does."""
    rng = np.random.default_rng(0)
    chosen = rng.choice(len(body.triangles), count)
    middle = body.vertices[body.triangles[chosen]].mean(axis=1)
    normal = triangle_normals(body.vertices, body.triangles)[chosen]
    points = middle + normal * rng.uniform(0.001, farthest, (count, 1))
    return np.ascontiguousarray(points[packet_order(points, 32)])


def skin_rows(body):
    tree = SurfaceTree(body.triangles, body.vertices, triangle_groups(body))
    yield f"build, {len(body.triangles)} triangles", lambda: SurfaceTree(body.triangles, body.vertices)
    yield "refit", lambda: tree.refit(body.vertices)
    for farthest in (0.005, 0.03):
        points = points_near(body, 10_000, farthest)
        hint = tree.nearest(points, 0.03)[0]
        name = f"10k points up to {1000 * farthest:.0f} mm away"
        yield f"nearest, {name}", lambda p=points: tree.nearest(p, 0.03)
        yield f"nearest with hints, {name}", lambda p=points, h=hint: tree.nearest(p, 0.03, h)
    groups = tree.nearest_per_group(points, 0.03)[-1]
    yield "one contact per limb, with hints", lambda: tree.nearest_per_group(points, 0.03, groups)
    query = SurfaceCollider(body).at(rest_pose(body))
    yield "the same through SurfaceCollider", lambda: query(points)
    yield "winding number", lambda: tree.winding(points)


def outfit(columns, rows):
    """Return two wavy tubes round the hips, the outer 4 mm over the inner, and their position."""
    parts = []
    for offset in (0.0, 0.004):
        garment, position = tube_cloth(columns, rows, 1.5, 0.5)
        angle = np.arctan2(position[:, 0], position[:, 2])
        radius = 0.232 + offset + 0.012 * np.sin(9 * angle) * (1 - position[:, 1] / 0.5)
        ring = np.stack([radius * np.sin(angle), position[:, 1] + 0.5, radius * np.cos(angle)], axis=1)
        parts.append((garment, ring))
    position = np.concatenate([p for _, p in parts])
    # real cloth is never exactly flat
    return join([g for g, _ in parts]), position + np.random.default_rng(1).normal(0, 1e-5, position.shape)


def cloth_rows(body, garment, position):
    skin, tree = SurfaceTree(body.triangles, body.vertices), SurfaceTree(garment.triangles, position)
    patches = ClothPatches(garment.triangles, garment.particle_count)
    size = f"{garment.particle_count} vertices"
    yield f"crossings with the body, {size}", lambda: meeting_pairs(skin, tree)
    yield "crossings within the cloth", lambda: meeting_pairs_self(tree)
    for radius in (0.004, 0.006, 0.010):
        pairs = sum(len(p) for p in patches.find(position, radius))
        name = f"near pairs within {1000 * radius:.0f} mm ({pairs} pairs)"
        yield name, lambda r=radius: patches.find(position, r)
    untangler = Untangler(garment.triangles, position)
    yield "untangle, nothing to do", lambda: untangler.run(position.copy(), None, skin)
    crossed = position + np.random.default_rng(0).normal(0, 4e-4, position.shape)
    yield "untangle, up to 12 rounds", lambda: untangler.run(crossed.copy(), None, skin)
    auditor = Auditor(garment, body)
    yield "whole audit of a frame", lambda: auditor.audit(position)


def main():
    body = named_body("woman")
    rows = list(skin_rows(body))
    for columns, rows_of_cloth in ((70, 34), (110, 54)):
        rows += list(cloth_rows(body, *outfit(columns, rows_of_cloth)))
    set_thread_count(0)
    threads = thread_count()
    print(f"{'ms':<52} 1 thread  {threads} threads")
    for name, work in rows:
        figures = []
        for count in (1, threads):
            set_thread_count(count)
            figures.append(milliseconds(work))
        print(f"{name:<52} {figures[0]:8.2f}  {figures[1]:8.2f}")


if __name__ == "__main__":
    main()

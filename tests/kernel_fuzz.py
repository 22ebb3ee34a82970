"""Calls kernels with wrong arguments. Run by test_kernel_fuzz.py in a process of its own: it may crash."""

import contextlib
import inspect
import sys

import numpy as np

from toile import _kernels
from toile.cloth.xpbd import XpbdSolver
from toile.garment.build import sewn_labels
from toile.garment.shapes import flat_position, square_cloth

REFUSED = (TypeError, ValueError, IndexError, RuntimeError, OverflowError, MemoryError)
Arguments = tuple[object, ...]


def tell(name: str) -> None:
    """The last line tells who crashed."""
    sys.stderr.write(name + "\n")
    sys.stderr.flush()


def wrong_values(rng: np.random.Generator) -> list[object]:
    n = int(rng.integers(0, 9))
    points, rows = rng.normal(size=(n, 3)), rng.integers(-3, 12, (n, 3)).astype(np.int32)
    return [
        *(points, points.astype(np.float32), points[:, :2], points.T, points.ravel(), points * np.nan),
        *(points * 1e300, rows, rows.astype(np.int64), rows.ravel(), np.full((n, 3), 2**31 - 1, np.int32)),
        *(
            np.abs(rows) % max(n, 1),
            np.arange(n, dtype=np.int32),
            np.zeros((0, 3)),
            np.zeros((0, 3), np.int32),
        ),
        *(np.zeros((n, 2, 2)), np.zeros((n, 16)), np.full((n, 16), -1, np.int32), np.zeros(3), np.ones(n)),
        *(np.zeros((n, n, n)), np.array(["a", "b"]), None, "text", -1, 0, 1, 10**12, 2.5, True, [], {}),
        *(float("nan"), float("inf")),
    ]


def spoilt(value: object, rng: np.random.Generator) -> object:
    """Return an argument that was right, changed a little; or something else altogether."""
    if isinstance(value, np.ndarray) and value.size and rng.random() < 0.8:
        kind, copy = int(rng.integers(5)), value.copy()
        place = tuple(int(rng.integers(size)) for size in value.shape)
        if kind == 0:
            return copy[:-1]
        if kind == 1:
            return np.concatenate([copy, copy[:1]])
        if kind == 2:
            return copy[..., None]
        if kind == 3:
            return np.asfortranarray(copy.astype(np.complex128))
        wild = (
            (-1, -(2**31), 2**31 - 1, copy.size) if copy.dtype.kind == "i" else (np.nan, np.inf, -1e30, 0.0)
        )
        copy[place] = wild[int(rng.integers(len(wild)))]
        return copy
    values = wrong_values(rng)
    return values[int(rng.integers(len(values)))]


def right_calls() -> dict[str, tuple[object, Arguments]]:
    """Return calls that kernels accept, by name."""
    garment = square_cloth(6, 6)
    x, n = flat_position(garment), garment.particle_count
    seen: list[Arguments] = []
    real = _kernels.ClothFloat

    def remember(**arguments: object) -> object:
        seen.append(tuple(arguments.values()))
        return real(**arguments)

    _kernels.ClothFloat = remember  # type: ignore[misc]
    solver = XpbdSolver(garment)
    _kernels.ClothFloat = real  # type: ignore[misc]
    cloth, t = solver._cloth, garment.triangles
    tree = _kernels.SurfaceTree(t, x, np.zeros(len(t), np.int32))
    layer, one = np.zeros(n, np.int32), np.ones(n)
    corner, panel = garment.uv[garment.triangles_uv], np.zeros(len(t), np.int32)
    some, none = np.arange(3, dtype=np.int32), np.zeros((3, 3))
    step = (x, x * 0, 1 / 60, 4, np.zeros(3), np.zeros(3), some, np.zeros(3), none + np.eye(3)[2], none)
    return {
        "ClothFloat": (real, seen[0]),
        "Cloth.step": (cloth.step, step),
        "Cloth.set_levels": (cloth.set_levels, (t, corner, panel, garment.triangles_uv, 3, x)),
        "Cloth.set_layers": (cloth.set_layers, (t, layer, layer, one, 0.003 * one)),
        "Cloth.set_inverse_mass": (cloth.set_inverse_mass, (one,)),
        "Cloth.stretch": (cloth.stretch, (x,)),
        "SurfaceTree": (_kernels.SurfaceTree, (t, x, np.zeros(len(t), np.int32))),
        "SurfaceTree.refit": (tree.refit, (x,)),
        "SurfaceTree.nearest": (tree.nearest, (x, 0.1)),
        "SurfaceTree.contacts": (tree.contacts, (x, 0.1, x, layer[:, None], np.arange(n, dtype=np.int32))),
        "SurfaceTree.winding": (tree.winding, (x,)),
        "nearest_points": (_kernels.nearest_points, (x, np.arange(4, dtype=np.int32)[None], True)),
        "skin_way": (_kernels.skin_way, (x, x, layer, x, x, 1 / 60, 0.05)),
        "Untangler": (_kernels.Untangler, (t, x, np.zeros(len(t), np.int32), sewn_labels(garment))),
    }


def argument_count(function: object) -> int:
    text = (getattr(function, "__doc__", "") or "").split("\n")[0]
    inside = text[text.find("(") + 1 : text.rfind(") ->")]
    depth, count = 0, 1 if inside.strip() else 0
    for letter in inside:
        depth += (letter in "[(") - (letter in "])")
        count += letter == "," and depth == 0
    return max(count - ("self" in inside.split(",")[0]), 0)


def call(name: str, function: object, arguments: Arguments) -> None:
    tell(name)
    with contextlib.suppress(*REFUSED):
        function(*arguments)  # type: ignore[operator]


def main(seed: int, tries: int) -> None:
    rng = np.random.default_rng(seed)
    names = [n for n in sorted(dir(_kernels)) if not n.startswith("_") and callable(getattr(_kernels, n))]
    for name in names:
        thing = getattr(_kernels, name)
        count = argument_count(thing.__init__ if inspect.isclass(thing) else thing)
        for _ in range(tries):
            values = wrong_values(rng)
            call(name, thing, tuple(values[int(rng.integers(len(values)))] for _ in range(count)))
    for name, (function, arguments) in right_calls().items():
        function(*arguments)  # type: ignore[operator]
        for _ in range(10 * tries):
            which = int(rng.integers(len(arguments)))
            call(name, function, (*arguments[:which], spoilt(arguments[which], rng), *arguments[which + 1 :]))
    sys.stdout.write(f"{len(names)}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

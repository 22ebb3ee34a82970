"""Builds the engine for browsers: build/wasm/toile.wasm; toile-threads.wasm for pages that may share memory.

The compiler is the package ``ziglang``; the same sources give the same bytes.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "wasm"
PAGE = ROOT / "src" / "toile" / "web" / "page" / "engine"
"""the package toile-engine, where the built page is"""
ROOMS = ("body", "cloth", "contact", "core", "frame", "geometry")
"""of the library, as in engine/CMakeLists.txt"""
OTHER_METHODS = {
    *("figure", "raster", "verlet", "verlet_plain", "spring", "follow", "follow_plain", "colouring"),
    *("ellipsoids", "ellipsoids_plain", "boxes", "ball", "respond", "limb_maps"),
}
"""what the default method does without: the page plays nothing else"""
COMMON = ["-target", "wasm32-wasi", "-std=c++20", "-O3", "-g0"]
COMPILE = [
    "-msimd128",
    "-mbulk-memory",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-exceptions",
    "-fno-rtti",
    "-fvisibility=hidden",
    "-ffunction-sections",
    "-fdata-sections",
    "-Wall",
    "-Wextra",
    "-Wno-psabi",
    "-Iengine",
    "-Ibindings/wasm",
]
LINK = ["-mexec-model=reactor", "-s", "-Wl,--export-dynamic,--gc-sections,-z,stack-size=4194304"]
WITH_THREADS = "-mcpu=generic+atomics+bulk_memory+simd128+mutable_globals"
BUILDS = {
    "toile": ("threads_single.cpp", [], ["-Wl,--initial-memory=33554432,--max-memory=1073741824"]),
    "toile-threads": (
        "threads_shared.cpp",
        [WITH_THREADS],
        [
            "-Wl,--shared-memory,--import-memory,--initial-memory=67108864,--max-memory=1073741824",
            "-Wl,--export=__stack_pointer,--export=__wasm_init_tls,--export=__tls_size,--export=__tls_align",
        ],
    ),
}
"""name → source of its threads, flags of compiler, flags of linker"""


def sources(threads: str) -> list[Path]:
    """Return what is compiled, in the order in which it is linked."""
    engine = sorted(s for room in ROOMS for s in (ROOT / "engine" / room).glob("*.cpp"))
    chosen = [s for s in engine if s.stem not in OTHER_METHODS and not s.stem.endswith(("_avx2", "_avx512"))]
    own = [ROOT / "bindings" / "wasm" / name for name in ("toile.cpp", "without_avx.cpp", threads)]
    return [s for s in chosen if s.name != "threads.cpp"] + own


def compiler() -> list[str]:
    """Return the compiler; ends the program with a line where it is not installed."""
    try:
        import ziglang  # noqa: F401
    except ImportError:
        print(
            "engine: ziglang is not installed (pip install ziglang): pages replay clothes, they do not live"
        )
        sys.exit(0)
    return [sys.executable, "-m", "ziglang", "c++"]


def run(command: list[str]) -> None:
    """Run the compiler; its caches stay inside the build folder."""
    caches = {f"ZIG_{name}_CACHE_DIR": str(OUT / "cache") for name in ("GLOBAL", "LOCAL")}
    done = subprocess.run(command, cwd=ROOT, env=os.environ | caches, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"wasm: {' '.join(command[3:])}\n{done.stderr[-4000:]}")


def included(source: Path, seen: dict[Path, bytes]) -> None:
    """Gather a source and all of ours that it includes, with their bytes."""
    if source in seen or not source.exists():
        return
    seen[source] = source.read_bytes()
    for line in re.findall(rb'^\s*#\s*include "([^"]+)"', seen[source], re.MULTILINE):
        for folder in (source.parent, ROOT / "engine", ROOT / "bindings" / "wasm"):
            included(folder / line.decode(), seen)


def compile_one(source: Path, objects: Path, flags: list[str]) -> Path:
    """Compile a source unless nothing that it includes has changed."""
    found = objects / (source.stem + ".o")
    mark = found.with_suffix(".stamp")
    seen: dict[Path, bytes] = {}
    included(source, seen)
    content = b"".join(seen[path] for path in sorted(seen)) + " ".join([*COMMON, *COMPILE, *flags]).encode()
    key = hashlib.sha256(content).hexdigest()
    if not found.exists() or not mark.exists() or mark.read_text() != key:
        relative = str(source.relative_to(ROOT))
        run([*compiler(), *COMMON, *COMPILE, *flags, "-c", relative, "-o", str(found)])
        mark.write_text(key)
    return found


def build(name: str) -> Path:
    """Build one of BUILDS; return the file."""
    threads, flags, link = BUILDS[name]
    objects = OUT / name
    objects.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(int(os.environ.get("TOILE_THREADS", os.cpu_count() or 1))) as pool:
        parts = list(pool.map(lambda s: compile_one(s, objects, flags), sources(threads)))
    target = OUT / f"{name}.wasm"
    run([*compiler(), *COMMON, *flags, *LINK, *link, "-o", str(target), *map(str, parts)])
    return target


def main() -> None:
    """Build both, put them beside the built page and say how large they are."""
    for name in BUILDS:
        target = build(name)
        content = target.read_bytes()
        small = len(gzip.compress(content, 9, mtime=0))
        print(f"engine: {target.name} {len(content) / 1e3:.0f} kB, {small / 1e3:.0f} kB compressed")
        if PAGE.is_dir():
            shutil.copyfile(target, PAGE / target.name)


if __name__ == "__main__":
    main()

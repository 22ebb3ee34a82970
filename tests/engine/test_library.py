"""The engine is a library of its own: without Python in it, built, tested and used with CMake alone."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ENGINE = Path(__file__).parents[2] / "engine"
FOREIGN = re.compile(r"#include\s*[<\"](nanobind|Python\.h|bind\.h|omp\.h)|\bPy[A-Z]\w*\(|\bnb::")
SOURCES = sorted([*ENGINE.rglob("*.h"), *ENGINE.rglob("*.cpp")])
MIXED = {
    "pose.cpp", "skin_travel.cpp", "skinning.cpp", "particle_order.h", "xpbd.cpp", "obstacles.h",
    "untangle.cpp", "triangle_pairs.cpp",
}  # fmt: skip
"""files whose bindings lay beside them at first; no others may come"""
STILL_MIXED = [p for p in SOURCES if p.name in MIXED and FOREIGN.search(p.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ENGINE)))
def test_no_python_in_the_engine(path: Path) -> None:
    assert path in STILL_MIXED or not FOREIGN.search(path.read_text(encoding="utf-8"))


@pytest.mark.skipif(bool(STILL_MIXED), reason="parts of the engine still have their bindings beside them")
@pytest.mark.skipif(shutil.which("cmake") is None, reason="needs cmake")
def test_the_engine_is_built_and_tested_without_python(tmp_path: Path) -> None:
    def run(*command: str | Path) -> str:
        done = subprocess.run(command, text=True, capture_output=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    # not optimised: built sooner, and the answers must be the same
    run("cmake", "-S", ENGINE, "-B", tmp_path, "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0")
    run("cmake", "--build", tmp_path, "--parallel", "2")
    assert re.search(r"\d\d tests, 0 failures", run("ctest", "--test-dir", tmp_path, "--verbose"))

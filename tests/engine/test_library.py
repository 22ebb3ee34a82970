"""The engine is a library of its own: without Python in it, built, tested and used with CMake alone."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ENGINE = Path(__file__).parents[2] / "engine"
FOREIGN = re.compile(r"#include\s*[<\"](nanobind|Python\.h|bind\.h|omp\.h)|\bPy[A-Z]\w*\(|\bnb::")
UNSURE = re.compile(
    r"std::(hypot|pow|exp2?|expm1|log(2|10|1p)?|a?(sin|cos|tan)h?|atan2|cbrt|fma|tgamma|erf)f?\("
)
"""functions whose last digits differ from one C library to the next"""
SOURCES = sorted([*ENGINE.rglob("*.h"), *ENGINE.rglob("*.cpp")])
PROGRAMS = [p for p in ENGINE.parent.glob("build/*/engine/toile_engine_tests*") if p.is_file()]
"""built beside the module; `make engine` builds the engine alone, which takes minutes"""


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ENGINE)))
def test_no_python_in_the_engine(path: Path) -> None:
    assert not FOREIGN.search(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ENGINE)))
def test_what_moves_cloth_has_the_same_bits_everywhere(path: Path) -> None:
    if "tests" not in path.parts and "examples" not in path.parts:
        assert not UNSURE.search(path.read_text(encoding="utf-8")), "use core/fixed_math.h"


@pytest.mark.skipif(shutil.which("cmake") is None, reason="needs cmake")
def test_the_engine_is_configured_without_python(tmp_path: Path) -> None:
    done = subprocess.run(["cmake", "-S", ENGINE, "-B", tmp_path], text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "python" not in (tmp_path / "CMakeCache.txt").read_text(encoding="utf-8").lower()


@pytest.mark.skipif(not PROGRAMS, reason="built with an editable install (make setup)")
def test_the_tests_in_cpp_pass() -> None:
    newest = max(PROGRAMS, key=lambda path: path.stat().st_mtime)
    done = subprocess.run([newest], text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stdout
    assert re.search(r"\d\d tests, 0 failures", done.stdout), done.stdout

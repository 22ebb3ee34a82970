"""The types of the compiled module that mypy sees are those that it has."""

import importlib.util
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "stubs.py"


def test_stubs_are_current() -> None:
    pytest.importorskip("nanobind")
    spec = importlib.util.spec_from_file_location("stubs", TOOL)
    assert spec
    assert spec.loader
    stubs = importlib.util.module_from_spec(spec)
    sys.modules["stubs"] = stubs
    spec.loader.exec_module(stubs)
    assert stubs.generated() == stubs.STUB.read_text(encoding="utf-8"), "run tools/stubs.py"

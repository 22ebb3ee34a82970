"""A folder imports only from those before it: data flows one way."""

import ast
from pathlib import Path

import pytest

ORDER = (
    "core", "geometry", "gpu", "io", "pattern", "body", "motion", "garment", "fit", "store", "audit",
    "sim.colliders", "sim.solvers", "sim.method", "sim.papers", "sim.frame", "sim.dress", "sim.walk",
    "render", "export", "jobs", "batches", "bench", "web", "studio", "shop", "cli", "__main__",
)  # fmt: skip
"""parts of the package; each may import itself and those before it"""
SOURCE = Path(__file__).parent.parent / "src" / "toile"
FREE = {"_kernels"}
"""compiled code, which imports nothing of the package"""


def part_named(module: str) -> str:
    """Return the part that a module (without the package's name) belongs to."""
    words = module.split(".")
    return next((p for p in (".".join(words[:2]), words[0]) if p in ORDER), words[0])


def part_of(path: Path) -> str:
    return part_named(".".join(path.relative_to(SOURCE).with_suffix("").parts))


def imported_parts(path: Path, text: str) -> list[tuple[int, str]]:
    """Return line and part of each import of the package itself, also those inside functions."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level:
            base = ["toile", *path.relative_to(SOURCE).parent.parts][: -(node.level - 1) or None]
            names = [".".join([*base, *([node.module] if node.module else [a.name])]) for a in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            names = [f"{module}.{a.name}" for a in node.names]
        else:
            continue
        found += [(node.lineno, part_named(name[6:])) for name in names if name.startswith("toile.")]
    return found


def violations(path: Path, text: str) -> list[str]:
    own = part_of(path)
    return [
        f"{path.relative_to(SOURCE)}:{line} imports {part}"
        for line, part in imported_parts(path, text)
        if part not in FREE and (part not in ORDER or ORDER.index(part) > ORDER.index(own))
    ]


def modules() -> list[Path]:
    return sorted(p for p in SOURCE.rglob("*.py") if p.name != "__init__.py")


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_go_downward(path: Path) -> None:
    assert part_of(path) in ORDER, f"{path}: add the new part to ORDER"
    assert violations(path, path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "text",
    [
        "from toile.sim.solvers.xpbd import XpbdSolver",
        "import toile.sim.solvers.xpbd",
        "from toile.sim import solvers",
        "from ..sim.solvers import xpbd",
        "def f():\n    from toile.sim.solvers import base",
    ],
)
def test_an_upward_import_is_found(text: str) -> None:
    assert violations(SOURCE / "garment" / "build.py", text) != []


@pytest.mark.parametrize(
    "text", ["import numpy", "from toile.pattern.model import curves", "from . import fabric"]
)
def test_a_downward_import_is_accepted(text: str) -> None:
    assert violations(SOURCE / "garment" / "build.py", text) == []

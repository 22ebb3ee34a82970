"""The documentation names what there is: its links, its files, and the settings with their defaults."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from toile.sim.colliders.contacts import COLLIDERS
from toile.sim.dress.sew import SewSettings
from toile.sim.solvers.table import SOLVERS

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
SETTINGS = {
    **{f"solver-{name}": settings for name, (_, settings) in SOLVERS.items() if name != "xpbd"},
    **{
        f"collider-{name.replace('_', '-')}": kind
        for name, (_, kind) in COLLIDERS.items()
        if name != "surface"
    },
    "engine": SOLVERS["xpbd"][1],
    "collision": COLLIDERS["surface"][1],
    "sewing": SewSettings,
}
"""page → the settings that it lists"""


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_and_source_files_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)", text) if not link.startswith("http")]
    assert [link for link in links if not (page.parent / link).exists()] == []
    # the guide's own examples are files that a reader makes
    made = {Path(name).name for name in re.findall(r"^# (src/toile/\S+\.py)$", text, re.MULTILINE)}
    folders = ("src/toile", "engine", "bindings", "tests", "benchmarks", "examples", "tools")
    there = {path.name for folder in folders for path in (ROOT / folder).rglob("*.*")}
    named = re.findall(r"\b(\w+\.(?:py|h|cpp|sh))\b", text)
    assert [name for name in named if name not in there | made] == []


@pytest.mark.parametrize("page", SETTINGS)
def test_every_setting_stands_on_its_page(page: str) -> None:
    text = (ROOT / f"docs/{page}.md").read_text(encoding="utf-8")
    default = {f.name: getattr(SETTINGS[page](), f.name) for f in fields(SETTINGS[page])}
    assert [name for name in default if f"`{name}`" not in text] == []
    for name, told in re.findall(
        r"^\| `(\w+)` \| ([-+.e\d]+)(?: m| s| rad| 1/s| N/m)? \|", text, re.MULTILINE
    ):
        assert float(told) == default[name], f"{page}: {name}"

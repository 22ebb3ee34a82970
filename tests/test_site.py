"""The documentation as a site: code blocks of the tutorials run, generated pages hold what there is."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import toile
from toile.cli.main import COMMANDS, parse

ROOT = Path(__file__).parents[1]
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("site") / "docs"
    subprocess.run([sys.executable, str(ROOT / "tools" / "docs_pages.py"), str(out)], check=True, cwd=ROOT)
    return out


def test_every_command_and_every_public_name_has_its_section(pages):
    commands, api = ((pages / name).read_text(encoding="utf-8") for name in ("commands.md", "api.md"))
    assert [name for name in COMMANDS if f"\n## toile {name}\n" not in commands] == []
    assert [name for name in toile.__all__ if f"\n## toile.{name}\n" not in api] == []


def test_links_of_the_site_lead_somewhere(pages):
    missing = [
        f"{page.relative_to(pages)}: {link}"
        for page in pages.rglob("*.md")
        for link in re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
        if not link.startswith(("http", "mailto:")) and not (page.parent / link).exists()
    ]
    assert missing == []


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda path: path.stem)
def test_commands_of_the_tutorials_are_understood(page):
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"^    (toile .+?)(?:  +#.*)?$", text, re.MULTILINE)
    lines += [line for line in re.findall(r"`(toile [^`]+)`", text) if len(line.split()) > 3]
    for line in lines:
        options = parse(line.replace("'", "").split()[1:])
        assert callable(options.run), line


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda path: path.stem)
def test_python_of_the_tutorials_runs(page, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    for block in blocks:
        subprocess.run(
            [sys.executable, "-c", block], check=True, cwd=tmp_path, timeout=300,
            env={**os.environ, "TOILE_THREADS": "1"},
        )  # fmt: skip

"""The page's own tests, in TypeScript: run with the rest where Node and its packages are here."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"
pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not (WEB / "node_modules").is_dir(),
    reason="Node or the page's packages are missing: make page",
)


def run(*command: str) -> None:
    environment = {**os.environ, "TOILE_PYTHON": sys.executable, "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=WEB, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]


def test_types_of_the_page() -> None:
    run("node_modules/.bin/tsc", "--noEmit")


def test_readers_of_the_page() -> None:
    run("node_modules/.bin/vitest", "run")

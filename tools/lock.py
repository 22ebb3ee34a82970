"""Write requirements-dev.lock: every package that development installs, with version and hash.

    python tools/lock.py              # resolves pyproject's dev extra with pip, in the order of names
    pip install --require-hashes -r requirements-dev.lock && pip install --no-deps -e .

The file names no index: pip takes the one it is set up for; the hashes say whether what came was meant.
"""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements-dev.lock"


def wanted() -> list[str]:
    """Return what the package, its build and its development need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return [
        *project["project"]["dependencies"],
        *project["project"]["optional-dependencies"]["dev"],
        *project["build-system"]["requires"],
    ]


def resolved(requirements: list[str]) -> list[tuple[str, str, str]]:
    """Return name, version and SHA-256 of what pip would install."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--dry-run",
        "--ignore-installed",
        "--quiet",
        "--report",
        "-",
    ]
    done = subprocess.run([*command, *requirements], check=True, capture_output=True, text=True)
    found = []
    for item in json.loads(done.stdout)["install"]:
        about, hashes = item["metadata"], item["download_info"]["archive_info"]["hashes"]
        found.append((about["name"].lower(), about["version"], hashes["sha256"]))
    return sorted(found)


if __name__ == "__main__":
    lines = [f"{name}=={version} \\\n    --hash=sha256:{sha}\n" for name, version, sha in resolved(wanted())]
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    where = f"# made by tools/lock.py for Python {python} on {sys.platform}\n"
    LOCK.write_text(where + "".join(lines), encoding="utf-8")
    print(f"{LOCK.name}: {len(lines)} packages")

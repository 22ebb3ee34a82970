"""Patterns made by other programs, read, understood and sewn: how many of some 200 garments pass.

    npm install @freesewing/models @freesewing/aaron …       # in a folder NODE, outside the repository
    apt install valentina                                     # its examples lie in /usr/share/doc
    python benchmarks/foreign_patterns.py /tmp/foreign --freesewing NODE --valentina
    python benchmarks/foreign_patterns.py /tmp/foreign --freesewing NODE --people 1 --edge 3cm

Makes the files once, then runs `toile trial` over them, which goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

PEOPLE = (
    "cisFemaleAdult34", "cisMaleAdult40", "cisFemaleAdult40", "cisMaleAdult36", "cisFemaleAdult30",
    "cisMaleAdult46",
)  # fmt: skip
NO_GARMENTS = {"core", "core-plugins", "models", "library", "utils"}
EXAMPLES = Path("/usr/share/doc/valentina/examples/collection")
TABLES = Path("/usr/share/valentina/tables/multisize")


def designs(node: Path) -> list[str]:
    """Return the designs that are installed."""
    names = sorted(p.name for p in (node / "node_modules" / "@freesewing").iterdir())
    return [n for n in names if n not in NO_GARMENTS and not n.startswith(("plugin-", "snap"))]


def draft_freesewing(node: Path, out: Path, people: int) -> None:
    """Draft every design for so many people."""
    script = Path(__file__).with_name("freesewing.mjs").read_text(encoding="utf-8")
    words = [str(out), ",".join(designs(node)), ",".join(PEOPLE[:people])]
    command = ["node", "--input-type=module", "-", *words]
    subprocess.run(command, cwd=node, input=script, text=True, check=False)


def export_valentina(out: Path) -> None:
    """Export the pieces of Valentina's examples as DXF."""
    for pattern in sorted([*EXAMPLES.glob("*.val"), *EXAMPLES.glob("[MT]*/*.val")]):
        if any(out.glob(f"val_{pattern.stem}*.dxf")):
            continue
        named = re.search(r"<measurements>([^<]+)", pattern.read_text(encoding="utf-8", errors="replace"))
        table = Path(named[1]).name if named else ""
        found = [p for f in (pattern.parent, EXAMPLES, TABLES) if table and (p := f / table).is_file()]
        command = [
            "valentina",
            "-b",
            f"val_{pattern.stem}",
            "-d",
            str(out),
            "-f",
            "16",
            "--exportOnlyDetails",
        ]
        command += ["-m", str(found[0])] if found else []
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
        try:
            subprocess.run([*command, str(pattern)], env=environment, timeout=120, capture_output=True)
        except (subprocess.TimeoutExpired, FileNotFoundError) as error:
            print(f"{pattern.name}: {error}", file=sys.stderr)


def main() -> int:
    """Make the files, then try them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--freesewing", type=Path, metavar="NODE", help="folder with node_modules")
    parser.add_argument("--people", type=int, default=len(PEOPLE), help="how many of the size table")
    parser.add_argument("--valentina", action="store_true")
    parser.add_argument("--edge", default="2cm")
    parser.add_argument("--no-sew", action="store_true")
    options = parser.parse_args()
    files = options.folder / "files"
    files.mkdir(parents=True, exist_ok=True)
    if options.freesewing:
        draft_freesewing(options.freesewing, files.resolve(), options.people)
    if options.valentina:
        export_valentina(files)
    words = ["--edge", options.edge, *(["--no-sew"] if options.no_sew else [])]
    command = [
        sys.executable,
        "-m",
        "toile",
        "trial",
        str(files),
        "-o",
        str(options.folder / "trial"),
        *words,
    ]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())

"""Figures of how the source is laid out, for docs/notes/house.md.

    python tools/measure_layout.py FOLDER [--walk]

FOLDER is a checkout; --walk also runs a small walk with it, for which its compiled kernels and baked files
must lie in FOLDER/src/toile.
"""

import argparse
import ast
import re
import subprocess
import sys
import sysconfig
from collections import Counter
from pathlib import Path

COMPILED = ("engine", "bindings", "kernels")
"""folders of C++"""

WALK = """
import os, sys, tempfile
from toile.cli.main import main
found = {}
def stack(frame):
    names = []
    while frame:
        name = frame.f_globals.get("__name__", "")
        if name.startswith("toile") and (not names or names[-1] != name):
            names.append(name)
        frame = frame.f_back
    return names[::-1]
def watch(frame, event, _):
    if event == "call" and frame.f_globals.get("__name__", "").startswith("toile"):
        kind = {"write": "glb", "step": "solver"}.get(frame.f_code.co_name)
        owner = frame.f_globals["__name__"]
        if kind == "glb" and "glb" in owner or kind == "solver" and "solvers" in owner:
            found.setdefault(kind, stack(frame))
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main(["draft", "skirt", "length=40cm", "-o", "x.json"])
    sys.setprofile(watch)
    main(["walk", "x.json", "--edge", "6cm", "--seconds", "0.1", "--fps", "30", "-o", "x.glb"])
    sys.setprofile(None)
for kind, names in found.items():
    print("stack", kind, len(names), " > ".join(n.removeprefix("toile.") for n in names))
print("loaded", sum(n == "toile" or n.startswith("toile.") for n in sys.modules))
"""

SOLVER = """
import sys
try:
    import toile.sim.solvers.xpbd
except ImportError:
    import toile.cloth.xpbd
print(sum(n.startswith("toile") for n in sys.modules))
"""


def python_parameters(root: Path) -> tuple[int, str]:
    """Return the largest number of parameters of a function or constructor, and where it is."""
    best = (0, "")
    for path in root.rglob("src/toile/**/*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                count = len(node.args.posonlyargs + node.args.args + node.args.kwonlyargs)
                best = max(best, (count, f"{path.name}: {node.name}"))
    return best


def compiled_parameters(root: Path) -> tuple[int, str]:
    """Return the same for functions that are defined in C++ (template commas left out)."""
    best = (0, "")
    for folder in COMPILED:
        for path in (root / folder).rglob("*.*"):
            if path.suffix not in (".cpp", ".h"):
                continue
            text = re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            while (plain := re.sub(r"<[^<>;{}()]*>", "", text)) != text:
                text = plain
            for name, inside in re.findall(r"(\w+)\(([^(){};]*)\)\s*(?:const)?\s*[{:]", text):
                best = max(best, (inside.count(",") + 1, f"{path.name}: {name}"))
    return best


def files_per_folder(root: Path) -> Counter[str]:
    """Return the number of source files in each folder."""
    found: Counter[str] = Counter()
    for folder in ("src/toile", *COMPILED):
        for path in (root / folder).rglob("*.*"):
            if path.suffix in (".py", ".cpp", ".h") and path.name != "__init__.py":
                found[str(path.parent.relative_to(root))] += 1
    return found


def run(root: Path, code: str) -> str:
    """Return what a program prints with that checkout's package."""
    # without site: an editable install of another checkout would come first
    paths = [str(root / "src"), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    start = f"import sys; sys.path[:0] = {paths!r}\n"
    command = [sys.executable, "-S", "-c", start + code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--walk", action="store_true")
    options = parser.parse_args()
    root = options.folder.resolve()
    for name in ("docs/engine.md", "docs/performance.md"):
        print(name, len((root / name).read_text(encoding="utf-8").split()), "words")
    print(
        "docs/*.md", sum(len(p.read_text(encoding="utf-8").split()) for p in root.glob("docs/*.md")), "words"
    )
    print("longest signature, Python:", *python_parameters(root))
    print("longest signature, C++:", *compiled_parameters(root))
    folders = files_per_folder(root)
    print("files:", sum(folders.values()), "in", len(folders), "folders; fullest:", folders.most_common(6))
    if options.walk:
        print("modules that a solver imports:", run(root, SOLVER).strip())
        print(run(root, WALK).strip())


if __name__ == "__main__":
    main()

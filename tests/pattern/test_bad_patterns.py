"""Bad pattern files meet real limits: 512 MB and 5 s in a process of their own, and get one clear line."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from toile.core.errors import ToileError
from toile.pattern.library import read_pattern

pytestmark = pytest.mark.skipif(os.name == "nt", reason="limits are set with POSIX means")

PROGRAM = """
import resource, sys, time
from toile.core.errors import ToileError
from toile.pattern.library import read_pattern
used = time.process_time()
resource.setrlimit(resource.RLIMIT_DATA, (512 << 20, 512 << 20))
resource.setrlimit(resource.RLIMIT_CPU, (int(used) + 6, int(used) + 6))
try:
    read_pattern(sys.argv[1])
    print("accepted")
except ToileError as error:
    print("refused", error)
print(time.process_time() - used, int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) // 1024)
"""


def tags(*pairs: object) -> str:
    """Return DXF group codes and values, one a line."""
    return "".join(f"{value}\n" for value in pairs)


def block(name: str, *body: str) -> str:
    """Return a DXF block."""
    return tags(0, "BLOCK", 8, 0, 2, name, 10, 0, 20, 0) + "".join(body) + tags(0, "ENDBLK")


def insert(name: str, *more: object) -> str:
    """Return a DXF insert of a block."""
    return tags(0, "INSERT", 8, 1, 2, name, 10, 0, 20, 0, *more)


def dxf(*blocks: str, entities: str = "") -> str:
    """Return a whole DXF file."""
    start = tags(0, "SECTION", 2, "BLOCKS") + "".join(blocks) + tags(0, "ENDSEC")
    return start + tags(0, "SECTION", 2, "ENTITIES") + entities + tags(0, "ENDSEC", 0, "EOF")


def square() -> str:
    """Return a closed boundary on layer 1."""
    corners = ((0, 0), (400, 0), (400, 600), (0, 600))
    vertices = "".join(tags(0, "VERTEX", 8, 1, 10, x, 20, y) for x, y in corners)
    return tags(0, "POLYLINE", 8, 1, 66, 1, 70, 1) + vertices + tags(0, "SEQEND")


def nested() -> str:
    """Return seven levels of blocks with ten copies each: ten million squares."""
    levels = [block("B0", square())]
    levels += [block(f"B{k}", *[insert(f"B{k - 1}")] * 10) for k in range(1, 8)]
    return dxf(*levels, entities=insert("B7"))


GARBAGE = "".join(random.Random(5).choice("PUDARCI;,.-0123456789\x03") for _ in range(2_000_000))
ENTITIES = "".join(
    f'<!ENTITY e{k} "{"&e" + str(k - 1) + ";" if k else "ha"}{"&e" + str(k - 1) + ";" if k else "ha"}">'
    for k in range(40)
)
FILES = {
    "truncated.dxf": (dxf(block("A", square()))[:-120], "truncated|damaged"),
    "each_other.dxf": (dxf(block("A", insert("B")), block("B", insert("A"))), "contains itself"),
    "minsert.dxf": (dxf(block("A", square()), entities=insert("A", 70, 30000, 71, 30000)), "30000 × 30000"),
    "nested.dxf": (nested(), "nested deeper|unfolds to more|inserted"),
    "entities.svg": (f"<!DOCTYPE svg [{ENTITIES}]><svg><text>&e39;</text></svg>", "entit|DOCTYPE"),
    "external.svg": (
        '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg><text>&x;</text></svg>',
        "entit|DOCTYPE",
    ),
    "deep.svg": ("<svg>" + "<g>" * 100_000 + "</g>" * 100_000 + "</svg>", "deep|nested|level"),
    "garbage.plt": ("IN;" + GARBAGE, "plt"),
}


@pytest.mark.parametrize("name", FILES)
def test_bad_files_get_a_clear_line_within_the_limits(name: str, tmp_path: Path) -> None:
    text, words = FILES[name]
    path = tmp_path / name
    path.write_text(text)
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-500:]
    answer, figures = done.stdout.splitlines()
    assert answer.startswith(f"refused {name}"), answer
    assert re.search(words, answer), answer
    seconds, megabytes = figures.split()
    assert float(seconds) < 5.0
    assert int(megabytes) < 512


def test_a_pattern_of_valentina_is_told_what_to_do(tmp_path):
    """It was read as an SVG without shapes: nobody was told that it has to be exported."""
    path = tmp_path / "skirt.val"
    tools = '<point type="endLine" id="2"/><spline type="simple"/><point type="modeling"/>'
    path.write_text(f"<?xml version='1.0'?>\n<pattern><!-- V --><draw>{tools}</draw><detail/></pattern>")
    with pytest.raises(
        ToileError, match=r"1 pieces, drawn by point endLine \(1\), spline simple \(1\):.*DXF AAMA"
    ):
        read_pattern(path)

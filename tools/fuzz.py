"""Fuzz the readers of foreign files for a bounded time: changed files, kept when they reach new lines.

    python tools/fuzz.py --seconds 60                       # every reader, a minute each
    python tools/fuzz.py --only svg --seconds 600 --seed 3
    python tools/fuzz.py --findings found                   # files that broke something are written there

A reader may return something or refuse with ToileError. Anything else (another exception, more than 5 s of
processor time, more than 2 GB) is a finding: exit code 1.
"""

import argparse
import random
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import toile
from toile.core.errors import ToileError
from toile.export.library import export
from toile.motion.library import read_motion
from toile.pattern.library import read_pattern
from toile.store.record import RecordedFile

SLOW = 5
"""a reader that takes more processor time is a finding [s]"""
MEMORY = 2**31
WORDS = (
    b"nan",
    b"inf",
    b"1e308",
    b"-1",
    b"0",
    b"99999999999",
    b"\x00",
    b"\xff\xff\xff\xff",
    b"{",
    b"]",
    b"\n",
)


def pattern(path: Path) -> None:
    """Read a pattern."""
    read_pattern(path)


def recording(path: Path) -> None:
    """Read a recording and its first frames."""
    with RecordedFile(path) as recorded:
        for number in range(min(len(recorded), 4)):
            recorded.frame(number)


def mesh(path: Path) -> None:
    """Read a mesh as a garment."""
    toile.read_garment(path, toile.named_body("woman"))


def motion(path: Path) -> None:
    """Read a motion."""
    read_motion(str(path))


READERS: dict[str, tuple[str, Callable[[Path], None]]] = {
    "garmentcode": (".json", pattern),
    "text": (".txt", pattern),
    "dxf": (".dxf", pattern),
    "svg": (".svg", pattern),
    "bvh": (".bvh", motion),
    "toile": (".toile", recording),
    "obj": (".obj", mesh),
    "glb": (".glb", mesh),
}
"""name → (ending, what is done with a file)"""


def seeds(folder: Path) -> dict[str, list[bytes]]:
    """Return sound files of each kind, made by ourselves."""
    body = toile.named_body("woman")
    skirt = toile.draft("skirt", body.measurements)
    made: dict[str, list[bytes]] = {}
    for name, ending in (("garmentcode", ".json"), ("text", ".txt"), ("dxf", ".dxf"), ("svg", ".svg")):
        toile.write_pattern(skirt, folder / f"seed{ending}")
        made[name] = [(folder / f"seed{ending}").read_bytes()]
    dressed = toile.dress([skirt], body, edge_length=0.08)
    for name in ("toile", "obj", "glb"):
        export(dressed, folder / f"seed.{name}")
        made[name] = [(folder / f"seed.{name}").read_bytes()]
    from toile.motion.files.bvh import write_bvh

    write_bvh(read_motion("idle"), folder / "seed.bvh")
    text = (folder / "seed.bvh").read_bytes().splitlines(keepends=True)
    made["bvh"] = [b"".join(text[:200])]
    return made


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Return a file with a few changes."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        at = rng.randrange(len(out) + 1)
        kind = rng.randrange(6)
        if kind == 0 and out:
            out[min(at, len(out) - 1)] ^= 1 << rng.randrange(8)
        elif kind == 1:
            out[at:at] = rng.choice(WORDS)
        elif kind == 2:
            del out[at : at + rng.choice((1, 4, 64, 1024))]
        elif kind == 3:
            source = rng.randrange(len(out) + 1)
            out[at:at] = out[source : source + rng.choice((4, 40, 400))]
        elif kind == 4:
            out[at : at + 8] = rng.choice(WORDS)
        else:
            end = out.find(b"\n", at)
            line = bytes(out[at : end + 1]) if end > at else b" "
            out[at:at] = line[:200] * rng.choice((1, 2, 50))
    return bytes(out[:2_000_000])


class Lines:
    """The lines of Toile's readers that were run so far."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, int]] = set()

    def trace(self, frame: FrameType, event: str, _: Any) -> Any:
        """Note a line; frames outside of Toile are left alone."""
        if "/toile/" not in frame.f_code.co_filename:
            return None
        if event == "line":
            self.seen.add((frame.f_code.co_filename, frame.f_lineno))
        return self.trace


def too_slow(*_: Any) -> None:
    """End what takes too long."""
    raise TimeoutError(f"more than {SLOW} s")


def tried(read: Callable[[Path], None], path: Path, lines: Lines | None) -> str:
    """Read a file; return what is wrong with how that went, empty if nothing."""
    if lines is not None:
        sys.settrace(lines.trace)
    signal.setitimer(signal.ITIMER_PROF, SLOW)
    try:
        read(path)
    except ToileError as error:
        return "" if "\n" not in str(error) else f"an error of several lines: {error}"
    except (Exception, RecursionError) as error:
        return f"{type(error).__name__}: {error}"[:200]
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        sys.settrace(None)
    return ""


def fuzz(name: str, corpus: list[bytes], seconds: float, seed: int, findings: Path) -> int:
    """Fuzz one reader; return how many different things were found."""
    ending, read = READERS[name]
    rng, lines, found, runs = random.Random(seed), Lines(), {}, 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{ending}"
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            data = corpus[runs] if runs < len(corpus) else mutated(rng.choice(corpus), rng)
            path.write_bytes(data)
            before = len(lines.seen)
            wrong = tried(read, path, lines)
            if wrong.startswith("TimeoutError"):
                # following every line takes time itself: once more without
                wrong = tried(read, path, None)
            runs += 1
            kind = "".join(c for c in wrong if not c.isdigit())
            if wrong and kind not in found:
                found[kind] = wrong
                findings.mkdir(parents=True, exist_ok=True)
                (findings / f"{name}-{len(found)}{ending}").write_bytes(data)
                print(f"  {name}: {wrong}", flush=True)
            elif len(lines.seen) > before:
                corpus.append(data)
    print(
        f"{name}: {runs} files, {len(lines.seen)} lines, {len(corpus)} kept, {len(found)} findings",
        flush=True,
    )
    return len(found)


def main() -> int:
    """Fuzz what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60.0, help="for each reader")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=tuple(READERS))
    parser.add_argument("--findings", type=Path, default=Path("build/findings"))
    asked = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, too_slow)
    with tempfile.TemporaryDirectory() as folder:
        corpora = seeds(Path(folder))
    names = [asked.only] if asked.only else list(READERS)
    return int(sum(fuzz(n, corpora[n], asked.seconds, asked.seed, asked.findings) for n in names) > 0)


if __name__ == "__main__":
    sys.exit(main())

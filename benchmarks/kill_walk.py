"""Kills `toile walk` at random moments, resumes it each time and compares the file with an undisturbed one.

Run: python benchmarks/kill_walk.py [kills] [seed]
"""

import hashlib
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from toile.core.errors import ToileError
from toile.store.record import RecordedFile

OPTIONS = ["--edge", "5cm", "--seconds", "2", "--fps", "30", "--resume"]


def toile(*words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "toile", *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def frames_in(path: Path) -> int:
    """Return the number of whole frames, -1 where there is no file yet."""
    try:
        with RecordedFile(path) as recorded:
            return len(recorded)
    except ToileError:
        return -1


def wait_for(child: subprocess.Popen[bytes], path: Path, frames: int, more: float) -> None:
    """Wait until the file holds so many frames (or the child ended), then a moment more [s]."""
    while child.poll() is None and frames_in(path) < frames:
        time.sleep(0.02)
    time.sleep(more)


def main(kills: int = 20, seed: int = 1) -> int:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        skirt, whole, killed = (Path(folder) / name for name in ("skirt.txt", "whole.toile", "killed.toile"))
        toile("draft", "skirt", "-o", str(skirt)).wait()
        toile("walk", str(skirt), *OPTIONS, "-o", str(whole)).wait()
        total, equal = frames_in(whole), True
        for kill in range(1, kills + 1):
            child = toile("walk", str(skirt), *OPTIONS, "-o", str(killed))
            # one in five while it is sewn, before there is a file; the others anywhere in the frames to come
            there = frames_in(killed)
            sewing = there < 0 and chance.random() < 0.2
            wanted = -1 if sewing else min(there + chance.randrange(0, 12), total)
            wait_for(child, killed, wanted, chance.random() * (2.0 if sewing else 0.2))
            child.kill()
            child.wait()
            print(f"kill {kill:2d}: {there} frames before, {frames_in(killed)} after", flush=True)
            if frames_in(killed) >= 0:
                with RecordedFile(killed) as recorded:
                    assert recorded.damaged_frames == []
            if frames_in(killed) >= total:
                toile("walk", str(skirt), *OPTIONS, "-o", str(killed)).wait()
                equal &= digest(whole) == digest(killed)
                print(f"finished, equal: {equal}")
                killed.unlink()
        toile("walk", str(skirt), *OPTIONS, "-o", str(killed)).wait()
        equal &= digest(whole) == digest(killed)
        print(f"{kills} kills, hashes {'equal' if equal else 'DIFFER'}: {digest(whole)[:16]}")
        return 0 if equal else 1


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))

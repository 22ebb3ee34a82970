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

from toile.errors import ToileError
from toile.run.record import RecordedFile

OPTIONS = ["--edge", "5cm", "--seconds", "2", "--fps", "30", "--resume"]


def toile(*words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "toile", *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def frames_in(path: Path) -> str:
    try:
        with RecordedFile(path) as recorded:
            assert not recorded.damaged_frames
            return f"{len(recorded)} frames"
    except ToileError:
        return "no file yet"


def main(kills: int = 20, seed: int = 1) -> int:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        skirt, whole, killed = (Path(folder) / name for name in ("skirt.txt", "whole.toile", "killed.toile"))
        toile("draft", "skirt", "-o", str(skirt)).wait()
        start = time.monotonic()
        toile("walk", str(skirt), *OPTIONS, "-o", str(whole)).wait()
        usual = time.monotonic() - start
        count = 0
        while count < kills:
            child = toile("walk", str(skirt), *OPTIONS, "-o", str(killed))
            # most of it is sewing, which begins again until the recording exists
            time.sleep(chance.uniform(0.1, 1.0) * usual)
            if child.poll() is not None:
                # it was finished before it could be killed: begin again
                print(f"finished; equal: {digest(whole) == digest(killed)}")
                killed.unlink()
                continue
            child.kill()
            child.wait()
            count += 1
            print(f"kill {count:2d}: {frames_in(killed)}", flush=True)
        toile("walk", str(skirt), *OPTIONS, "-o", str(killed)).wait()
        equal = digest(whole) == digest(killed)
        print(f"{count} kills, hashes {'equal' if equal else 'DIFFER'}: {digest(whole)[:16]}")
        return 0 if equal else 1


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:3])))

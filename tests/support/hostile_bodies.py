"""Runs in a process of its own: opens the files of a folder as bodies, tells CPU time and peak memory.

python hostile_bodies.py FOLDER: one line of JSON per file, then {"peak": bytes}.
"""

import json
import sys
import time
from pathlib import Path

from toile.body.library import open_body
from toile.core.errors import ToileError
from toile.motion.library import read_motion

MOTIONS = (".bvh", ".npz")


def tell(what: dict[str, object]) -> None:
    """Write one line."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def main(folder: str) -> None:
    """Open all files, one after the other."""
    for path in sorted(Path(folder).iterdir()):
        start = time.process_time()
        try:
            (read_motion if path.suffix in MOTIONS else open_body)(str(path))
            said = ""
        except ToileError as error:
            said = str(error)
        tell({"name": path.name, "said": said, "seconds": time.process_time() - start})
    # ru_maxrss would hold what the parent had when it forked
    status = Path("/proc/self/status").read_text(encoding="ascii")
    tell({"peak": int(status.split("VmHWM:")[1].split()[0]) * 1024})


if __name__ == "__main__":
    main(sys.argv[1])

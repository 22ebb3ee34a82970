"""A worker process: takes tasks over its standard input, one after the other, until that is closed.

``python -m toile.shop.worker MEMORY SECONDS`` is started by workers.py. It has no network, no database and
bounded memory; what it computes lies in the folder that a task names, or comes back over the pipe.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from toile.core.confine import limit, no_network
from toile.core.errors import ToileError, one_line
from toile.shop.frames import read_frame, write_frame

TASKS = {
    "body": ("bodies", "measured_body"),
    "standard": ("bodies", "standard_body"),
    "scan": ("scans", "scanned_body"),
    "rescale": ("scans", "rescaled_body"),
    "advice": ("sizes", "advice"),
    "dress": ("dressing", "dress_outfit"),
    "move": ("moving", "move_outfit"),
    "picture": ("pictures", "drape_picture"),
    "pattern": ("patterns", "read_draft"),
    "texture": ("textures", "read_texture"),
}
"""task → module in tasks/ and function(request, data, folder, tell) → (result, bytes)"""
Tell = Callable[[str, float], None]
Task = Callable[[dict[str, Any], bytes, Path, Tell], tuple[dict[str, Any], bytes]]
TOLD_EVERY = 0.05
"""progress is told no more often than this [s]"""


def main() -> None:
    """Serve tasks until the server closes the pipe."""
    memory, seconds, nice = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    loads = sys.argv[4:]
    source, target = _pipes()
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    os.nice(nice)
    limit(memory, seconds)
    no_network()
    warm(loads)
    write_frame(target, {"ready": True})
    while True:
        try:
            content, data = read_frame(source)
        except EOFError:
            return
        result, blob = _answer(content, data, target)
        write_frame(target, result, blob)


def warm(loads: list[str]) -> None:
    """Load what nearly every task needs and the named modules of tasks, before anybody waits for them."""
    for name in loads:
        import_module(f"toile.shop.tasks.{name}")
    if loads:
        return
    import_module("toile.shop.tasks.bodies").warm()


def _end_with(server: int) -> None:
    """End when the server is gone, also in the middle of a task: nobody would take the result."""
    while os.getppid() == server:
        time.sleep(0.5)
    os._exit(1)


def _pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Return the pipes from and to the server; what libraries print goes nowhere."""
    source, target = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for handle in (0, 1, 2) if not os.environ.get("TOILE_DEBUG") else (0, 1):
        os.dup2(nowhere, handle)
    return source, target


def _answer(content: dict[str, Any], data: bytes, target: IO[bytes]) -> tuple[dict[str, Any], bytes]:
    try:
        result, blob = _task(content["task"])(
            content["request"], data, Path(content["folder"]), _teller(target)
        )
    except ToileError as error:
        return {"error": str(error), "kind": "bad_input"}, b""
    except MemoryError:
        return {"error": "it needs more memory than it may have", "kind": "bad_input"}, b""
    except RecursionError:
        return {"error": "it is nested too deeply", "kind": "bad_input"}, b""
    except Exception as error:
        places, trace = [], error.__traceback__
        while trace is not None:
            places.append(f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}")
            trace = trace.tb_next
        detail = one_line(error) if os.environ.get("TOILE_DEBUG") else ""
        return {
            "error": type(error).__name__,
            "kind": "fault",
            "where": " ".join([*places[-5:], detail]),
        }, b""
    return {"result": result}, blob


def _task(name: str) -> Task:
    module, function = TASKS[name]
    task: Task = getattr(import_module(f"toile.shop.tasks.{module}"), function)
    return task


def _teller(target: IO[bytes]) -> Tell:
    last = 0.0

    def tell(stage: str, done: float) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= TOLD_EVERY:
            last = now
            write_frame(target, {"stage": stage, "done": done})

    return tell


if __name__ == "__main__":
    main()

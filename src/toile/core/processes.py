"""Worker processes: the memory that one may take, and its end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from typing import Any


def limit_memory(most: int) -> None:
    """Let this process have so much memory of its own [bytes]; 0: no limit. Where the system can."""
    if not most:
        return
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def end_process(process: subprocess.Popen[Any]) -> int:
    """End a process that leads a session, and what it started, now; return its exit code."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    code = process.wait()
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            if pipe is not None:
                pipe.close()
    return code

"""One thread for BLAS while small systems are solved: its own threads spin, and cost more than they bring.

NumPy and SciPy each bring an OpenBLAS. Where they cannot be found (other builds or systems) nothing happens.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path


class _Gate:
    """Who is inside one_thread, and the numbers of threads to go back to."""

    lock = threading.Lock()
    users = 0
    before: tuple[tuple[Callable[[int], None], int], ...] = ()


def _libraries() -> Iterator[tuple[Callable[[int], None], int]]:
    """Yield how the libraries that are loaded by now take a number of threads, and which they have."""
    for package in (sys.modules[name] for name in ("numpy", "scipy") if name in sys.modules):
        folder = Path(str(package.__file__)).parent.parent / f"{package.__name__}.libs"
        for path in sorted(folder.glob("libscipy_openblas*")) if folder.is_dir() else []:
            with contextlib.suppress(OSError, AttributeError):
                # only what is loaded already: no second copy
                library = ctypes.CDLL(str(path), mode=getattr(os, "RTLD_NOLOAD", 0) | os.RTLD_NOW)
                ending = "64_" if "openblas64_" in path.name else ""
                tell = getattr(library, f"scipy_openblas_get_num_threads{ending}")
                take = getattr(library, f"scipy_openblas_set_num_threads{ending}")
                yield take, tell()


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Let BLAS work on the calling thread only."""
    with _Gate.lock:
        if _Gate.users == 0:
            _Gate.before = tuple(_libraries())
            for take, _ in _Gate.before:
                take(1)
        _Gate.users += 1
    try:
        yield
    finally:
        with _Gate.lock:
            _Gate.users -= 1
            if _Gate.users == 0:
                for take, count in _Gate.before:
                    take(count)

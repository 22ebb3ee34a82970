"""One thread for BLAS while small systems are solved: its own threads spin, and cost more than they bring.

NumPy and SciPy each bring an OpenBLAS. Where they cannot be found (other builds or systems) nothing happens.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy
import scipy


class _Gate:
    """Who is inside one_thread, and the numbers of threads to go back to."""

    lock = threading.Lock()
    users = 0
    before: tuple[int, ...] = ()


@functools.cache
def _libraries() -> tuple[tuple[Callable[[], int], Callable[[int], None]], ...]:
    """Return how the loaded libraries tell and take their number of threads."""
    found = []
    for package in (numpy, scipy):
        folder = Path(str(package.__file__)).parent.parent / f"{package.__name__}.libs"
        for path in sorted(folder.glob("libscipy_openblas*")) if folder.is_dir() else []:
            with contextlib.suppress(OSError, AttributeError):
                # only what is loaded already: no second copy
                library = ctypes.CDLL(str(path), mode=getattr(os, "RTLD_NOLOAD", 0) | os.RTLD_NOW)
                ending = "64_" if "openblas64_" in path.name else ""
                tell = getattr(library, f"scipy_openblas_get_num_threads{ending}")
                take = getattr(library, f"scipy_openblas_set_num_threads{ending}")
                found.append((tell, take))
    return tuple(found)


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Let BLAS work on the calling thread only."""
    with _Gate.lock:
        if _Gate.users == 0:
            _Gate.before = tuple(tell() for tell, _ in _libraries())
            for _, take in _libraries():
                take(1)
        _Gate.users += 1
    try:
        yield
    finally:
        with _Gate.lock:
            _Gate.users -= 1
            if _Gate.users == 0:
                for (_, take), count in zip(_libraries(), _Gate.before, strict=True):
                    take(count)

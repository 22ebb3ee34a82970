"""What a worker process gives up before it touches anybody's data: network, other programs, memory, time."""

from __future__ import annotations

import ctypes
import platform
import resource
import struct

_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER = 38, 22, 2
_ALLOW, _DENY = 0x7FFF0000, 0x00050000 | 1
"""let it pass; fail with EPERM"""
_CALLS = {
    "x86_64": (0xC000003E, (41, 42, 49, 50, 53, 59, 101, 322)),
    "aarch64": (0xC00000B7, (198, 203, 200, 201, 199, 221, 117, 281)),
}
"""machine → its number, and socket, connect, bind, listen, socketpair, execve, ptrace, execveat"""


def limit(memory: int, seconds: float, file_size: int = 2_000_000_000) -> None:
    """Bound memory [bytes], processor time [s; 0: none] and the size of files [bytes]."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if seconds:
        whole = max(1, round(seconds))
        resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 1))


def no_network() -> bool:
    """Give up sockets and starting programs for good; return whether this system can do that."""
    machine, calls = _CALLS.get(platform.machine(), (0, ()))
    if platform.system() != "Linux" or not calls:
        return False
    # a program of the Berkeley packet filter: 4-byte words of the call are loaded and compared
    # another machine's calls, and those of its second numbering, are refused as well
    steps = [(0x20, 0, 0, 4), (0x15, 0, len(calls) + 3, machine), (0x20, 0, 0, 0)]
    steps.append((0x35, len(calls) + 1, 0, 0x40000000))
    for place, call in enumerate(calls):
        steps.append((0x15, len(calls) - place, 0, call))
    steps += [(0x06, 0, 0, _ALLOW), (0x06, 0, 0, _DENY)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in steps))
    program = struct.pack("@HxxxxxxP", len(steps), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    return bool(libc.prctl(_PR_SET_SECCOMP, _FILTER, program, 0, 0) == 0)

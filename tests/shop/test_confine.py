import subprocess
import sys

import pytest

PROGRAM = """
import socket, subprocess, sys
from toile.core.confine import limit, no_network
limit(400_000_000, 0)
if not no_network():
    sys.exit(3)
for try_it in (
    lambda: socket.socket(),
    lambda: socket.socketpair(),
    lambda: subprocess.run(["/bin/true"]),
):
    try:
        try_it()
    except PermissionError:
        continue
    sys.exit(1)
try:
    bytearray(2_000_000_000)
except MemoryError:
    print("confined")
"""


def test_a_worker_has_no_network_no_programs_and_little_memory() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    if done.returncode == 3:
        pytest.skip("this system cannot confine processes")
    assert (done.returncode, done.stdout) == (0, "confined\n"), done.stderr

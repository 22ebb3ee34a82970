import json
import subprocess
import sys

import numpy as np
import pytest

from folders import SUPPORT
from toile import _kernels


def test_wrong_arguments_raise_and_never_crash() -> None:
    """Every kernel, with arguments that are wrong: a new one needs a job in kernel_fuzz.py."""
    command = [sys.executable, str(SUPPORT / "kernel_fuzz.py"), "1", "60"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode == 0, f"crashed in {run.stderr.splitlines()[-1:]}"
    told = json.loads(run.stdout)
    assert len(told["fuzzed"]) > 140
    assert not told["missing"], "no job of kernel_fuzz.py calls these kernels"


@pytest.mark.parametrize("wrong", [np.zeros((3, 3)), np.zeros((5, 3)), np.zeros((4, 2)), np.zeros(12)])
def test_a_tree_refuses_other_points(wrong: np.ndarray) -> None:
    triangles = np.array([[0, 1, 2], [0, 2, 3]], np.int32)
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    tree = _kernels.SurfaceTree(triangles, corners, None)
    with pytest.raises((ValueError, TypeError, RuntimeError)):
        tree.refit(wrong)

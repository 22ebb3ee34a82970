"""Write src/toile/_kernels.pyi from the compiled module, so that mypy sees the types of its functions.

python tools/stubs.py            # after a change of what bindings/python/ shows
python tools/stubs.py --check    # is it current? (a test asks that)
"""

import re
import subprocess
import sys
from pathlib import Path

STUB = Path(__file__).parent.parent / "src" / "toile" / "_kernels.pyi"


def generated() -> str:
    """Return the stub of the module that is installed."""
    from nanobind.stubgen import StubGen

    from toile import _kernels

    made = StubGen(_kernels)
    made.put(_kernels)
    # what a binding builds or reads by hand has no types of its own
    text = re.sub(r"(?<=-> )tuple(?=:)", "tuple[Any, ...]", made.get())
    text = re.sub(r"(?<=(?:->|.:) )dict(?=[:,)])", "dict[str, Any]", text)
    text = re.sub(r"(?<=\*\*)(\w+)(?=[,)])", r"\1: Any", text)
    text = text.replace("from typing import Annotated\n", "from typing import Annotated, Any\n", 1)
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(STUB), "-"]
    return subprocess.run(command, input=text, text=True, check=True, capture_output=True).stdout


if __name__ == "__main__":
    text = generated()
    if "--check" in sys.argv[1:]:
        sys.exit(0 if text == STUB.read_text(encoding="utf-8") else f"{STUB} is old: run tools/stubs.py")
    STUB.write_text(text, encoding="utf-8")

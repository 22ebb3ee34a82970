# The compiled kernels (engine/, bound in bindings/python/): arrays in, arrays out.
from typing import Any

def __getattr__(name: str) -> Any: ...

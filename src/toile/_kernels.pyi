# The compiled kernels (engine/, bound in bindings/python/): arrays in, arrays out; typed by the Python functions around them.
from typing import Any

def __getattr__(name: str) -> Any: ...

"""The graphics device: opened once, shaders compiled once, buffers and groups in a line each."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toile.core.errors import ToileError

Array = NDArray[Any]
WORKGROUP = 64
"""threads of a workgroup, in every shader"""
LAYOUTS: Mapping[str, Mapping[str, Any]] = {
    "uniform": {"buffer": {"type": "uniform"}},
    "offset": {"buffer": {"type": "uniform", "has_dynamic_offset": True}},
    "read": {"buffer": {"type": "read-only-storage"}},
    "write": {"buffer": {"type": "storage"}},
    "texture": {
        "texture": {"sample_type": "unfilterable-float", "view_dimension": "2d-array", "multisampled": False}
    },
    "store": {
        "storage_texture": {"access": "write-only", "format": "rgba32float", "view_dimension": "2d-array"}
    },
}
"""kinds of bindings"""


DEVICES = ("cpu", "gpu")


def check_device(what: str, name: str) -> None:
    """Refuse a device that there is not; what names the method."""
    if name not in DEVICES:
        raise ToileError(f"{what}: device is '{name[:40]}': choose {' or '.join(DEVICES)}")


def groups_of(count: int) -> int:
    """Return how many workgroups so many items need."""
    return -(-count // WORKGROUP)


class Device:
    """One adapter's device."""

    def __init__(self, adapter: Any) -> None:
        self.adapter = adapter
        self.wgpu = _wgpu()
        limits = {"max-storage-buffers-per-shader-stage": 8}
        self.device = adapter.request_device_sync(required_limits=limits)
        self._modules: dict[str, Any] = {}

    @property
    def name(self) -> str:
        """Return what the adapter calls itself."""
        return f"{self.adapter.info['device']} ({self.adapter.info['backend_type']})"

    @property
    def is_software(self) -> bool:
        """Return whether a processor plays the graphics device: its times say nothing about hardware."""
        return bool(self.adapter.info["adapter_type"] == "CPU")

    def buffer(self, data: Array | int, *, indirect: bool = False, vertices: bool = False) -> Any:
        """Return a storage buffer with these values, or of so many bytes of zeros."""
        u = self.wgpu.BufferUsage
        usage = u.STORAGE | u.COPY_SRC | u.COPY_DST
        usage |= (u.INDIRECT if indirect else 0) | ((u.VERTEX | u.INDEX) if vertices else 0)
        if isinstance(data, int):
            return self.device.create_buffer(size=max(data, 16), usage=usage)
        data = data if data.nbytes else np.zeros(4, np.uint32)
        return self.device.create_buffer_with_data(data=np.ascontiguousarray(data), usage=usage)

    def uniform(self, data: Array) -> Any:
        """Return a uniform buffer with these values."""
        u = self.wgpu.BufferUsage
        return self.device.create_buffer_with_data(
            data=np.ascontiguousarray(data), usage=u.UNIFORM | u.COPY_DST
        )

    def write(self, buffer: Any, data: Array) -> None:
        """Put values at a buffer's beginning."""
        self.device.queue.write_buffer(buffer, 0, np.ascontiguousarray(data))

    def read(self, buffer: Any, dtype: Any) -> Array:
        """Wait for the device and return a buffer's values."""
        return np.frombuffer(self.device.queue.read_buffer(buffer), dtype)

    def wait(self) -> None:
        """Wait until the device has done everything."""
        # reading comes after all that was enqueued before
        self.read(self.buffer(16), np.uint32)

    def module(self, shader: str) -> Any:
        """Return the compiled shader of a file in gpu/shaders."""
        if shader not in self._modules:
            self._modules[shader] = self.device.create_shader_module(label=shader, code=shader_code(shader))
        return self._modules[shader]

    def layout(self, kinds: Sequence[str], stages: str = "COMPUTE") -> Any:
        """Return the layout of a group from the kinds of its bindings."""
        visible = 0
        for stage in stages.split("|"):
            visible |= getattr(self.wgpu.ShaderStage, stage)
        entries = [{"binding": k, "visibility": visible, **LAYOUTS[kind]} for k, kind in enumerate(kinds)]
        return self.device.create_bind_group_layout(entries=entries)

    def group(self, layout: Any, things: Sequence[Any], size: int = 0) -> Any:
        """Return a group of buffers and texture views; size: how much of the first is seen at an offset."""
        entries = []
        for k, thing in enumerate(things):
            if hasattr(thing, "size") and hasattr(thing, "map_state"):
                whole = thing.size if k or not size else size
                entries.append({"binding": k, "resource": {"buffer": thing, "offset": 0, "size": whole}})
            else:
                entries.append({"binding": k, "resource": thing})
        return self.device.create_bind_group(layout=layout, entries=entries)

    def compute(self, shader: str, entries: Sequence[str], layouts: Sequence[Any]) -> dict[str, Any]:
        """Return the compute pipelines of a shader's entry points, which share their layouts."""
        layout = self.device.create_pipeline_layout(bind_group_layouts=list(layouts))
        return {
            entry: self.device.create_compute_pipeline(
                layout=layout, compute={"module": self.module(shader), "entry_point": entry}
            )
            for entry in entries
        }


def shader_code(name: str) -> str:
    """Return the text of a shader."""
    return resources.files("toile.gpu").joinpath("shaders", f"{name}.wgsl").read_text(encoding="utf-8")


def _wgpu() -> Any:
    try:
        import wgpu
    except ImportError:
        raise ToileError("a graphics device needs the extra gpu: pip install 'toile[gpu]'") from None
    return wgpu


@functools.cache
def open_device() -> Device:
    """Return the machine's graphics device; ToileError where there is none."""
    wgpu = _wgpu()
    try:
        adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
    except RuntimeError:
        adapter = None
    if adapter is None:
        raise ToileError(
            "no graphics device: install a driver for Vulkan, Metal or DX12 "
            "(one in software: Debian's mesa-vulkan-drivers), or choose device cpu"
        )
    return Device(adapter)


def why_not() -> str:
    """Return why there is no graphics device, empty where there is one."""
    try:
        open_device()
    except ToileError as error:
        return str(error)
    return ""

"""Candidate sets and distances from the skeleton on the device (shaders/bones.wgsl)."""

from __future__ import annotations

import numpy as np

from toile.gpu.device import Array, Device

LIMB = np.dtype(
    [("x", "f4", 4), ("y", "f4", 4), ("z", "f4", 4), ("origin", "f4", 4), ("low", "f4", 4), ("high", "f4", 4),
     ("centre", "f4", 4), ("velocity", "f4", 4), ("spin", "f4", 4), ("ends", "f4", 4)]
)  # fmt: skip
"""one limb in the shader"""
KINDS = ("uniform", "read", "read", "read", "read", "write", "write")


class BoneFields:
    """Radius tables of one body's limbs, at most 32."""

    def __init__(self, gpu: Device, tables: Array) -> None:
        """tables [m], (limbs, along, around)."""
        self.gpu, self.shape = gpu, tables.shape
        self._table = gpu.buffer(np.asarray(tables, np.float32))
        self._layout = gpu.layout(KINDS)
        self._pipe = gpu.compute("bones", ("search",), [self._layout])["search"]
        self.tested = 0
        """particles whose distance from a limb was measured in the last look"""

    def find(
        self, place: Array, start: Array, limbs: Array, group_count: int, radius: float
    ) -> tuple[Array, Array]:
        """Return normal and gap (1e30: none), and velocity, of each particle and group, (n, groups, 4) each.

        place (n, 3) block after block, start (blocks,) where each begins, limbs as LIMB tells.
        """
        gpu, points = self.gpu, np.zeros((len(place), 4), np.float32)
        points[:, :3] = place
        count, along, around = self.shape
        options = np.zeros(8, np.uint32)
        options[:5] = len(start), count, group_count, along, around
        options[5:6].view(np.float32)[:] = radius
        found, tested = gpu.buffer(32 * len(place) * group_count), gpu.buffer(4)
        ends = gpu.buffer(np.append(start, len(place)).astype(np.uint32))
        things = [
            gpu.uniform(options),
            gpu.buffer(limbs),
            self._table,
            gpu.buffer(points),
            ends,
            found,
            tested,
        ]
        encoder = gpu.device.create_command_encoder()
        run = encoder.begin_compute_pass()
        run.set_pipeline(self._pipe)
        run.set_bind_group(0, gpu.group(self._layout, things))
        run.dispatch_workgroups(len(start))
        run.end()
        gpu.device.queue.submit([encoder.finish()])
        rows = gpu.read(found, np.float32).reshape(len(place), group_count, 2, 4)
        self.tested = int(gpu.read(tested, np.uint32)[0])
        return rows[:, :, 0], rows[:, :, 1]

"""A picture of cloth straight from the buffer in which it moves (shaders/draw.wgsl)."""

from __future__ import annotations

import numpy as np

from toile.gpu.device import Array
from toile.gpu.verlet import VerletCloth

LIGHT = (0.6, 0.64, 0.48, 0.0)
COLOUR = (0.2, 0.3, 0.7, 1.0)


class ClothPicture:
    """Draws one cloth; its positions stay on the device."""

    def __init__(self, cloth: VerletCloth, triangles: Array, width: int, height: int) -> None:
        """triangles (t, 3) between particles; the width is a multiple of 64 [pixels]."""
        self.gpu, self.size = cloth.gpu, (width, height, 1)
        gpu, u = self.gpu, self.gpu.wgpu.TextureUsage
        layout = gpu.layout(["uniform", "read"], "VERTEX|FRAGMENT")
        module = gpu.module("draw")
        self._pipeline = gpu.device.create_render_pipeline(
            layout=gpu.device.create_pipeline_layout(bind_group_layouts=[layout]),
            vertex={"module": module, "entry_point": "project"},
            primitive={"topology": "triangle-list"},
            depth_stencil={"format": "depth32float", "depth_write_enabled": True, "depth_compare": "less"},
            fragment={"module": module, "entry_point": "shade", "targets": [{"format": "rgba8unorm"}]},
        )
        self._view = gpu.uniform(np.zeros(24, np.float32))
        self._group = gpu.group(layout, [self._view, cloth.place])
        self._corners = triangles.size
        self._index = gpu.buffer(np.ascontiguousarray(triangles, np.uint32), vertices=True)
        make = gpu.device.create_texture
        self._target = make(size=self.size, format="rgba8unorm", usage=u.RENDER_ATTACHMENT | u.COPY_SRC)
        self._depth = make(size=self.size, format="depth32float", usage=u.RENDER_ATTACHMENT)

    def draw(self, clip: Array) -> None:
        """Enqueue the picture; clip (4, 4) takes the world to it: x and y from -1 to 1, z from 0 to 1."""
        values = np.concatenate([np.asarray(clip).T.ravel(), LIGHT, COLOUR]).astype(np.float32)
        self.gpu.write(self._view, values)
        encoder = self.gpu.device.create_command_encoder()
        run = encoder.begin_render_pass(
            color_attachments=[
                {"view": self._target.create_view(), "load_op": "clear", "store_op": "store",
                 "clear_value": (1.0, 1.0, 1.0, 1.0)}
            ],
            depth_stencil_attachment={
                "view": self._depth.create_view(),
                "depth_load_op": "clear", "depth_store_op": "discard", "depth_clear_value": 1.0,
            },
        )  # fmt: skip
        run.set_pipeline(self._pipeline)
        run.set_bind_group(0, self._group)
        run.set_index_buffer(self._index, "uint32")
        run.draw_indexed(self._corners)
        run.end()
        self.gpu.device.queue.submit([encoder.finish()])

    def read(self) -> Array:
        """Wait for the device and return the picture, (height, width, 4)."""
        width, height, _ = self.size
        data = self.gpu.device.queue.read_texture(
            {"texture": self._target, "mip_level": 0, "origin": (0, 0, 0)},
            {"offset": 0, "bytes_per_row": 4 * width, "rows_per_image": height},
            self.size,
        )
        return np.frombuffer(data, np.uint8).reshape(height, width, 4)

"""Front and back maps of a body's parts, drawn by render passes, and contact with them, on the device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from toile.gpu.device import Array, Device, groups_of

if TYPE_CHECKING:
    from toile.gpu.verlet import VerletCloth

STRIDE = 9
"""numbers a vertex: place, normal, velocity"""
PART = 28
"""numbers a part in the shaders"""
STILL = np.zeros(3)
FAR = 1e30
"""the depth where nothing is seen"""
OPTIONS = np.dtype(
    [("count", "u4"), ("every", "u4"), ("cull", "u4"), ("stride", "u4"),
     ("pixel", "f4"), ("reach", "f4"), ("margin", "f4"), ("size", "f4"), ("shift", "f4", 4)]
)  # fmt: skip
CONTACT = np.dtype(
    [("count", "u4"), ("refine", "u4"), ("by_depth", "u4"), ("parts", "u4"),
     ("pixel", "f4"), ("reach", "f4"), ("silhouette", "f4"), ("thickness", "f4"),
     ("since", "f4"), ("dt", "f4"), ("pad", "f4", 2), ("travel", "f4", 4)]
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class MapOptions:
    """How maps are drawn and asked: the settings of collider limb_maps."""

    pixel: float = 0.005
    tolerance: float = 0.0
    reach: float = 0.02
    silhouette: float = 0.005
    colliding: bool = True
    every: int = 1
    rim: int = 0
    refine: bool = False
    by_depth: bool = True


@dataclass(frozen=True, eq=False, slots=True)
class Targets:
    """Textures that hold the maps of all parts, and their layers."""

    planes: Any
    motions: Any
    spots: Any
    """rims only: what their pixels stand for"""

    def views(self) -> list[Any]:
        """Return both as arrays of layers."""
        return [t.create_view(dimension="2d-array") for t in (self.planes, self.motions)]

    def layer(self, k: int) -> list[Any]:
        """Return one layer of both, to draw into."""
        return [
            t.create_view(dimension="2d", base_array_layer=k, array_layer_count=1)
            for t in (self.planes, self.motions)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """One look of the cloth at the maps within a time step."""

    dt: float = 0.0
    """[s]"""
    since: float = 0.0
    """since the skin was posed [s]"""
    thickness: float = 0.0
    """kept between cloth and skin [m]"""
    travel: tuple[float, ...] = (0.0, 0.0, 0.0)
    """velocity of the body as a whole [m/s]"""
    draw: bool = True
    """maps are drawn before; else those of the step's first look are asked again"""
    wider: float = 0.0
    """boxes are so much wider when parts are chosen, for looks that draw nothing [m]"""


class PartMaps:
    """Maps of the parts of one body, in textures that stay on the device."""

    def __init__(
        self, gpu: Device, own: tuple[Array, Array], behind: tuple[Array, Array], part_count: int, size: int
    ) -> None:
        """own and behind: triangles (t, 3) and their part (t,); size: of a map's texture [pixels]."""
        self.gpu, self.count, self.size = gpu, part_count, size
        self.closed, self.options = len(behind[0]) > 0, MapOptions()
        self._skin: Any = None
        self._set_triangles(own, behind)
        self.parts = gpu.buffer(np.zeros((part_count, PART), np.float32))
        self.touched = gpu.buffer(4 * part_count)
        self._draws = gpu.buffer(20 * 4 * part_count, indirect=True)
        self._options, self._contact = gpu.uniform(np.zeros(1, OPTIONS)), gpu.uniform(np.zeros(1, CONTACT))
        self._extend = gpu.uniform(np.zeros(4, np.float32))
        u = gpu.wgpu.TextureUsage
        shape = (size, size, 1)
        self._depth = gpu.device.create_texture(
            size=shape, format="depth32float", usage=u.RENDER_ATTACHMENT
        ).create_view()
        self._sets: dict[str, Targets] = {}
        self._set_pipelines()
        self.set_options(self.options)

    def _set_triangles(self, own: tuple[Array, Array], behind: tuple[Array, Array]) -> None:
        """Bring each part's triangles to the device, and its vertices for the box."""
        ranges, vertices, corners, done = (
            np.zeros((self.count, 6), np.uint32),
            list[Array](),
            list[Array](),
            0,
        )
        for k in range(self.count):
            for column, (triangles, part) in ((2, own), (4, behind)):
                chosen = triangles[part == k].ravel()
                ranges[k, column : column + 2] = done, len(chosen)
                corners.append(chosen)
                done += len(chosen)
            used = np.unique(own[0][own[1] == k])
            ranges[k, :2] = sum(map(len, vertices)), len(used)
            vertices.append(used)
        self._index = self.gpu.buffer(np.concatenate(corners).astype(np.uint32), vertices=True)
        self._vertex = self.gpu.buffer(np.concatenate(vertices).astype(np.uint32))
        self._ranges = self.gpu.buffer(ranges)

    def _targets(self, name: str) -> Targets:
        """Return one set of textures; made when it is first asked for."""
        if name not in self._sets:
            u = self.gpu.wgpu.TextureUsage
            usage = u.RENDER_ATTACHMENT | u.TEXTURE_BINDING | u.STORAGE_BINDING | u.COPY_SRC
            shape = (self.size, self.size, 2 * self.count)
            made = [
                self.gpu.device.create_texture(size=shape, format="rgba32float", usage=usage)
                for _ in range(3)
            ]
            self._sets[name] = Targets(*made)
        return self._sets[name]

    def _set_pipelines(self) -> None:
        gpu = self.gpu
        self._parts_layout = gpu.layout(
            ["uniform", "write", "read", "read", "read", "write", "write", "read"]
        )
        self._parts_pipes = gpu.compute("parts", ("bound", "cull", "choose"), [self._parts_layout])
        touch = ["uniform", "write", "write", "read", "write", "texture", "texture"]
        self._touch_layout, self._find_layout = gpu.layout(touch), gpu.layout([*touch, "write"])
        self._touch_pipe = gpu.compute("contact", ("respond",), [self._touch_layout])["respond"]
        self._find_pipe = gpu.compute("contact", ("find",), [self._find_layout])["find"]
        self._extend_layout = gpu.layout(
            ["uniform", "read", "read", *4 * ["texture"], "store", "store", "texture", "store"]
        )
        self._extend_pipes = gpu.compute("extend", ("fill", "grow"), [self._extend_layout])
        self._look_layout = gpu.layout(["read", "uniform"], "VERTEX|FRAGMENT")
        self._draw_pipes = [self._draw_pipe(cull) for cull in ("back", "front")]

    def _draw_pipe(self, cull: str) -> Any:
        device, module = self.gpu.device, self.gpu.module("maps")
        three = [{"format": "float32x3", "offset": 12 * k, "shader_location": k} for k in range(3)]
        buffers = [{"array_stride": 4 * STRIDE, "step_mode": "vertex", "attributes": three}]
        depth = {"format": "depth32float", "depth_write_enabled": True, "depth_compare": "less"}
        return device.create_render_pipeline(
            layout=device.create_pipeline_layout(bind_group_layouts=[self._look_layout]),
            vertex={"module": module, "entry_point": "project", "buffers": buffers},
            primitive={"topology": "triangle-list", "front_face": "ccw", "cull_mode": cull},
            depth_stencil=depth,
            fragment={"module": module, "entry_point": "shade", "targets": [{"format": "rgba32float"}] * 2},
        )

    def pose(self, vertices: Array, normals: Array, velocity: Array, frames: Array) -> None:
        """Bring the skin to the device, (n, 3) each, and the parts' axes and origins, (p, 4, 3)."""
        skin = np.concatenate([vertices, normals, velocity], axis=1).astype(np.float32)
        if self._skin is None or self._skin.size != skin.nbytes:
            self._skin = self.gpu.buffer(skin, vertices=True)
        else:
            self.gpu.write(self._skin, skin)
        parts = np.zeros((self.count, PART), np.float32)
        parts[:, :16].reshape(-1, 4, 4)[:, :, :3] = frames
        self.gpu.write(self.parts, parts)

    def set_options(self, options: MapOptions) -> None:
        """Set how maps are drawn and asked."""
        self.options = options
        look = np.zeros((2 * self.count, 8), np.float32)
        for k in range(2 * self.count):
            look[k, :2].view(np.uint32)[:] = k // 2, k % 2
            look[k, 2:5] = self.size, options.pixel, options.tolerance
        self._looks = [self.gpu.group(self._look_layout, [self.parts, self.gpu.uniform(row)]) for row in look]
        self.gpu.write(self._extend, np.array([options.pixel, options.tolerance, 0, 0], np.float32))

    def encode_drawing(
        self, encoder: Any, points: Any, count: int, wider: float = 0.0, shift: Array = STILL
    ) -> None:
        """Append to the commands: boxes, culling by points (count, 4), and the maps that are wanted."""
        o, gpu = self.options, self.gpu
        values = np.zeros(1, OPTIONS)
        margin = (o.rim + 1) * o.pixel
        reach = o.reach + o.tolerance + wider
        values[0] = (count, o.every, o.colliding, STRIDE, o.pixel, reach, margin, self.size, (*shift, 0))
        gpu.write(self._options, values)
        things = [self._options, self.parts, self._skin, self._vertex, self._ranges]
        run = encoder.begin_compute_pass()
        run.set_bind_group(0, gpu.group(self._parts_layout, [*things, self.touched, self._draws, points]))
        for name, groups in (("bound", self.count), ("cull", groups_of(-(-count // o.every))), ("choose", 1)):
            run.set_pipeline(self._parts_pipes[name])
            run.dispatch_workgroups(groups)
        run.end()
        for name, first in (("own", 0), ("behind", 2 * self.count))[: 2 if self.closed else 1]:
            for layer in range(2 * self.count):
                self._encode_layer(encoder, self._targets(name), layer, first + layer)
        self._encode_extension(encoder)

    def _encode_layer(self, encoder: Any, targets: Targets, layer: int, draw: int) -> None:
        clear = ((0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, FAR if layer % 2 else -FAR))
        run = encoder.begin_render_pass(
            color_attachments=[
                {"view": view, "load_op": "clear", "store_op": "store", "clear_value": value}
                for view, value in zip(targets.layer(layer), clear, strict=True)
            ],
            depth_stencil_attachment={
                "view": self._depth,
                "depth_load_op": "clear", "depth_store_op": "discard", "depth_clear_value": 1.0,
            },
        )  # fmt: skip
        run.set_pipeline(self._draw_pipes[layer % 2])
        run.set_bind_group(0, self._looks[layer])
        run.set_vertex_buffer(0, self._skin)
        run.set_index_buffer(self._index, "uint32")
        run.draw_indexed_indirect(self._draws, 20 * draw)
        run.end()

    def _encode_extension(self, encoder: Any) -> None:
        """Close parts and grow rims, from one set of textures into another."""
        self.drawn = self._targets("own")
        names = ["fill"] * self.closed + ["grow"] * self.options.rim
        for turn, name in enumerate(names):
            new = self._targets(f"extended {turn % 2}")
            behind = self._targets("behind") if self.closed else self.drawn
            spots = [t.spots.create_view(dimension="2d-array") for t in (self.drawn, new)]
            things = [self._extend, self.parts, self.touched, *self.drawn.views(), *behind.views()]
            things += [*new.views(), *spots]
            run = encoder.begin_compute_pass()
            run.set_pipeline(self._extend_pipes[name])
            run.set_bind_group(0, self.gpu.group(self._extend_layout, things))
            tiles = -(-self.size // 8)
            run.dispatch_workgroups(tiles, tiles, 2 * self.count)
            run.end()
            self.drawn = new

    def _encode_touch(self, encoder: Any, layout: Any, pipe: Any, points: list[Any], more: list[Any]) -> None:
        """Append to the commands a look of all points (place and velocity) into the drawn maps."""
        things = [self._contact, *points, self.parts, self.touched, *self.drawn.views(), *more]
        run = encoder.begin_compute_pass()
        run.set_pipeline(pipe)
        run.set_bind_group(0, self.gpu.group(layout, things))
        run.dispatch_workgroups(groups_of(points[0].size // 16))
        run.end()

    def _set_contact(self, count: int, step: Contact) -> None:
        o, values = self.options, np.zeros(1, CONTACT)
        values[0] = (
            count, o.refine, o.by_depth, self.count, o.pixel, o.reach, o.silhouette,
            step.thickness, step.since, step.dt, (0, 0), (*step.travel, 0),
        )  # fmt: skip
        self.gpu.write(self._contact, values)

    def encode(self, encoder: Any, cloth: VerletCloth, step: Contact) -> None:
        """Append to the commands of a step: maps round the cloth as it is now, then the response."""
        if step.draw:
            shift = step.since * np.array(step.travel)
            self.encode_drawing(encoder, cloth.place, cloth.count, step.wider, shift)
        self._set_contact(cloth.count, step)
        self._encode_touch(encoder, self._touch_layout, self._touch_pipe, [cloth.place, cloth.velocity], [])

    def find(self, position: Array) -> tuple[Array, Array, Array, Array]:
        """Return the contacts of points [m], (n, 3): particle, gap, normal, velocity of the skin."""
        count = len(position)
        points = np.zeros((count, 4), np.float32)
        points[:, :3] = position
        place, answer = self.gpu.buffer(points), self.gpu.buffer(32 * count * self.count)
        encoder = self.gpu.device.create_command_encoder()
        self.encode_drawing(encoder, place, count)
        self._set_contact(count, Contact())
        both = [place, self.gpu.buffer(16)]
        self._encode_touch(encoder, self._find_layout, self._find_pipe, both, [answer])
        self.gpu.device.queue.submit([encoder.finish()])
        rows = self.gpu.read(answer, np.float32).reshape(count * self.count, 2, 4)
        near = np.flatnonzero(rows[:, 0, 3] < 1e20)
        hits = rows[near].astype(np.float64)
        return (near // self.count).astype(np.int32), hits[:, 0, 3], hits[:, 0, :3], hits[:, 1, :3]

    def read(self, part: int) -> tuple[Array, Array, Array]:
        """Return what was drawn of a part: left, top, width, height; planes and motions, (h, w, 2, 4)."""
        frame = self.gpu.read(self.parts, np.float32).reshape(-1, PART)[part, 24:]
        width, height = (int(v) for v in frame[2:])
        found = []
        for texture in (self.drawn.planes, self.drawn.motions):
            layers = [self._read_layer(texture, 2 * part + side)[:height, :width] for side in (0, 1)]
            found.append(np.stack(layers, axis=2))
        return frame, found[0], found[1]

    def _read_layer(self, texture: Any, layer: int) -> Array:
        data = self.gpu.device.queue.read_texture(
            {"texture": texture, "mip_level": 0, "origin": (0, 0, layer)},
            {"offset": 0, "bytes_per_row": 16 * self.size, "rows_per_image": self.size},
            (self.size, self.size, 1),
        )
        return np.frombuffer(data, np.float32).reshape(self.size, self.size, 4)

"""Pictures of dressed people: a small studio in software (rasteriser kernel + NumPy), no GPU, no display.

Ambient light and shadows are computed per vertex (light.py), everything else per pixel; several
slightly shifted pictures are averaged against jagged edges. The same input gives the same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.ndimage import gaussian_filter, maximum_filter, minimum_filter

from toile.core.errors import ToileError
from toile.core.records import Body, Bools, Floats, Garment, Ints
from toile.geometry.raster import Floats32, Visible, rasterise
from toile.render.camera import Camera, frame_views, natural_width
from toile.render.image import as_bytes as as_bytes
from toile.render.image import to_srgb, tone
from toile.render.image import write_png as write_png
from toile.render.light import Shadower, ambient, cone_directions, key_share, shadower, sphere_directions
from toile.render.surface import FAR, line_heights, seam_edges, vertex_normals, with_open_seams
from toile.store.record import Frame, Replayable, source_of

SKIN = (0.50, 0.445, 0.405)
"""linear RGB of the mannequin"""
FLOOR_SECTORS = 144
Paint = Callable[[Floats32, Ints, Floats32], Floats32]
"""places in the flat pieces [m] (p, 2), triangles (p,), plain linear colours (p, 3) → colours (p, 3)"""
INSIDE_GLOW = 0.07  # light between cloth and skin, which goes to and fro there


@dataclass(frozen=True, eq=False, slots=True)
class Mesh:
    """One surface in a picture."""

    name: str
    vertices: Floats
    """[m], (n, 3)"""
    triangles: Ints
    """(t, 3)"""
    colour: Floats
    """linear RGB, (3,) or per triangle (t, 3)"""
    normals: Floats | None = None
    """unit, (n, 3); None: computed"""
    cloth: bool = True
    """seen from both sides, matt with a little sheen; False: skin"""
    corner_uv: Floats | None = None
    """place in the flat pieces of each triangle's corners [m], (t, 3, 2)"""
    seam_height: Floats | None = None
    """distance of each corner from its opposite side where that is a seam [m], else FAR, (t, 3)"""
    hem_height: Floats | None = None
    """the same for open edges"""


@dataclass(frozen=True, slots=True)
class Studio:
    """How pictures look."""

    background: tuple[float, float, float] = (0.62, 0.62, 0.615)
    """linear RGB"""
    vignette: float = 0.10
    """how much darker the wall is towards the edges"""
    key: tuple[float, float, float] = (1.22, 1.13, 1.02)
    """colour of the main light"""
    key_angle: float = -42.0
    """from the camera to the left or right [degrees]"""
    key_height: float = 52.0
    """above the horizon [degrees]"""
    key_softness: float = 9.0
    """half angle of the light's disc [degrees]"""
    exposure: float = 0.86
    """factor on all light"""
    sky_count: int = 72
    """directions of the sky"""
    key_count: int = 20
    """directions of the main light"""
    samples: int = 8
    """shifted pictures that are averaged"""
    weave: float = 0.05
    """contrast of the woven texture"""
    grid: float = 0.0
    """distance of drawn grain lines [m]; 0: none"""


# ---------------------------------------------------------------------------- from records to meshes


def body_mesh(body: Body, vertices: Floats | None = None, colour: tuple[float, float, float] = SKIN) -> Mesh:
    """Return the body as a mesh; vertices [m] of a pose, else the rest pose."""
    points = body.vertices if vertices is None or not len(vertices) else vertices
    return Mesh(body.name, points, body.triangles, np.array(colour), cloth=False)


def garment_mesh(garment: Garment, position: Floats) -> Mesh:
    """Return a garment (or outfit) at these particle positions [m] as a mesh with its fabrics' colours."""
    colours = np.array([f.colour for f in garment.fabrics])
    seam, hem = seam_edges(garment)
    return Mesh(
        garment.name,
        position,
        garment.triangles,
        colours[garment.triangle_fabric],
        corner_uv=garment.uv[garment.triangles_uv],
        seam_height=line_heights(garment, seam),
        hem_height=line_heights(garment, hem),
    )


def frame_meshes(garment: Garment, body: Body | None, frame: Frame) -> list[Mesh]:
    """Return what one frame of a recording shows."""
    meshes = [] if body is None else [body_mesh(body, frame.body_vertices)]
    mesh = garment_mesh(garment, frame.position)
    colour = with_open_seams(garment, frame.position, mesh.colour)
    return [*meshes, mesh if colour is mesh.colour else replace(mesh, colour=colour)]


# ---------------------------------------------------------------------------- the lit scene


@dataclass(frozen=True, eq=False, slots=True)
class LitScene:
    """All meshes and the floor in one list, with the light that does not depend on the camera."""

    vertices: Floats
    """[m], (n, 3)"""
    triangles: Ints
    normals: Floats
    """unit, (n, 3)"""
    ambient: Floats
    """light on the outer side, (n, 3)"""
    ambient_inside: Floats
    """light on the inner side of cloth, (n, 3)"""
    ambient_free: Floats
    """without anything in the way, (n, 3)"""
    inner: Ints
    """vertices of cloth, which has an inner side, (c,)"""
    colour: Floats32
    """(t, 3)"""
    cloth: Floats32
    """1 cloth, 0 skin, (t,)"""
    corner_uv: Floats32
    """(t, 3, 2)"""
    seam_height: Floats32
    """(t, 3)"""
    hem_height: Floats32
    """(t, 3)"""
    shadows: Shadower
    floor_start: int
    """first vertex of the floor"""
    floor_triangle: int
    """first triangle of the floor"""
    paint: Paint | None = None
    """colours of prints; None: each triangle has its colour"""
    studio: Studio = field(default_factory=Studio)


def _floor(low: Floats, high: Floats) -> tuple[Floats, Ints]:
    """Return a disc under the scene, fine in the middle where contact shadows are."""
    sectors = FLOOR_SECTORS
    middle = 0.5 * (low + high)
    reach = float(np.max((high - low)[[0, 2]])) * 0.5 + 0.1
    radius = np.concatenate([np.linspace(0.01, reach, 44), reach + 6.0 * np.linspace(0, 1, 26)[1:] ** 2])
    angle = np.arange(sectors) * (2 * np.pi / sectors)
    ring = np.stack([np.sin(angle), np.zeros(sectors), np.cos(angle)], axis=1)
    centre = np.array([middle[0], min(low[1], 0.0), middle[2]])
    points = (radius[:, None, None] * ring).reshape(-1, 3) + centre
    i = np.arange(len(points)).reshape(len(radius), sectors)
    a, b, c, d = i[:-1], i[1:], np.roll(i, -1, 1)[1:], np.roll(i, -1, 1)[:-1]
    quads = [np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)]
    hub = np.stack([np.full(sectors, 0), i[0], np.roll(i[0], -1)], -1)
    return points, np.concatenate([*quads, hub[1:-1]]).astype(np.int32)


def _sky(studio: Studio) -> tuple[Floats, Floats]:
    """Return directions and radiance of sky and floor glow."""
    directions = sphere_directions(studio.sky_count)
    height = directions[:, 1:2]
    zenith, horizon, ground = (
        np.array([0.74, 0.78, 0.86]),
        np.array([0.52, 0.52, 0.53]),
        np.array([0.34, 0.31, 0.28]),
    )
    upper = horizon + (zenith - horizon) * np.clip(height, 0, 1) ** 0.7
    return directions, np.where(height > 0, upper, ground)


def _normals(mesh: Mesh) -> Floats:
    return vertex_normals(mesh.vertices, mesh.triangles) if mesh.normals is None else mesh.normals


def light_scene(meshes: Sequence[Mesh], studio: Studio | None = None) -> LitScene:
    """Return the scene with its ambient light; cameras and the main light come later."""
    studio = studio or Studio()
    if not any(len(m.triangles) for m in meshes):
        raise ToileError("nothing to draw: the scene has no triangles")
    starts = np.cumsum([0, *(len(m.vertices) for m in meshes)])
    vertices = np.ascontiguousarray(np.concatenate([m.vertices for m in meshes]), dtype=np.float64)
    triangles = np.concatenate([m.triangles + s for m, s in zip(meshes, starts, strict=False)]).astype(
        np.int32
    )
    floor_points, floor_triangles = _floor(vertices.min(axis=0), vertices.max(axis=0))
    up = np.tile([0.0, 1.0, 0.0], (len(floor_points), 1))
    normals = np.concatenate([*(_normals(m) for m in meshes), up])
    points = np.concatenate([vertices, floor_points])
    thing = shadower(vertices, triangles)
    directions, radiance = _sky(studio)
    inner = _cloth_vertices(meshes, starts)
    both = np.concatenate([points, points[inner]]), np.concatenate([normals, -normals[inner]])
    light, free = ambient(thing, *both, directions, radiance)
    counts = [len(m.triangles) for m in meshes]
    return LitScene(
        vertices=points,
        triangles=np.concatenate([triangles, floor_triangles + len(vertices)]).astype(np.int32),
        normals=normals,
        ambient=light[: len(points)],
        ambient_inside=_spread(light[len(points) :] + INSIDE_GLOW, inner, len(points)),
        ambient_free=free[: len(points)],
        inner=inner,
        colour=np.concatenate([np.broadcast_to(m.colour, (len(m.triangles), 3)) for m in meshes]).astype(
            np.float32
        ),
        cloth=np.repeat([float(m.cloth) for m in meshes], counts).astype(np.float32),
        corner_uv=_per_corner([m.corner_uv for m in meshes], counts, 0.0, 2),
        seam_height=_per_corner([m.seam_height for m in meshes], counts, FAR),
        hem_height=_per_corner([m.hem_height for m in meshes], counts, FAR),
        shadows=thing,
        floor_start=len(vertices),
        floor_triangle=len(triangles),
        studio=studio,
    )


def _cloth_vertices(meshes: Sequence[Mesh], starts: Ints) -> Ints:
    """Return the vertices that have an inner side to be seen: those of cloth."""
    parts = [np.arange(s, s + len(m.vertices)) for m, s in zip(meshes, starts, strict=False) if m.cloth]
    return np.concatenate([np.zeros(0, np.int32), *parts]).astype(np.int32)


def _spread(values: Floats, index: Ints, count: int) -> Floats:
    """Return an array of count rows with the values at index, zero elsewhere."""
    wide = np.zeros((count, *values.shape[1:]))
    wide[index] = values
    return wide


def _per_corner(parts: list[Floats | None], counts: list[int], empty: float, *shape: int) -> Floats32:
    filled = [np.full((n, 3, *shape), empty) if p is None else p for p, n in zip(parts, counts, strict=True)]
    return np.concatenate(filled).astype(np.float32)


# ---------------------------------------------------------------------------- pixels


@dataclass(frozen=True, eq=False, slots=True)
class _KeyLight:
    direction: Floats
    """unit, towards the light, (3,)"""
    outside: Floats
    """share that reaches each vertex's outer side, (n, 1)"""
    inside: Floats
    """the same of its inner side, (n, 1)"""


def _key_light(scene: LitScene, camera: Camera) -> _KeyLight:
    """Return the main light, which stands beside the camera: the studio goes round with it."""
    studio = scene.studio
    right, _, back = camera.axes()
    level = np.array([back[0], 0.0, back[2]])
    level /= np.linalg.norm(level)
    turn, rise = np.radians(studio.key_angle), np.radians(studio.key_height)
    direction = np.cos(rise) * (np.cos(turn) * level + np.sin(turn) * right) + [0, np.sin(rise), 0]
    spread = cone_directions(direction, np.radians(studio.key_softness), studio.key_count)
    count, inner = len(scene.vertices), scene.inner
    points = np.concatenate([scene.vertices, scene.vertices[inner]])
    normals = np.concatenate([scene.normals, -scene.normals[inner]])
    share = key_share(scene.shadows, points, normals, spread)[:, None]
    return _KeyLight(direction, share[:count], _spread(share[count:], inner, count))


# shifts of the picture inside a pixel: the fractional parts of multiples of two badly approximable numbers
_SHIFT = np.array([0.7548776662466927, 0.5698402909980532])


def render(
    scene: LitScene, camera: Camera, width: int, height: int, *, backdrop: Floats32 | None = None
) -> Floats32:
    """Return a picture as sRGB values from 0 to 1, (height, width, 3); backdrop: linear, same size."""
    key = _key_light(scene, camera)
    points, inverse_w = camera.project(scene.vertices, width, height)
    things, floor = scene.triangles[: scene.floor_triangle], scene.triangles[scene.floor_triangle :]
    # the floor is smooth and behind everything: drawn once
    wall = _backdrop(scene.studio, width, height) if backdrop is None else backdrop
    seen = rasterise(points, floor, width, height, inverse_w=inverse_w)
    behind = wall.reshape(-1, 3).copy()
    # shadows fade at the sides, where the next view begins
    fade = np.clip(np.minimum(seen.pixel % width, width - 1 - seen.pixel % width) / (0.25 * width), 0, 1)
    behind[seen.pixel] *= 1 - (1 - _floor_shadow(scene, key, seen)) * (fade * fade * (3 - 2 * fade))[:, None]
    outside = _screen_area(points, things) < 0  # y is down: counter-clockwise is negative
    table = _vertex_table(scene, camera, key)
    seen = rasterise(points, things, width, height, inverse_w=inverse_w)
    picture = behind.copy()
    picture[seen.pixel] = tone(_thing_colour(scene, key, seen, table, outside))
    # inside a surface the picture is smooth; edges, seams and folds are looked at several times
    rough = np.flatnonzero(_rough_pixels(scene, seen))
    total = picture[rough]
    for sample in range(1, scene.studio.samples):
        shift = (0.5 + _SHIFT * sample) % 1.0 - 0.5
        moved = np.add(points, [shift[0], shift[1], 0.0])
        seen = rasterise(moved, things, width, height, inverse_w=inverse_w, only=rough)
        again = behind.copy()
        again[seen.pixel] = tone(_thing_colour(scene, key, seen, table, outside))
        total += again[rough]
    picture[rough] = total * np.float32(1 / scene.studio.samples)
    return to_srgb(picture.reshape(height, width, 3))


def _rough_pixels(scene: LitScene, seen: Visible) -> Bools:
    """Return where the picture may change within a pixel: at outlines, seams and hems, (h · w)."""
    label = np.where(seen.triangle >= 0, scene.cloth[np.maximum(seen.triangle, 0)], np.float32(-1))
    # depth is -1 / distance: a step of 1 % of the distance or 1 cm is an outline
    distance = np.where(seen.triangle >= 0, -1 / np.minimum(seen.depth, -1e-6), np.float32(1e3))
    rough = maximum_filter(distance, 3) - minimum_filter(distance, 3) > 0.01
    rough |= maximum_filter(label, 3) != minimum_filter(label, 3)
    flat = rough.reshape(-1)
    flat[seen.pixel[_lines(scene, seen, seen.hit) < 0.999]] = True
    grown: Bools = maximum_filter(rough, 3).reshape(-1)
    return grown


def _screen_area(points: Floats, triangles: Ints) -> Floats:
    a, b, c = (points[triangles[:, k], :2] for k in range(3))
    area: Floats = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    return area


def _backdrop(studio: Studio, width: int, height: int) -> Floats32:
    """Return a plain wall, a little darker towards the edges."""
    x = (np.arange(width, dtype=np.float32) + 0.5) / width * 2 - 1
    y = (np.arange(height, dtype=np.float32)[:, None] + 0.5) / height * 2 - 1
    fall = 1.0 - studio.vignette * (x * x * (width / height) + y * y)
    wall: Floats32 = (fall[..., None] * np.array(studio.background)).astype(np.float32)
    return wall


def _floor_shadow(scene: LitScene, key: _KeyLight, seen: Visible) -> Floats32:
    """Return light on the floor compared with an empty floor, (p, 3): the floor melts into the wall."""
    n = scene.floor_start
    strength = np.array(scene.studio.key) * max(key.direction[1], 0.0)
    got = scene.ambient[n:] + key.outside[n:] * strength
    ratio = np.clip(got / np.maximum(scene.ambient_free[n:] + strength, 1e-6), 0, 1)
    shadow = np.ones((len(scene.vertices), 3))
    shadow[n:] = 0.2 + 0.8 * _smooth_floor(ratio)
    return seen.mix(shadow)


def _smooth_floor(values: Floats) -> Floats:
    """Return values of the floor's rings and sectors without the steps of single lights."""
    rings = values.reshape(-1, FLOOR_SECTORS, values.shape[1])
    smooth: Floats = gaussian_filter(rings, (1.5, 1.5, 0), mode=("nearest", "wrap", "nearest"))
    return smooth.reshape(values.shape)


def _vertex_table(scene: LitScene, camera: Camera, key: _KeyLight) -> Floats32:
    """Return what is interpolated: normal, way from the eye, light on both sides, key shares, (n, 14)."""
    ray = scene.vertices - camera.eye
    parts = (scene.normals, ray, scene.ambient, scene.ambient_inside, key.outside, key.inside)
    return np.hstack(parts).astype(np.float32)


def _thing_colour(
    scene: LitScene, key: _KeyLight, seen: Visible, table: Floats32, outside: Bools
) -> Floats32:
    """Return the linear colour of each covered pixel, (p, 3)."""
    hit = seen.hit
    front = outside[hit][:, None]
    mixed = seen.mix(table)
    normal = _unit(mixed[:, :3]) * np.where(front, np.float32(1), np.float32(-1))
    view = -_unit(mixed[:, 3:6])
    cloth = scene.cloth[hit][:, None]
    light = np.where(front, mixed[:, 6:9], mixed[:, 9:12])
    share = np.where(front, mixed[:, 12:13], mixed[:, 13:14])
    plain = scene.colour[hit]
    printed = plain if scene.paint is None else scene.paint(_flat_place(scene, seen, hit), hit, plain)
    albedo = printed * _cloth_texture(scene, seen, hit)
    direction = key.direction.astype(np.float32)
    facing = np.clip(np.einsum("ij,ij->i", normal, view), 0, 1)[:, None]
    cosine = normal @ direction[:, None]
    # skin lets light round the edge of its shadow, warmer there
    wrap = (1 - cloth) * np.array([0.30, 0.16, 0.10], np.float32)
    main = np.clip((cosine + wrap) / (1 + wrap), 0, 1) * share * np.array(scene.studio.key, np.float32)
    colour = albedo * (light + main)
    colour += _shine(normal, view, direction, cloth) * (share * np.clip(cosine, 0, 1) + 0.15 * light)
    rim = (1 - facing) ** 3
    colour += rim * light * (0.12 * cloth * (0.3 + 0.7 * albedo) + 0.05 * (1 - cloth))
    bright: Floats32 = colour * np.float32(scene.studio.exposure)
    return bright


def _shine(normal: Floats32, view: Floats32, light: Floats32, cloth: Floats32) -> Floats32:
    """Return a broad highlight: faint on cloth, a little stronger on skin (Blinn 1977)."""
    half = _unit(view + light)
    cosine = np.clip(np.einsum("ij,ij->i", normal, half), 0, 1)[:, None]
    glow: Floats32 = cloth * np.float32(0.02) * cosine**8 + (1 - cloth) * np.float32(0.07) * cosine**24
    return glow


def _unit(vectors: Floats32) -> Floats32:
    length = np.sqrt(np.maximum(np.einsum("ij,ij->i", vectors, vectors), np.float32(1e-20)))
    unit: Floats32 = vectors / length[:, None]
    return unit


def _cloth_texture(scene: LitScene, seen: Visible, hit: Ints) -> Floats32:
    """Return the factor of weave, grain lines, seams and hems on the colour, (p, 1)."""
    factor = _lines(scene, seen, hit)
    if scene.studio.weave:
        wave = np.cos(_flat_place(scene, seen, hit) * np.float32(2 * np.pi / 0.006))
        factor = factor * (1 + np.float32(scene.studio.weave) * scene.cloth[hit] * wave[:, 0] * wave[:, 1])
    result: Floats32 = factor[:, None].astype(np.float32)
    return result


def _shares(seen: Visible) -> Floats32:
    """Return the shares of all three corners, (p, 3)."""
    w1, w2 = seen.weights[:, :1], seen.weights[:, 1:]
    return np.hstack([1 - w1 - w2, w1, w2])


def _flat_place(scene: LitScene, seen: Visible, hit: Ints) -> Floats32:
    """Return where in the flat pieces each pixel lies [m], (p, 2)."""
    place: Floats32 = np.einsum("pk,pkc->pc", _shares(seen), scene.corner_uv[hit])
    return place


def _lines(scene: LitScene, seen: Visible, hit: Ints) -> Floats32:
    """Return the factor of drawn lines: seams, hems and, when wanted, the grain, (p,)."""
    shares = _shares(seen)
    seam = np.min(shares * scene.seam_height[hit], axis=1)
    hem = np.min(shares * scene.hem_height[hit], axis=1)
    factor = 1.0 - 0.38 * np.clip(1.6 - seam / 0.0018, 0, 1) - 0.16 * np.clip(1.5 - hem / 0.0025, 0, 1)
    if scene.studio.grid:
        off = np.abs((_flat_place(scene, seen, hit) / scene.studio.grid + 0.5) % 1.0 - 0.5).min(axis=1)
        factor = factor * (1 - 0.45 * scene.cloth[hit] * (off * scene.studio.grid < 0.0015))
    result: Floats32 = factor.astype(np.float32)
    return result


# ---------------------------------------------------------------------------- whole pictures


def render_views(
    meshes: Sequence[Mesh],
    *,
    views: Sequence[str | float] = ("three_quarter",),
    width: int = 900,
    height: int = 1200,
    studio: Studio | None = None,
) -> Floats32:
    """Return several views of one scene side by side as sRGB from 0 to 1, (height, width, 3)."""
    if not views or not 16 <= width <= 16384 or not 16 <= height <= 16384:
        raise ToileError(f"a picture of {len(views)} views, {width} × {height} pixels cannot be drawn")
    scene = light_scene(meshes, studio)
    wall = _backdrop(scene.studio, width, height)
    cameras = frame_views(scene.vertices[: scene.floor_start], views, width, height)
    start, parts = 0, []
    for camera, columns in cameras:
        part = np.ascontiguousarray(wall[:, start : start + columns])
        parts.append(render(scene, camera, columns, height, backdrop=part))
        start += columns
    return np.concatenate(parts, axis=1)


def picture_of(
    recording: Replayable,
    path: str | os.PathLike[str],
    *,
    frame: int = -1,
    views: Sequence[str | float] = ("three_quarter", "back"),
    width: int | None = None,
    height: int = 1200,
    studio: Studio | None = None,
) -> None:
    """Write a PNG of one frame (the last by default) of a recording, from several sides."""
    source = source_of(recording)
    if len(source) == 0:
        raise ToileError("nothing to draw: the recording has no frames")
    chosen = source.frame(frame % len(source))
    meshes = frame_meshes(source.garment, source.body, chosen)
    wide = width or natural_width(np.concatenate([m.vertices for m in meshes]), views, height)
    write_png(path, render_views(meshes, views=views, width=wide, height=height, studio=studio))

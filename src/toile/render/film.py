"""Moving pictures of a recording: contact strip (PNG), GIF, MP4. The camera follows or goes round."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from PIL import GifImagePlugin, Image

from toile.core.container import replacing, replacing_path
from toile.core.errors import ToileError
from toile.core.records import Floats
from toile.geometry.raster import Floats32
from toile.render.camera import Camera, frame_views, view_angle
from toile.render.picture import Studio, as_bytes, frame_meshes, light_scene, render, write_png
from toile.store.clip import Clip, clip_of
from toile.store.record import Frame, Replayable, source_of

Progress = Callable[[int, int], None]

FILM_STUDIO = Studio(sky_count=40, key_count=10, samples=4)
"""quicker than a single picture: motion hides what is missing"""


@dataclass(frozen=True, slots=True)
class Shot:
    """How a recording is filmed."""

    view: str | float = "three_quarter"
    """name, or an angle round the person [degrees]"""
    width: int = 540
    height: int = 720
    """of the picture [px]"""
    follow: bool = True
    """the camera goes along with the person; False: it stands still and sees the whole way"""
    turns: float = 0.0
    """how often the camera goes round the person"""
    fps: float | None = None
    """pictures per second; None: as recorded, at most 25 in a GIF"""
    seconds: float = 4.0
    """length of the film when the recording does not move [s]"""


STRIP_SHOT, GIF_SHOT, FILM_SHOT = Shot(width=300, height=480), Shot(width=360, height=480), Shot()
"""the usual ones"""


def _points(frame: Frame) -> Floats:
    """Return some points of a frame, enough to frame it."""
    every = np.concatenate([frame.position, frame.body_vertices])
    return every[:: max(1, len(every) // 500)]


def _middle(frame: Frame) -> Floats:
    """Return the place on the floor that the camera follows."""
    points = frame.body_vertices if len(frame.body_vertices) else frame.position
    middle: Floats = points.mean(axis=0) * [1.0, 0.0, 1.0]
    return middle


class _Crew:
    """Knows where the camera stands for each frame: the distance never changes during a shot."""

    def __init__(self, clip: Clip, shot: Shot, cell: tuple[int, int]) -> None:
        self._shot, self._cell = shot, cell
        some = np.unique(np.linspace(0, len(clip.numbers) - 1, 16).round().astype(int))
        frames = [clip.source.frame(clip.numbers[i]) for i in some]
        offset = [_middle(f) if shot.follow else np.zeros(3) for f in frames]
        self._cloud = np.concatenate([_points(f) - o for f, o in zip(frames, offset, strict=True)])

    def camera(self, progress: float, frame: Frame) -> Camera:
        """Return the camera for one frame; progress: from 0 to 1 during the film."""
        turn = 360.0 * self._shot.turns * progress
        view: str | float = self._shot.view
        if self._shot.turns:
            view = float(np.degrees(view_angle(view))) + turn
        ((camera, _),) = frame_views(self._cloud, [view], *self._cell)
        move = _middle(frame) if self._shot.follow else np.zeros(3)
        return replace(camera, eye=camera.eye + move, target=camera.target + move)


def film(
    clip: Clip,
    shot: Shot,
    *,
    studio: Studio = FILM_STUDIO,
    indices: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> Iterator[Floats32]:
    """Yield rendered pictures (h, w, 3) of the clip's frames (or of some of them), one at a time."""
    if not 16 <= shot.width <= 8192 or not 16 <= shot.height <= 8192:
        raise ToileError(f"a film of {shot.width} × {shot.height} pixels cannot be drawn")
    crew = _Crew(clip, shot, (shot.width, shot.height))
    chosen = range(len(clip.numbers)) if indices is None else indices
    before = -1
    for done, index in enumerate(chosen):
        if index != before:
            frame = clip.source.frame(clip.numbers[index])
            scene = light_scene(frame_meshes(clip.source.garment, clip.source.body, frame), studio)
            before = index
        yield render(scene, crew.camera(done / len(chosen), frame), shot.width, shot.height)
        if progress is not None:
            progress(done + 1, len(chosen))


def _film_indices(clip: Clip, fps: float, seconds: float) -> list[int]:
    """Return the frames to show at that rate, nearest in time; a single frame is shown for some seconds."""
    if len(clip.numbers) == 1:
        return [0] * max(1, round(seconds * fps))
    length = clip.times[-1] + 1.0 / clip.fps
    wanted = np.arange(max(1, round(length * fps))) / fps
    near = np.clip(np.searchsorted(clip.times, wanted - 0.5 / clip.fps), 0, len(clip.times) - 1)
    return [int(i) for i in near]


# ---------------------------------------------------------------------------- files


def _plan(
    recording: Replayable, frames: Sequence[int] | None, shot: Shot | None, usual: Shot
) -> tuple[Clip, Shot]:
    """Return what is filmed and how: the camera goes round what does not move, unless a shot is given."""
    clip = clip_of(source_of(recording), frames)
    if shot is None:
        shot = replace(usual, turns=1.0, fps=12.0) if len(clip.numbers) == 1 else usual
    return clip, shot


def write_strip(
    recording: Replayable,
    path: str | os.PathLike[str],
    *,
    count: int = 8,
    columns: int | None = None,
    shot: Shot | None = None,
    studio: Studio | None = None,
    frames: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> None:
    """Write a PNG with some frames, evenly spread, side by side."""
    clip = clip_of(source_of(recording), frames)
    shot = shot or STRIP_SHOT
    indices = np.unique(np.linspace(0, len(clip.numbers) - 1, max(1, count)).round().astype(int)).tolist()
    plain = replace(studio or FILM_STUDIO, vignette=0.0)
    cells = list(film(clip, shot, studio=plain, indices=indices, progress=progress))
    wide = columns or min(len(cells), 8)
    blank = np.full_like(cells[0], cells[0][0, 0])
    cells += [blank] * (-len(cells) % wide)
    rows = [np.concatenate(cells[i : i + wide], axis=1) for i in range(0, len(cells), wide)]
    write_png(path, np.concatenate(rows, axis=0))


def write_gif(
    recording: Replayable,
    path: str | os.PathLike[str],
    *,
    shot: Shot | None = None,
    studio: Studio | None = None,
    frames: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> None:
    """Write an endless GIF; its colours come from the first picture, delays are hundredths of a second."""
    clip, shot = _plan(recording, frames, shot, GIF_SHOT)
    delay = max(2, round(100.0 / (shot.fps or min(clip.fps, 25.0))))
    indices = _film_indices(clip, 100.0 / delay, shot.seconds)
    pictures = film(clip, shot, studio=studio or FILM_STUDIO, indices=indices, progress=progress)
    palette: Image.Image | None = None
    with replacing(path) as file:
        for picture in pictures:
            image = Image.fromarray(as_bytes(picture))
            if palette is None:
                palette = image.quantize(255, method=Image.Quantize.MEDIANCUT)
                file.write(_gif_header(shot.width, shot.height, palette))
            flat = image.quantize(palette=palette, dither=Image.Dither.FLOYDSTEINBERG)
            file.write(b"\x21\xf9\x04\x00" + struct.pack("<H", delay) + b"\x00\x00")
            for block in GifImagePlugin.getdata(flat):
                file.write(block)
        file.write(b";")


def _gif_header(width: int, height: int, palette: Image.Image) -> bytes:
    """Return signature, size, 256 colours and the request to play for ever."""
    colours = bytes(palette.getpalette("RGB") or b"")[:768].ljust(768, b"\0")
    screen = struct.pack("<HHBBB", width, height, 0xF7, 0, 0)
    return b"GIF89a" + screen + colours + b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"


def write_mp4(
    recording: Replayable,
    path: str | os.PathLike[str],
    *,
    shot: Shot | None = None,
    studio: Studio | None = None,
    frames: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> None:
    """Write an H.264 film; needs the extra ``video`` (imageio-ffmpeg)."""
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise ToileError(f"cannot write {path}: MP4 needs the extra: pip install 'toile[video]'") from error
    clip, shot = _plan(recording, frames, shot, FILM_SHOT)
    # the encoder wants even sizes
    shot = replace(shot, width=shot.width + shot.width % 2, height=shot.height + shot.height % 2)
    fps = shot.fps or clip.fps
    indices = _film_indices(clip, fps, shot.seconds)
    pictures = film(clip, shot, studio=studio or FILM_STUDIO, indices=indices, progress=progress)
    with replacing_path(path) as part:
        encoder = imageio_ffmpeg.write_frames(
            os.fspath(part), (shot.width, shot.height), fps=fps, quality=8, macro_block_size=2,
            output_params=["-movflags", "+faststart"],
        )  # fmt: skip
        encoder.send(None)
        try:
            for picture in pictures:
                encoder.send(np.ascontiguousarray(as_bytes(picture)))
        except OSError as error:
            raise ToileError(f"cannot write {path}: the encoder stopped; is the disk full?") from error
        finally:
            encoder.close()
        # the encoder does not report a full disk: a film without its table of contents is incomplete
        if not part.is_file() or b"moov" not in part.read_bytes()[:1_000_000]:
            raise ToileError(f"cannot write {path}: the film was not finished; is the disk full?")

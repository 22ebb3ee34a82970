"""Strips, GIFs and films: size, number of pictures, motion, and a camera that keeps up."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from dressed_samples import recording
from toile.core.errors import ToileError
from toile.export.library import export
from toile.render.film import Shot, _film_indices, film, write_gif, write_mp4, write_strip
from toile.render.picture import Studio
from toile.store.clip import clip_of
from toile.store.record import Played

QUICK = Studio(sky_count=12, key_count=2, samples=1)
SMALL = Shot(width=48, height=64)


def test_strip_shows_frames_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    write_strip(recording(9), path, count=3, shot=SMALL, studio=QUICK)
    with Image.open(path) as image:
        assert image.size == (3 * 48, 64)
    write_strip(recording(9), path, count=5, columns=3, shot=SMALL, studio=QUICK)
    with Image.open(path) as image:
        assert image.size == (3 * 48, 2 * 64)


def test_gif_plays_for_ever_at_the_right_speed(tmp_path: Path) -> None:
    path = tmp_path / "a.gif"
    export(recording(6), path, shot=replace(SMALL, fps=10), studio=QUICK)
    with Image.open(path) as image:
        assert image.size == (48, 64)
        assert image.n_frames == 2  # 0.2 s at ten pictures a second
        assert image.info["duration"] == 100
        assert image.info["loop"] == 0
        pictures = []
        for n in range(image.n_frames):
            image.seek(n)
            pictures.append(np.asarray(image.convert("RGB")).astype(int))
    assert np.abs(pictures[0] - pictures[1]).max() > 20  # the tube swings
    red = pictures[0][..., 0] - pictures[0][..., 2] > 60
    assert red.any()


def test_following_camera_keeps_the_person_in_the_middle() -> None:
    take = recording(5)
    travel = np.arange(5.0)[:, None, None] * [2.0, 0, 1.0]
    away = replace(take, positions=take.positions[:1] + travel, body_vertices=take.body_vertices[:1] + travel)
    clip = clip_of(Played(away), None)
    first, last = (next(iter(film(clip, SMALL, studio=QUICK, indices=[i]))) for i in (0, 4))
    assert np.abs(first - last).mean() < 0.001
    still = replace(SMALL, follow=False)
    first, last = (next(iter(film(clip, still, studio=QUICK, indices=[i]))) for i in (0, 4))
    assert np.abs(first - last).mean() > 0.002


def test_turntable_shows_the_back() -> None:
    clip = clip_of(Played(recording(4)), None)
    shot = replace(SMALL, view="front", turns=1.0)
    front, back = (next(iter(film(clip, shot, studio=QUICK, indices=[i]))) for i in (0, 2))
    assert (front[..., 0] > 1.5 * front[..., 2]).mean() > 0.1
    assert (back[..., 2] > 1.5 * back[..., 0]).mean() > 0.1


def test_what_does_not_move_is_shown_from_all_sides(tmp_path: Path) -> None:
    path = tmp_path / "a.gif"
    shot = replace(SMALL, turns=1.0, fps=10, seconds=0.4, view="front")
    write_gif(recording(2), path, shot=shot, studio=QUICK)
    with Image.open(path) as image:
        assert image.n_frames == 4
        image.seek(2)
        back = np.asarray(image.convert("RGB")).astype(int)
    assert (back[..., 2] > 1.5 * back[..., 0]).mean() > 0.1


def test_frames_for_another_rate() -> None:
    clip = clip_of(Played(recording(30)), None)  # 1 s at 30
    assert clip.fps == 30
    assert _film_indices(clip, 30, 4) == list(range(30))
    assert _film_indices(clip, 15, 4) == list(range(0, 30, 2))
    assert len(_film_indices(clip, 60, 4)) == 60


def test_mp4(tmp_path: Path) -> None:
    reader = pytest.importorskip("imageio_ffmpeg", reason="imageio-ffmpeg is not installed (extra: video)")
    path = tmp_path / "a.mp4"
    write_mp4(recording(6), path, shot=replace(SMALL, width=49), studio=QUICK)
    frames = reader.read_frames(str(path))
    meta = next(frames)
    assert meta["size"] == (50, 64)
    assert meta["fps"] == 30
    assert len(list(frames)) == 6
    assert [p.name for p in tmp_path.iterdir()] == ["a.mp4"]


def test_impossible_sizes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ToileError, match="cannot be drawn"):
        write_gif(recording(2), tmp_path / "a.gif", shot=Shot(width=100_000))
    assert not list(tmp_path.iterdir())

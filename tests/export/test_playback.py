"""Recordings for the page: what is read again is what was recorded, and damage is refused."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from dressed_samples import recording
from toile.core.errors import ToileError
from toile.export.library import export
from toile.export.playback import spread
from toile.io.blocks import Block, Rounded, pack_blocks, unpack_blocks
from toile.store.record import Played


def written(tmp_path: Path, count: int = 25) -> list[Block]:
    export(recording(count), tmp_path / "look.play")
    return unpack_blocks((tmp_path / "look.play").read_bytes())


def cloth_of(blocks: list[Block]) -> np.ndarray:
    """Return the positions as the page decodes them: a slow reference."""
    parent = blocks[0].arrays["parent"]
    frames, before = [], np.zeros((len(parent), 3), np.int16)
    for block in blocks[1:]:
        for planes, origin in zip(block.arrays["cloth"], block.arrays["origin"], strict=True):
            folded = (planes[:3].astype(np.uint16) | planes[3:].astype(np.uint16) << 8).T
            step = (folded >> 1).astype(np.int16) ^ -(folded & 1).astype(np.int16)
            for i, above in enumerate(parent):
                if above >= 0:
                    step[i] += step[above]
            before = before + step
            frames.append((before + origin) * block.meta["step"])
    return np.stack(frames)


def test_what_is_read_is_what_was_recorded(tmp_path: Path) -> None:
    take = recording(25)
    order, _ = spread(take.garment)
    found = cloth_of(written(tmp_path))
    np.testing.assert_allclose(found, np.stack(take.positions)[:, order], atol=1.001e-4)


def test_the_body_is_moved_by_its_joints(tmp_path: Path) -> None:
    take = recording(25)
    blocks = written(tmp_path)
    head, frames = blocks[0].arrays, blocks[1:]
    turn = np.concatenate([b.arrays["turn"] for b in frames]).reshape(25, -1, 3, 3)
    move = np.concatenate([b.arrays["move"] for b in frames]).reshape(25, -1, 3)
    rest, weight = head["body.vertices"], head["body.weight"] / 65535
    for n in (0, 7, 24):
        each = np.einsum("vkab,vb->vka", turn[n][head["body.joint"]], rest) + move[n][head["body.joint"]]
        skin = np.einsum("vk,vka->va", weight, each)
        np.testing.assert_allclose(skin, take.body_vertices[n], atol=5e-4)


def test_triangles_wear_their_fabrics(tmp_path: Path) -> None:
    take = recording(3)
    head = written(tmp_path, 3)[0]
    parts = head.meta["parts"]
    assert [(p["name"], p["material"]["fabric"]) for p in parts] == [("tube", "red"), ("tube", "blue")]
    assert sum(p["count"] for p in parts) == len(take.garment.triangles)
    order, _ = spread(take.garment)
    seen = order[head.arrays["particle"][head.arrays["triangles"]]]
    assert sorted(map(tuple, seen)) == sorted(map(tuple, take.garment.triangles))


def test_the_first_frame_comes_by_itself_and_the_bytes_are_the_same_every_time(tmp_path: Path) -> None:
    blocks = written(tmp_path)
    assert [len(b.arrays["origin"]) for b in blocks[1:]] == [1, 10, 10, 4]
    first = (tmp_path / "look.play").read_bytes()
    written(tmp_path)
    assert (tmp_path / "look.play").read_bytes() == first


def test_many_frames_a_second_are_thinned_out(tmp_path: Path) -> None:
    take = recording(25)
    fast = Played(take)
    fast.time = lambda number: number / 120  # type: ignore[method-assign]
    export(fast, tmp_path / "fast.play")
    assert unpack_blocks((tmp_path / "fast.play").read_bytes())[0].meta["frames"] == 7


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.int32, np.float32, np.float64])
def test_arrays_keep_their_bits(kind: type) -> None:
    values = (np.random.default_rng(1).random((7, 3)) * 200 - 100 * (kind != np.uint8)).astype(kind)
    (block,) = unpack_blocks(pack_blocks([Block("TEST", {"x": values}, {"a": 1})]))
    np.testing.assert_array_equal(block.arrays["x"], values)
    assert (block.kind, block.meta) == ("TEST", {"a": 1})


def test_rounded_numbers_and_empty_arrays() -> None:
    values = np.random.default_rng(2).normal(size=(50, 2))
    arrays = {"x": Rounded(values, 0.01), "none": np.zeros((0, 3), np.int32)}
    (block,) = unpack_blocks(pack_blocks([Block("TEST", arrays)]))
    np.testing.assert_allclose(block.arrays["x"], values, atol=0.00501)
    assert block.arrays["none"].shape == (0, 3)
    with pytest.raises(ToileError, match="too large"):
        pack_blocks([Block("TEST", {"x": Rounded(values * 1e12, 0.01)})])


def test_damage_is_refused() -> None:
    good = gzip.decompress(pack_blocks([Block("TEST", {"x": np.arange(40, dtype=np.int32)})]))
    generator = np.random.default_rng(3)
    for bit in generator.choice(8 * len(good), 100, replace=False):
        bad = bytearray(good)
        bad[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ToileError):
            unpack_blocks(gzip.compress(bytes(bad)))
    for length in (0, 5, 12, 30, len(good) - 1):
        with pytest.raises(ToileError):
            unpack_blocks(gzip.compress(good[:length]))

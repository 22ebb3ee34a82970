"""Data sets: packed, read back by our own reader, pandas, DuckDB and zarr, described by a card."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import toile
from batch_samples import skirts
from toile.batches.arrays import arrays_of
from toile.batches.cell import place
from toile.batches.pack import pack
from toile.batches.run import Local, listed, run_batch
from toile.batches.store import FolderStore, open_store
from toile.core.errors import ToileError
from toile.core.records import Floats, Ints
from toile.geometry.triangles import signed_areas
from toile.jobs.describe import job_from_json, job_hash
from toile.store.record import RecordedFile

pytest.importorskip("pyarrow")
zarr = pytest.importorskip("zarr")


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> tuple[FolderStore, Path]:
    """Two skirts and a walk, packed with what failed its audit."""
    out, data = tmp_path_factory.mktemp("out"), tmp_path_factory.mktemp("data") / "set"
    walks = toile.grid(
        ["woman"], ["skirt"], motions=[{"named": "walk", "seconds": 0.2, "fps": 30}], edge_length=0.08,
        pictures={"views": ["front", 90], "width": 48, "height": 64},
    )  # fmt: skip
    store = FolderStore(out)
    run_batch([*skirts(2), *walks], store, Local(1))
    pack(store, data, failed=True)
    return store, data


def test_rows_hold_what_was_recorded(packed: tuple[FolderStore, Path]) -> None:
    store, folder = packed
    data = toile.load_dataset(folder)
    assert len(data) == 3
    for row, cell in zip(data, listed(store), strict=True):
        assert row["key"] == cell["key"]
        path = next(store.file(place(row["key"])).glob("*.toile"))
        with RecordedFile(path) as recorded:
            last = recorded.frame(len(recorded) - 1)
            np.testing.assert_array_equal(row["position"], last.position.astype(np.float32))
            np.testing.assert_array_equal(row["triangle"], recorded.garment.triangles)
            assert row["joint"].shape[1:] == (4, 4)
        assert data.body_triangles(row["body_mesh"]).max() < len(row["body_position"])
        assert row["measure_height"] == pytest.approx(1.68, abs=0.01)
    # the row's job makes its result again
    assert job_hash(job_from_json(json.loads(data[0]["job"]))) == data[0]["key"]


def test_strain_stress_and_distance_are_physical(packed: tuple[FolderStore, Path]) -> None:
    store, _ = packed
    path = next(store.file(place(listed(store)[0]["key"])).glob("*.toile"))
    with RecordedFile(path) as recorded:
        found = arrays_of(recorded)
        garment = recorded.garment
    fabric = garment.fabrics[0]
    assert np.abs(np.median(found["strain"][:, :2])) < 0.02
    # one fabric: stress is stiffness × strain
    wanted = found["strain"] * np.float32([fabric.stretch_weft, fabric.stretch_warp, fabric.shear])
    np.testing.assert_allclose(found["stress"], wanted, rtol=1e-4, atol=1e-2)
    near = found["skin_distance"][np.isfinite(found["skin_distance"])]
    assert len(near) > 20
    assert near.min() > -0.002
    assert (signed_areas(garment.uv, garment.triangles_uv) != 0).all()


def test_columns_labels_and_batches(packed: tuple[FolderStore, Path]) -> None:
    _, folder = packed
    data = toile.load_dataset(folder, columns=["garment", "position"], motion="")
    assert len(data) == 2
    assert set(data[0]) == {"garment", "position"}
    seen = [len(position) for batch in data.batches(1, seed=3) for position in batch["position"]]
    assert sorted(seen) == sorted(len(row["position"]) for row in data)
    orders = {tuple(k for k in toile.load_dataset(folder)._order(seed)) for seed in range(8)}
    assert len(orders) > 1
    with pytest.raises(ToileError, match="no column 'colour'"):
        toile.load_dataset(folder, columns=["colour"])
    with pytest.raises(ToileError, match="no data set"):
        toile.load_dataset(folder.parent)


def test_other_readers(packed: tuple[FolderStore, Path]) -> None:
    _, folder = packed
    pandas, duckdb = pytest.importorskip("pandas"), pytest.importorskip("duckdb")
    table = pandas.concat(pandas.read_parquet(path) for path in sorted(folder.glob("*.parquet")))
    assert list(table["garment"]) == ["skirt"] * 3
    assert table["position"].iloc[0].reshape(-1, 3).shape == (table["vertex_count"].iloc[0], 3)
    count, most = duckdb.sql(
        f"select count(*), max(audit_stretch_mean) from '{folder}/*.parquet'"
    ).fetchall()[0]
    assert count == 3
    assert 0 < most < 0.1


def test_frames_of_walks(packed: tuple[FolderStore, Path]) -> None:
    store, folder = packed
    data = toile.load_dataset(folder, motion="walk")
    frames = data.frames(data[0]["key"])
    path = next(store.file(place(data[0]["key"])).glob("*.toile"))
    with RecordedFile(path) as recorded:
        wanted = np.stack([recorded.frame(n).position for n in range(len(recorded))])
    np.testing.assert_array_equal(frames["position"][:], wanted.astype(np.float32))
    with pytest.raises(ToileError, match="no frames"):
        data.frames(toile.load_dataset(folder)[0]["key"])


def ray_through(camera: dict[str, Any], x: int, y: int) -> tuple[Floats, Floats]:
    """Return the camera's axes and the way through the middle of a pixel, one metre deep."""
    back = np.subtract(camera["eye"], camera["target"])
    back /= np.linalg.norm(back)
    right = np.cross([0.0, 1.0, 0.0], back)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(back, right), back])
    pixel = 2 * camera["half_height"] / camera["height"]
    across, up = (x + 0.5 - camera["width"] / 2) * pixel, (camera["height"] / 2 - y - 0.5) * pixel
    return axes, np.array([across, up, -1.0]) @ axes


def first_hit(points: Floats, triangles: Ints, eye: Floats, ray: Floats) -> tuple[int | None, float]:
    """Return the first triangle on a ray and how many times the ray it is away (Möller, Trumbore 1997)."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    across = np.cross(ray, c - a)
    volume = np.einsum("ij,ij->i", b - a, across)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.einsum("ij,ij->i", eye - a, across) / volume
        other = np.cross(eye - a, b - a)
        v = other @ ray / volume
        away = np.einsum("ij,ij->i", other, c - a) / volume
    away = np.where((u >= 0) & (v >= 0) & (u + v <= 1) & (away > 0), away, np.inf)
    nearest = int(np.argmin(away))
    return (nearest, float(away[nearest])) if np.isfinite(away[nearest]) else (None, 0.0)


def test_pictures_agree_pixel_by_pixel(packed: tuple[FolderStore, Path]) -> None:
    from io import BytesIO

    from PIL import Image

    _, folder = packed
    data = toile.load_dataset(folder, motion="walk")
    row = data[0]
    layers = {
        name: np.asarray(Image.open(BytesIO(row[f"picture_front{name}"])))
        for name in ("", "_depth", "_normal", "_label")
    }
    assert layers[""].shape == (64, 48, 3)
    empty = layers["_label"] == 0
    assert 0.2 < empty.mean() < 0.95
    assert (layers["_depth"][empty] == 0).all()
    assert (layers["_depth"][~empty] > 0).all()
    facts = json.loads(row["cameras"])
    eye = np.array(facts["cameras"]["front"]["eye"])
    # the nearest point of the person is as far as its depth says
    near = layers["_depth"][~empty].min() * facts["depth_unit"]
    away = np.linalg.norm(np.concatenate([row["position"], row["body_position"]]) - eye, axis=1).min()
    assert near == pytest.approx(away, abs=0.08)
    assert {"nothing", "body", "front", "back"} <= set(facts["labels"])
    assert set(np.unique(layers["_label"])) <= set(facts["labels"].values())
    # every pixel is what a ray through its middle meets first: its distance, its normal, its piece
    triangles = np.concatenate(
        [data.body_triangles(row["body_mesh"]), row["triangle"] + len(row["body_position"])]
    )
    points = np.concatenate([row["body_position"], row["position"]]).astype(float)
    piece = row["uv_panel"][row["triangle_uv"][:, 0]]
    names = [row["panel_names"][k] for k in piece]
    label = np.array(
        [facts["labels"]["body"]] * (len(triangles) - len(piece)) + [facts["labels"][n] for n in names]
    )
    camera, wrong, tried = facts["cameras"]["front"], 0, 0
    for y, x in np.argwhere(np.ones((64, 48)))[::7]:
        axes, ray = ray_through(camera, x, y)
        hit, depth = first_hit(points, triangles, eye, ray)
        tried += 1
        if hit is None:
            wrong += not empty[y, x]
            continue
        a, b, c = points[triangles[hit]]
        normal = np.cross(b - a, c - a) / np.linalg.norm(np.cross(b - a, c - a))
        normal = axes @ (normal if normal @ ray < 0 else -normal)
        seen = layers["_normal"][y, x] / 127.5 - 1.0
        wrong += not (
            layers["_label"][y, x] == label[hit]
            and abs(layers["_depth"][y, x] * facts["depth_unit"] - depth) < 2e-4
            and np.abs(seen - normal).max() < 0.012
        )
    assert tried > 400
    assert wrong == 0
    assert "picture_90deg" in row


def test_the_card_says_what_is_in_it(packed: tuple[FolderStore, Path]) -> None:
    store, folder = packed
    card = (folder / "README.md").read_text()
    assert "3 drapes" in card
    assert "- `position` (list<" in card
    assert "body_split" in card
    with pytest.raises(ToileError, match="holds a data set already"):
        pack(store, folder)
    with pytest.raises(ToileError, match="there is no batch"):
        pack(open_store(folder), folder.parent / "other")

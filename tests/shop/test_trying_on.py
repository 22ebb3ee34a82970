"""Outfits: sewn, followed, moved, shared, cancelled; a crash fails one job; jobs outlive the server."""

import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest

from shop_server import ShopServer, wait_for
from toile.io.blocks import unpack_blocks


@pytest.fixture(scope="module")
def dressed(server: ShopServer):
    with server.visitor() as visitor:
        yield visitor, visitor.until(visitor.try_on("shell-top"), "done", "failed")


def test_an_outfit_is_sewn_and_filmed(dressed) -> None:
    visitor, tryon = dressed
    assert tryon["work"]["state"] == "done", tryon["work"]["error"]
    files = {file["name"]: file for file in tryon["work"]["files"]}
    # what only the engine reads is not handed out
    assert {"sewing-1.play", "drape.play", "map.fit", "fit.json"} == files.keys()
    blocks = unpack_blocks(visitor.get(files["sewing-1.play"]["url"]).content)
    assert blocks[0].meta["frames"] == 100
    assert sum(len(block.arrays["cloth"]) for block in blocks[1:]) == 100
    assert visitor.get(files["drape.play"]["url"].replace("drape.play", "dressed.toile")).status_code == 404


def test_the_fit_is_told_in_words_and_figures(dressed) -> None:
    visitor, tryon = dressed
    fit = visitor.get(f"/api/tryons/{tryon['id']}/fit").json()
    assert {row["level"] for row in fit["ease"]} >= {"bust"}
    for row in fit["ease"]:
        assert row["ease"] == pytest.approx(row["garment"] - row["body"])
    data = visitor.get(fit["url"]).content
    length = int.from_bytes(data[:4], "little")
    head = json.loads(data[4 : 4 + length])
    values = np.frombuffer(data, np.uint8, head["count"], 4 + length)
    play = next(file["url"] for file in tryon["work"]["files"] if file["name"] == "drape.play")
    assert head["count"] == len(unpack_blocks(visitor.get(play).content)[0].arrays["parent"])
    assert values.max() > 0


def test_events_end_with_the_job(dressed) -> None:
    visitor, tryon = dressed
    work = tryon["work"]["id"]
    with visitor.stream("GET", f"/api/tryons/{tryon['id']}/works/{work}/events") as stream:
        lines = [line for line in stream.iter_lines() if line.startswith("data: ")]
    assert json.loads(lines[-1][6:])["state"] == "done"


def test_the_same_outfit_on_a_standard_body_is_there_at_once(server: ShopServer, dressed) -> None:
    with server.visitor() as other:
        again = other.try_on("shell-top")
        assert again["work"]["state"] == "done"
        assert {file["name"] for file in again["work"]["files"]} == {
            f["name"] for f in dressed[1]["work"]["files"]
        }


def test_a_link_shows_what_was_shared_and_nothing_else(server: ShopServer, dressed) -> None:
    visitor, tryon = dressed
    share = visitor.post(f"/api/tryons/{tryon['id']}/share", json={}).json()
    with server.visitor() as friend:
        seen = friend.get(f"/api/shared/{share['token']}").json()
        assert seen["measures"] is None
        assert seen["wear"][0]["garment_id"] == "shell-top"
        assert all(friend.get(file["url"]).status_code == 200 for file in seen["files"])
        assert friend.get(f"/api/tryons/{tryon['id']}").status_code == 404
        assert friend.get(tryon["work"]["files"][0]["url"]).status_code == 404
        assert friend.get(f"/api/shared/{'x' * 32}").status_code == 404
        assert visitor.delete(f"/api/tryons/{tryon['id']}/share").status_code == 200
        assert friend.get(f"/api/shared/{share['token']}").status_code == 404


def test_a_movement_is_recorded(dressed) -> None:
    visitor, tryon = dressed
    asked = {"act": "turn", "seconds": 0.5}
    work = visitor.post(f"/api/tryons/{tryon['id']}/motions", json=asked).json()
    path = f"/api/tryons/{tryon['id']}/works/{work['id']}"
    wait_for(lambda: visitor.get(path).json()["state"] == "done", 180.0)
    blocks = unpack_blocks(visitor.get(f"{path}/turn.play").content)
    assert blocks[0].meta["frames"] == 15
    assert blocks[0].meta["fps"] == 30


def test_a_scene_for_the_page_s_engine_begins_as_the_drape_ends(dressed) -> None:
    visitor, tryon = dressed
    work = visitor.post(f"/api/tryons/{tryon['id']}/motions", json={"act": "live"}).json()
    path = f"/api/tryons/{tryon['id']}/works/{work['id']}"
    done = wait_for(
        lambda: (found := visitor.get(path).json())["state"] in ("done", "failed") and found, 180.0
    )
    (file,) = done["files"]
    assert file["kind"] == "scene"
    head, scene, *motions = unpack_blocks(visitor.get(file["url"]).content)
    assert set(head.meta["motions"]) >= {"idle", "turn", "walk", "sit", "reach"}
    assert len(motions) == len(head.meta["motions"])
    # arms hang: the skin is narrower than in the pose of sewing
    vertices, skin = (
        np.asarray(scene.arrays[name]).reshape(-1, 3) for name in ("body.vertices", "start.skin")
    )
    assert np.ptp(skin[:, 0]) < 0.8 * np.ptp(vertices[:, 0])
    # the fit map says which of the scene's particles each of its values belongs to
    fit = visitor.get(f"/api/tryons/{tryon['id']}/fit").json()
    data = visitor.get(fit["url"]).content
    order = np.frombuffer(data[-4 * head.meta["particles"] :], "<u4")
    assert sorted(order) == list(range(head.meta["particles"]))


def test_a_job_is_cancelled_within_a_second(server: ShopServer) -> None:
    with server.visitor() as visitor:
        tryon = visitor.try_on("coat", "shirt")
        visitor.until(tryon, "running")
        before = set(server.workers())
        path = f"/api/tryons/{tryon['id']}/works/{tryon['work']['id']}"
        assert visitor.post(f"{path}/cancel").json()["state"] == "cancelled"
        wait_for(lambda: not before & set(server.workers()), 5.0)


@pytest.mark.shop
def test_a_crashed_worker_fails_one_job_and_no_more(server: ShopServer) -> None:
    with server.visitor() as visitor:
        first, second = visitor.try_on("coat", "shirt"), visitor.try_on("circle-skirt")
        visitor.until(first, "running")
        (worker,) = wait_for(server.workers)
        os.kill(worker, signal.SIGKILL)
        failed = visitor.until(first, "failed", "done")
        assert failed["work"]["state"] == "failed"
        assert "broke off" in failed["work"]["error"]
        assert visitor.until(second, "done", "failed")["work"]["state"] == "done"


@pytest.mark.shop
def test_jobs_outlive_the_server(tmp_path) -> None:
    server = ShopServer(tmp_path / "shop", "--workers", "1", "--rate", "0")
    try:
        server.ready()
        with server.visitor() as visitor:
            tryon, waiting = visitor.try_on("shell-top"), visitor.try_on("circle-skirt")
            visitor.until(tryon, "running")
            cookies, token = visitor.cookies, visitor.headers["X-CSRF-Token"]
        workers = wait_for(server.workers)
        server.kill()
        # nobody would take their results
        wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers), 10.0)
        server.start()
        with server.visitor() as visitor:
            visitor.cookies, visitor.headers["X-CSRF-Token"] = cookies, token
            for one in (tryon, waiting):
                assert visitor.until(one, "done", "failed")["work"]["state"] == "done"
        assert server.stop() == 0
    finally:
        server.close()

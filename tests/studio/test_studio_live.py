"""The studio over a real server, its own process for each session, and a real WebSocket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed

from studio_client import Page, Server, kill_session, page_of
from toile.io.blocks import unpack_blocks
from toile.pattern.library import write_pattern
from toile.studio.commands import AddDraft
from toile.studio.edits import apply
from toile.studio.project import Project

EDGE = 0.05


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = Server(tmp_path_factory.mktemp("studio"))
    yield made
    made.close()


@pytest.fixture
def page(server: Server) -> Iterator[Page]:
    with page_of(server) as made:
        yield made


@pytest.fixture(scope="module")
def skirt_page(server: Server) -> Iterator[Page]:
    """A page with a skirt on, that tests share: each begins with a reset."""
    with page_of(server) as made:
        dress_skirt(made)
        yield made


@pytest.fixture
def skirt(skirt_page: Page) -> Iterator[Page]:
    edits = skirt_page.told["project"]["undo"]
    assert edits == "add draft"
    skirt_page.do("reset")
    yield skirt_page
    while skirt_page.told["project"]["undo"] != "add draft":
        skirt_page.do("undo")
    skirt_page.do("unpin")
    skirt_page.do("let_go")
    skirt_page.do("move", on=False)


def dress_skirt(page: Page) -> None:
    page.do("set_mesh", edge_length=EDGE)
    page.do("add_draft", draft="skirt", style={"length": 0.55})
    page.sewn()


def hem(page: Page) -> float:
    return float(page.frame.position[:, 1].min())


def lowest(page: Page) -> int:
    return int(page.frame.position[:, 1].argmin())


def edges_named(page: Page, piece: str, word: str) -> list[int]:
    return [k for k, e in enumerate(page.pieces[0, piece]["edges"]) if word in e["name"]]


def test_the_first_messages_say_what_there_is(page: Page) -> None:
    hello = page.told["hello"]
    assert hello["protocol"] == 1
    assert {s["name"] for s in hello["solvers"]} >= {"xpbd", "verlet", "implicit", "spring", "follow"}
    quality = next(c for c in hello["solvers"][0]["controls"] if c["name"] == "quality")
    assert quality["choices"] == ["draft", "normal", "fine"]
    substep = next(c for c in hello["solvers"][0]["controls"] if c["name"] == "head_start")
    assert (substep["low"], substep["high"]) == (0.0, 0.5)
    assert all(c["unit"] == "m" for c in hello["measures"] if c["name"] != "weight")
    page.wait(lambda: page.body is not None and "status" in page.told)


def test_a_dragged_hem_lengthens_the_drape(skirt: Page) -> None:
    skirt.settle(60)
    before = hem(skirt)
    for _ in range(5):
        for piece in ("front", "back"):
            skirt.do(
                "move_edges", piece=piece, edges=edges_named(skirt, piece, "hem"), by=[0, -0.01], group="drag"
            )
    mesh = skirt.cloth[0][0]
    skirt.settle(90)
    assert before - hem(skirt) == pytest.approx(0.05, abs=0.005)
    skirt.do("undo")
    assert skirt.told["project"]["undo"] == "add draft"
    skirt.settle(90)
    assert hem(skirt) == pytest.approx(before, abs=0.005)
    assert mesh


def test_a_finer_mesh_hangs_where_the_old_one_hung(skirt: Page) -> None:
    skirt.settle(40)
    before, count = skirt.frame.position, len(skirt.frame.position)
    skirt.do("set_mesh", edge_length=0.035)
    skirt.seen()
    assert len(skirt.frame.position) > 1.3 * count
    np.testing.assert_allclose(
        [skirt.frame.position.min(axis=0), skirt.frame.position.max(axis=0)],
        [before.min(axis=0), before.max(axis=0)], atol=0.01,
    )  # fmt: skip
    skirt.settle(30)
    assert skirt.told["status"]["left"] == 0


def test_cloth_follows_the_hand_and_falls_when_let_go(skirt: Page) -> None:
    skirt.do("set_mesh", edge_length=0.025)
    skirt.settle(30)
    point = lowest(skirt)
    place = skirt.frame.position[point]
    to = place + np.array([0.0, 0.06, 0.03])
    skirt.do("grab", particle=point, to=to.tolist())
    skirt.settle(40)
    held = skirt.frame.position[point]
    assert np.linalg.norm(held - to) < 0.5 * np.linalg.norm(place - to)
    skirt.do("let_go")
    skirt.settle(90)
    # folds may lie otherwise, but it hangs as low as before
    assert abs(skirt.frame.position[point, 1] - place[1]) < 0.01


def test_pins_hold_against_the_wind(skirt: Page) -> None:
    skirt.settle(20)
    point = lowest(skirt)
    place = skirt.frame.position[point]
    skirt.do("pin", particles=[point])
    skirt.do("set_air", wind=[0.0, 0.0, 9.0])
    skirt.settle(40)
    np.testing.assert_allclose(skirt.frame.position[point], place, atol=0.004)
    moved = skirt.frame.position.mean(axis=0)
    skirt.do("unpin")
    skirt.settle(30)
    assert np.linalg.norm(skirt.frame.position[point] - place) > 0.01
    assert skirt.told["status"]["pinned"] in (0, 1)
    assert np.isfinite(moved).all()


def test_the_person_walks_and_the_cloth_goes_along(skirt: Page) -> None:
    skirt.settle(5)
    start = skirt.frame.position[:, 2].mean()
    skirt.do("move")
    skirt.settle(150)
    assert skirt.frame.position[:, 2].mean() > start + 0.8
    # the joints take rest vertices to where they are: those of the hips go as far as the skirt
    assert skirt.frame.joints[0, 2, 3] > 0.8
    skirt.do("seek", time=0.4)
    skirt.settle(2)
    assert abs(skirt.frame.position[:, 2].mean() - skirt.frame.joints[0, 2, 3]) < 0.3


def test_measures_change_the_body_and_the_skirt(skirt: Page) -> None:
    skirt.settle(10)
    number, hips = skirt.body[0], skirt.told["project"]["measures"]["hips"]
    skirt.do("set_person", sex="female", measures={"height": 1.68, "hips": 1.12})
    skirt.settle(30)
    assert skirt.body[0] > number
    assert skirt.told["project"]["measures"]["hips"] > hips + 0.05
    assert skirt.told["status"]["left"] == 0
    skirt.do("undo")


@pytest.mark.parametrize(
    ("solver", "collider"),
    [("verlet", "maps"), ("implicit", "bones"), ("spring", "ellipsoids"), ("follow", "surface")],
)
def test_methods_are_switched_while_it_runs(skirt: Page, solver: str, collider: str) -> None:
    skirt.settle(10)
    before = skirt.frame.position
    skirt.do("set_method", solver=solver, collider=collider)
    skirt.settle(1)
    # ellipsoids are the body only roughly: they push the cloth off
    assert np.abs(skirt.frame.position - before).max() < 0.05
    skirt.settle(5)
    assert np.isfinite(skirt.frame.position).all()
    skirt.do("set_fabric", fabric="denim")
    skirt.settle(2)
    assert skirt.told["project"]["garments"][0]["fabric"] == "denim"


def test_overlays_are_of_each_point(skirt: Page) -> None:
    for name in ("fit", "strain", "pressure", "contact", "penetration"):
        skirt.do("show", overlay=name)
        skirt.settle(1)
        assert skirt.frame.values is not None
        assert len(skirt.frame.values) == len(skirt.frame.position)
        if name == "contact":
            # the waistband lies on the skin, the hem hangs free
            band = skirt.frame.position[:, 1] > skirt.frame.position[:, 1].max() - 0.02
            assert skirt.frame.values[band].mean() > skirt.frame.values[~band].mean()
    skirt.do("show", overlay="none")


def test_two_methods_are_compared_in_step(skirt: Page) -> None:
    skirt.do("compare", solver="verlet")
    skirt.settle(20)
    skirt.wait(lambda: 1 in skirt.frames and skirt.frames[1].time == skirt.frame.time)
    assert np.abs(skirt.frames[1].position - skirt.frame.position).max() > 1e-3
    skirt.do("compare", on=False)


def test_a_bare_file_is_sewn_by_clicks(server: Server, page: Page, tmp_path: Path) -> None:
    pattern = apply(Project(), AddDraft(draft="circle_skirt", style={"length": 0.4})).garments[0].pattern
    bare = replace(
        pattern, seams=(), holds=(), panels=tuple(replace(p, placement=None) for p in pattern.panels)
    )
    write_pattern(bare, tmp_path / "bare.dxf")
    data = (tmp_path / "bare.dxf").read_bytes()
    where = f"{server.base}/studio/files/{page.session}/bare.dxf"
    assert httpx.put(where, content=data).json() == {"name": "bare.dxf", "bytes": len(data)}
    page.do("set_mesh", edge_length=EDGE)
    page.do("open", file="bare.dxf")
    assert page.told["project"]["garments"][0]["seams"] == []
    page.do("ask_proposal", garment=0)
    seams = page.told["proposal"]["seams"]
    assert len(seams) >= 2
    page.do("propose_seams", but=list(range(len(seams))))
    for seam in seams:
        page.do("sew", a=seam["a"], b=seam["b"])
    page.do("dress")
    page.sewn()
    page.do("move")
    page.settle(60)
    assert page.told["project"]["garments"][0]["warnings"] is not None
    assert np.ptp(page.frame.position[:, 1]) > 0.3


def test_experiments_run_with_any_method(page: Page) -> None:
    page.do("scene", name="hang_corner", cells=8)
    page.settle(60)
    assert np.ptp(page.frame.position[:, 1]) > 0.8
    page.do("set_method", solver="implicit")
    page.settle(10)
    assert np.ptp(page.frame.position[:, 1]) > 0.8
    page.do("scene", name="tablecloth", cells=10)
    page.settle(20)
    ball = page.frame.joints[0, :, 3]
    assert np.linalg.norm(page.frame.position - ball, axis=1).min() > 0.24
    page.do("set_method")
    page.do("scene", name="falling", cells=24)
    page.settle(80)
    assert page.frame.body == page.body[0]
    assert 0.8 < page.frame.position[:, 1].max() < 2.0
    page.do("scene", name="outfit")


def test_recorded_played_back_and_exported(server: Server, skirt: Page) -> None:
    skirt.do("move")
    skirt.do("record_frames", file="walked")
    skirt.settle(6)
    skirt.do("record_frames", on=False)
    skirt.wait(lambda: skirt.told.get("file_written", {}).get("name") == "walked.toile")
    last = skirt.frame.position
    where = f"{server.base}/studio/files/{skirt.session}/"
    data = httpx.get(where + "walked.toile").content
    skirt.do("replay", file="walked.toile", frame=6)
    skirt.wait(lambda: 0 in skirt.frames and skirt.frame.flags & 8)
    np.testing.assert_allclose(skirt.frame.position, last, atol=1e-4)
    skirt.wait(lambda: "recording" in skirt.told)
    assert skirt.told["recording"]["frames"] == 7
    skirt.do("replay", file="")
    skirt.do("export", format="glb", file="walked.toile")
    skirt.wait(lambda: skirt.told["file_written"]["kind"] == "export")
    assert httpx.get(server.base + skirt.told["file_written"]["url"]).content[:4] == b"glTF"
    assert len(data) > 10_000
    skirt.do("ask_script")
    assert "c.AddDraft(draft='skirt'" in skirt.told["script"]["text"]


def test_saved_killed_recovered_to_the_same_bits(server: Server) -> None:
    with page_of(server) as page:
        dress_skirt(page)
        page.do("move_edges", piece="front", edges=edges_named(page, "front", "hem"), by=[0, -0.02])
        page.settle(20)
        before = page.frame
        page.do("save", file="kept")
        page.do("set_name", name="after saving")
        session = page.session
        pieces = page.pieces
        kill_session(server, session)
        with pytest.raises(ConnectionClosed) as closed:
            page.wait(lambda: False)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4500
    with page_of(server, f"session={session}") as page:
        assert page.told["hello"]["recovered"]
        page.wait(lambda: "pieces" in page.told and page.pieces)
        assert page.told["project"]["name"] == "after saving"
        assert page.pieces == pieces
        page.do("undo")
        assert page.told["project"]["undo"] == "move edges"
        page.do("play", on=False)
        page.do("open", file="kept.studio")
        page.wait(lambda: 0 in page.frames and page.frame.time == before.time)
        np.testing.assert_array_equal(page.frame.position, before.position)


def test_sewing_is_seen_and_cancelled(page: Page) -> None:
    page.do("set_mesh", edge_length=0.02)
    page.do("add_draft", draft="dress")
    page.wait(lambda: 0 in page.frames and page.frame.flags & 2)
    page.do("cancel")
    page.wait(lambda: any("cancelled" in line for line in page.refusals))
    assert not page.told["status"]["sewn"]
    # the pieces are shown round the person instead
    page.wait(lambda: 0 in page.frames and not page.frame.flags & 2)


def test_no_more_than_four_frames_are_on_their_way(server: Server) -> None:
    with server.live() as socket:
        socket.send(json.dumps({"type": "scene", "name": "hang_edge", "cells": 6}))
        frames, quiet = [], 0
        while quiet < 4:
            message = socket.recv(30)
            if message[0] == 3:
                frames.append(int.from_bytes(message[8:12], "little"))
            # status goes on while no frame does
            quiet = quiet + 1 if len(frames) >= 4 and '"status"' in str(message) else 0
        assert len(frames) == 4
        socket.send(json.dumps({"type": "ack", "frame": frames[0]}))
        while socket.recv(5)[0] != 3:
            pass


def test_sessions_know_nothing_of_each_other(server: Server) -> None:
    with page_of(server) as one, page_of(server) as two:
        one.do("new_garment", name="mine")
        two.do("set_name", name="other")
        assert two.told["project"]["garments"] == []
        where = f"{server.base}/studio/files/"
        assert httpx.get(f"{where}{two.session}/..%2f{one.session}%2f.autosave.studio").status_code in (
            400,
            404,
        )
        assert httpx.get(f"{where}{one.session}/.autosave.studio").status_code == 400
        assert two.ask("open", file=f"../{one.session}/.autosave.studio")["type"] == "refused"
        assert two.ask("save", file="../x")["type"] == "refused"


def test_messages_that_make_no_sense_are_refused(page: Page) -> None:
    page.socket.send("{")
    page.wait(lambda: any("JSON" in line for line in page.refusals))
    assert page.ask("grab", particle=5)["type"] == "refused"
    assert page.ask("explode")["type"] == "refused"
    assert page.ask("set_name", name="still here")["type"] == "done"


def test_other_sites_are_turned_away(server: Server) -> None:
    with server.live(Origin="http://evil.example") as socket, pytest.raises(ConnectionClosed) as closed:
        socket.recv(5)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4403
    with server.live("session=" + "0" * 32) as socket, pytest.raises(ConnectionClosed) as closed:
        socket.recv(5)
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404
    answer = httpx.get(f"{server.base}/studio", headers={"Host": "evil.example"})
    assert "session" not in answer.text


def test_a_token_is_needed_elsewhere(tmp_path: Path) -> None:
    made = Server(tmp_path, host="0.0.0.0")
    try:
        token = made.address.partition("token=")[2]
        made.base = made.base.replace("0.0.0.0", "127.0.0.1")
        with made.live() as socket, pytest.raises(ConnectionClosed):
            socket.recv(5)
        with page_of(made, f"token={token}") as page:
            where = f"{made.base}/studio/files/{page.session}/x.txt"
            assert httpx.put(where, content=b"x").status_code == 403
            assert (
                httpx.put(where, content=b"x", headers={"Authorization": f"Bearer {token}"}).status_code
                == 200
            )
    finally:
        made.close()


def test_the_page_gets_a_scene_that_lives_by_itself(skirt: Page) -> None:
    skirt.do("ask_scene")
    skirt.wait(lambda: skirt.scene is not None)
    blocks = {block.kind: block for block in unpack_blocks(skirt.scene)}
    assert blocks["HEAD"].meta["content"] == "scene"
    arrays = {name: np.asarray(values) for name, values in blocks["SCEN"].arrays.items()}
    assert len(arrays["start.position"]) == len(skirt.frame.position)
    assert "MOTN" in blocks


def test_a_garment_that_is_added_while_another_is_sewn_is_sewn_too(page: Page) -> None:
    page.do("set_mesh", edge_length=EDGE)
    page.do("add_draft", draft="skirt")
    page.do("add_draft", draft="top")
    page.sewn()
    assert page.cloth[0][1].meta["garment_names"] == ["skirt", "top"]
    assert not page.refusals

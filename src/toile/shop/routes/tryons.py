"""Trying on: sewing, moving, looking at the fit, sharing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import StreamingResponse
from sqlalchemy import delete, insert, select
from starlette.concurrency import run_in_threadpool

from toile.shop.asking import Asker, Public, Visiting
from toile.shop.catalogue import CatalogueView
from toile.shop.forgetting import drop_outfits
from toile.shop.messages import (
    Done,
    FitMap,
    Id,
    MotionRequest,
    Share,
    Shared,
    ShareRequest,
    SizeAdvice,
    Slug,
    TryOn,
    TryOnList,
    TryOnRequest,
    Wear,
    Work,
)
from toile.shop.problems import RefusedError, missing
from toile.shop.queue import (
    BESIDE,
    KINDS,
    MOST_WAITING,
    SOON,
    Queue,
    add_job,
    cancel,
    file_messages,
    waiting_of,
    work_message,
)
from toile.shop.routes.bodies import BINARY, OCTETS
from toile.shop.schema import jobs, shares, tryons
from toile.shop.secrets_kept import new_token, token_hash
from toile.shop.shop import Shop, file_of, remove_unused
from toile.shop.sizes import advise
from toile.shop.tryons import chosen, dress_job, own_tryon, start_tryon, tryon_message

router = APIRouter(prefix="/api", tags=["try-on"])
FileName = Annotated[str, Path(pattern=r"^[a-z0-9-]{1,40}\.[a-z]{2,5}$")]
Token = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{20,64}$")]
EVENTS: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}
}
STREAM_EVERY = 0.05
TOLD_EVERY = 0.15
LONGEST_WATCH = 600.0


@router.get("/catalogue/{garment_id}/size", response_model=SizeAdvice, operation_id="getSizeAdvice")
def get_size(asker: Visiting, request: Request, garment_id: Slug, body_id: str | None = None) -> SizeAdvice:
    """Return which size of a garment we would take for a body, why, and how the others would be."""
    return advise(request.app.state, asker, garment_id, body_id or str(asker.row["body_id"]))


@router.get("/tryons", response_model=TryOnList, operation_id="getTryOns")
def get_tryons(asker: Visiting) -> TryOnList:
    """Return the visitor's latest outfits."""
    with asker.shop.reader.connect() as connection:
        mine = (
            select(tryons).where(tryons.c.visitor_id == asker.id).order_by(tryons.c.created.desc()).limit(50)
        )
        rows = connection.execute(mine).mappings().all()
        return TryOnList(items=[tryon_message(asker.shop, connection, row) for row in rows])


@router.post("/tryons", response_model=TryOn, status_code=202, operation_id="createTryOn")
def create_tryon(asker: Visiting, request: Request, wanted: TryOnRequest) -> TryOn:
    """Sew one or several garments, inner first, on a body; follow it by its events."""
    asker.may("work")
    view: CatalogueView = request.app.state.catalogue
    body_id = wanted.body_id or str(asker.row["body_id"])
    open_ = [one.garment_id for one in wanted.wear if one.size is None]
    sizes = {key: advise(request.app.state, asker, key, body_id).recommended for key in open_}
    wear = chosen(view, wanted.wear, sizes)
    tryon_id = start_tryon(asker.shop, view, asker.id, body_id, wear)
    _queue(request).wake()
    return _tryon(asker, tryon_id)


def _queue(request: Request) -> Queue:
    queue: Queue = request.app.state.queue
    return queue


def _tryon(asker: Asker, tryon_id: str) -> TryOn:
    with asker.shop.reader.connect() as connection:
        return tryon_message(asker.shop, connection, own_tryon(connection, asker.id, tryon_id))


@router.get("/tryons/{tryon_id}", response_model=TryOn, operation_id="getTryOn")
def get_tryon(asker: Visiting, tryon_id: Id) -> TryOn:
    """Return an outfit with what was made of it so far."""
    return _tryon(asker, tryon_id)


@router.delete("/tryons/{tryon_id}", response_model=Done, operation_id="deleteTryOn")
def delete_tryon(asker: Visiting, tryon_id: Id) -> Done:
    """Delete an outfit with all its files."""
    with asker.shop.engine.begin() as connection:
        own_tryon(connection, asker.id, tryon_id)
        hashes = drop_outfits(connection, [tryon_id])
    remove_unused(asker.shop, hashes)
    return Done()


@router.post("/tryons/{tryon_id}/motions", response_model=Work, status_code=202, operation_id="createMotion")
def create_motion(asker: Visiting, request: Request, tryon_id: Id, wanted: MotionRequest) -> Work:
    """Stand, turn, walk, sit or reach in what was put on; its recording streams while it is made."""
    asker.may("work")
    shop = asker.shop
    with shop.engine.begin() as connection:
        own_tryon(connection, asker.id, tryon_id)
        if dress_job(connection, tryon_id)["state"] != "done":
            raise RefusedError(409, "the outfit is not sewn yet")
        if waiting_of(connection, asker.id) >= MOST_WAITING:
            raise RefusedError(429, "so many of your outfits are still on their way: wait for one", wait=5.0)
        job_id = add_job(
            shop, connection, "move", wanted.model_dump(), visitor_id=asker.id, tryon_id=tryon_id,
            urgency=BESIDE if wanted.act == "live" else SOON,
        )  # fmt: skip
        row = connection.execute(select(jobs).where(jobs.c.id == job_id)).mappings().one()
        made = work_message(shop, connection, row, f"/api/tryons/{tryon_id}/works/{job_id}")
    _queue(request).wake()
    return made


@router.get("/tryons/{tryon_id}/works/{work_id}", response_model=Work, operation_id="getWork")
def get_work(asker: Visiting, tryon_id: Id, work_id: Id) -> Work:
    """Return how far a job is."""
    return _work(asker.shop, asker.id, tryon_id, work_id)


def _work(shop: Shop, visitor_id: str, tryon_id: str, work_id: str) -> Work:
    with shop.reader.connect() as connection:
        mine = (jobs.c.id == work_id, jobs.c.tryon_id == tryon_id, jobs.c.visitor_id == visitor_id)
        row = connection.execute(select(jobs).where(*mine)).mappings().first()
        if row is None:
            raise missing("job")
        return work_message(shop, connection, row, f"/api/tryons/{tryon_id}/works/{work_id}")


@router.post("/tryons/{tryon_id}/works/{work_id}/cancel", response_model=Work, operation_id="cancelWork")
def cancel_work(asker: Visiting, tryon_id: Id, work_id: Id) -> Work:
    """Stop a job; what is finished stays finished."""
    _work(asker.shop, asker.id, tryon_id, work_id)
    with asker.shop.engine.begin() as connection:
        cancel(asker.shop, connection, work_id)
    return _work(asker.shop, asker.id, tryon_id, work_id)


@router.get(
    "/tryons/{tryon_id}/works/{work_id}/events",
    operation_id="followWork",
    response_class=StreamingResponse,
    responses=EVENTS,
)
async def follow_work(asker: Visiting, tryon_id: Id, work_id: Id) -> StreamingResponse:
    """Tell how far a job is, as server-sent events named `work` with a Work message, until it ends."""
    first = await run_in_threadpool(_work, asker.shop, asker.id, tryon_id, work_id)

    async def events() -> AsyncIterator[str]:
        work, told, since = first, "", 0.0
        while True:
            text = work.model_dump_json()
            if text != told or since > 10.0:
                yield f"event: work\ndata: {text}\n\n"
                told, since = text, 0.0
            if work.state not in ("queued", "running"):
                return
            await asyncio.sleep(TOLD_EVERY)
            since += TOLD_EVERY
            try:
                work = await run_in_threadpool(_work, asker.shop, asker.id, tryon_id, work_id)
            except RefusedError:
                return

    return StreamingResponse(events(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


@router.get(
    "/tryons/{tryon_id}/works/{work_id}/{name}",
    operation_id="getWorkFile",
    response_class=Response,
    responses=BINARY,
)
def get_work_file(asker: Visiting, request: Request, tryon_id: Id, work_id: Id, name: FileName) -> Response:
    """Return a file of a job; a recording that is still being made comes as it grows."""
    work = _work(asker.shop, asker.id, tryon_id, work_id)
    folder = asker.shop.live.get(work_id)
    if work.state == "running" and folder is not None and name.endswith(".play"):
        return StreamingResponse(_growing(asker.shop, work_id, name), media_type=OCTETS)
    return _file(asker.shop, work_id, name)


def _file(shop: Shop, job_id: str, name: str) -> Response:
    ending = name[name.rfind(".") :]
    if ending not in KINDS or KINDS[ending][0] == "engine":
        raise missing("file")
    data = _kept(shop, job_id, name)
    if data is None:
        raise missing("file")
    return Response(data, media_type=KINDS[ending][1])


def _kept(shop: Shop, job_id: str, name: str) -> bytes | None:
    """Return a file of a job that has ended; None: it has none of that name."""
    with shop.reader.connect() as connection:
        row = file_of(connection, f"job:{job_id}", name)
    return None if row is None else shop.storage.get(row["hash"])


async def _growing(shop: Shop, work_id: str, name: str) -> AsyncIterator[bytes]:
    """Yield a file that a worker is writing, until the job ends."""
    handle = None
    try:
        while True:
            folder = shop.live.get(work_id)
            if handle is None and folder is not None and (folder / name).is_file():
                handle = open(folder / name, "rb")  # noqa: SIM115 - closed below
            data = handle.read() if handle is not None else b""
            if data:
                yield data
            elif folder is None:
                if handle is None and (whole := await run_in_threadpool(_kept, shop, work_id, name)):
                    # it ended between the question and the first look
                    yield whole
                return
            else:
                await asyncio.sleep(STREAM_EVERY)
    finally:
        if handle is not None:
            handle.close()


@router.get("/tryons/{tryon_id}/fit", response_model=FitMap, operation_id="getFit")
def get_fit(asker: Visiting, tryon_id: Id) -> FitMap:
    """Return how the outfit fits: ease in metres, legend, and where the map's values are."""
    with asker.shop.reader.connect() as connection:
        own_tryon(connection, asker.id, tryon_id)
        job_id = dress_job(connection, tryon_id)["id"]
    return _fit(asker.shop, job_id, f"/api/tryons/{tryon_id}/works/{job_id}/map.fit")


def _fit(shop: Shop, job_id: str, url: str) -> FitMap:
    with shop.reader.connect() as connection:
        row = file_of(connection, f"job:{job_id}", "fit.json")
    if row is None:
        raise missing("fit map: the outfit is not sewn")
    return FitMap(url=url, **json.loads(shop.storage.get(row["hash"])))


# ---------------------------------------------------------------------------- sharing


@router.post("/tryons/{tryon_id}/share", response_model=Share, status_code=201, operation_id="shareTryOn")
def share_tryon(asker: Visiting, request: Request, tryon_id: Id, wanted: ShareRequest) -> Share:
    """Make a link that shows this outfit to whoever has it, and nothing else."""
    shop, token, now = asker.shop, new_token(), asker.shop.now()
    with shop.engine.begin() as connection:
        own_tryon(connection, asker.id, tryon_id)
        connection.execute(
            insert(shares).values(
                token_hash=token_hash(token), tryon_id=tryon_id, visitor_id=asker.id, motions=wanted.motions,
                measures=wanted.body_measures, created=now,
            )
        )  # fmt: skip
    base = shop.settings.public.rstrip("/") or str(request.base_url).rstrip("/")
    return Share(token=token, url=f"{base}/shared/{token}", created=now)


@router.delete("/tryons/{tryon_id}/share", response_model=Done, operation_id="unshareTryOn")
def unshare_tryon(asker: Visiting, tryon_id: Id) -> Done:
    """Make all links to this outfit dead."""
    with asker.shop.engine.begin() as connection:
        own_tryon(connection, asker.id, tryon_id)
        connection.execute(delete(shares).where(shares.c.tryon_id == tryon_id))
    return Done()


@router.get("/shared/{token}", response_model=Shared, operation_id="getShared")
def get_shared(shop: Public, request: Request, token: Token) -> Shared:
    """Return what somebody shared."""
    view: CatalogueView = request.app.state.catalogue
    base = f"/api/shared/{token}"
    with shop.reader.connect() as connection:
        share, row, work = _shared(connection, token)
        shown = [file for job in work for file in file_messages(connection, job["id"], f"{base}/{job['id']}")]
        measures = None
        if share["measures"]:
            from toile.shop.routes.bodies import read_body

            measures = read_body(shop, row["visitor_id"], row["body_id"]).measures
    wear = [Wear(**one) for one in json.loads(row["wear"])]
    dressed = next(job["id"] for job in work if job["kind"] == "dress")
    try:
        fit = _fit(shop, dressed, f"{base}/{dressed}/map.fit")
    except RefusedError:
        fit = None
    garments = [one for key in {w.garment_id: 0 for w in wear} if (one := view.garment(key))]
    return Shared(wear=wear, garments=garments, files=shown, fit=fit, measures=measures)


def _shared(connection: Any, token: str) -> tuple[Any, Any, list[Any]]:
    """Return the share, its outfit, and those jobs whose results may be seen."""
    share = (
        connection.execute(select(shares).where(shares.c.token_hash == token_hash(token))).mappings().first()
    )
    if share is None:
        raise missing("shared outfit")
    row = connection.execute(select(tryons).where(tryons.c.id == share["tryon_id"])).mappings().one()
    work = connection.execute(
        select(jobs).where(jobs.c.tryon_id == row["id"]).order_by(jobs.c.created)
    ).mappings()
    return share, row, [job for job in work if job["kind"] == "dress" or share["motions"]]


@router.get(
    "/shared/{token}/{work_id}/{name}",
    operation_id="getSharedFile",
    response_class=Response,
    responses=BINARY,
)
def get_shared_file(shop: Public, token: Token, work_id: Id, name: FileName) -> Response:
    """Return a file of a shared outfit."""
    with shop.reader.connect() as connection:
        _, _, work = _shared(connection, token)
    if work_id not in {job["id"] for job in work}:
        raise missing("file")
    return _file(shop, work_id, name)

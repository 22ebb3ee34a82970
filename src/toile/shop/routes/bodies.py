"""Bodies: standard ones, from measures while a slider moves, from scans."""

from __future__ import annotations

import json
from queue import Empty
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from toile.shop.asking import Visiting
from toile.shop.bodies import (
    add_body,
    body_file,
    body_message,
    keep_folder,
    own_body,
    owner_of,
    ranges,
    standard_message,
    work_folder,
)
from toile.shop.forgetting import forget_body
from toile.shop.messages import Body, BodyAnswer, BodyId, BodyList, BodyRequest, Done, Question
from toile.shop.people import PEOPLE
from toile.shop.problems import RefusedError, missing
from toile.shop.schema import bodies
from toile.shop.shop import Shop, touch
from toile.shop.workers import Helpers, WorkerGoneError

router = APIRouter(prefix="/api/bodies", tags=["bodies"])
BINARY: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
}
OCTETS = "application/octet-stream"
LIVE_SECONDS, SCAN_SECONDS = 10.0, 120.0
UPLOAD_BODY = {
    "requestBody": {
        "required": True,
        "content": {OCTETS: {"schema": {"type": "string", "format": "binary"}}},
    }
}


def helped(
    request: Request, task: str, asked: dict[str, Any], data: bytes = b"", **options: Any
) -> tuple[Any, bytes]:
    """Return what a warm worker answers; the customer is told when all are busy."""
    helpers: Helpers = request.app.state.helpers
    try:
        with helpers.one(wait=10.0) as worker:
            return worker.run(task, asked, data, **options)
    except Empty:
        raise RefusedError(
            503, "many people are being measured right now: try again in a moment", wait=5.0
        ) from None
    except WorkerGoneError as error:
        raise RefusedError(
            422, "this could not be worked out within the time and memory that it may have"
        ) from error


@router.get("", response_model=BodyList, operation_id="getBodies")
def get_bodies(asker: Visiting) -> BodyList:
    """Return standard bodies, the visitor's own, and what sliders may offer."""
    shop = asker.shop
    with shop.reader.connect() as connection:
        standard = [one for name in PEOPLE if (one := standard_message(shop, connection, name))]
        mine = bodies.select().where(bodies.c.visitor_id == asker.id).order_by(bodies.c.created.desc())
        own = [body_message(row) for row in connection.execute(mine).mappings()]
    return BodyList(standard=standard, own=own, ranges=ranges())


@router.post("/preview", operation_id="previewBody", response_class=Response, responses=BINARY)
def preview_body(asker: Visiting, request: Request, wanted: BodyRequest) -> Response:
    """Return the vertices of a body from measures, nothing is kept: for the page while a slider moves.

    Binary: see docs/serve.md. The triangles are those of any standard body.
    """
    asker.may("live")
    asked = {"sex": wanted.sex, "age": wanted.age, "measures": dict(wanted.measures)}
    _, blob = helped(request, "body", asked, seconds=LIVE_SECONDS)
    return Response(blob, media_type=OCTETS)


@router.post("", response_model=Body, status_code=201, operation_id="createBody")
def create_body(asker: Visiting, request: Request, wanted: BodyRequest) -> Body:
    """Keep a body from measures."""
    asked = {"sex": wanted.sex, "age": wanted.age, "measures": dict(wanted.measures), "keep": True}
    with work_folder(asker.shop) as folder:
        found, _ = helped(request, "body", asked, folder=folder, seconds=LIVE_SECONDS)
        content = {"sex": wanted.sex, "questions": [], **found}
        body_id = add_body(asker.shop, asker.id, wanted.name, "measures", content, folder)
    return read_body(asker.shop, asker.id, body_id)


@router.post(
    "/scan", response_model=Body, status_code=201, operation_id="uploadScan", openapi_extra=UPLOAD_BODY
)
async def upload_scan(
    asker: Visiting,
    request: Request,
    name: Annotated[str, Query(max_length=80, pattern=r"^[^\x00-\x1f\x7f]*$")] = "My scan",
) -> Body:
    """Take a scan (OBJ, PLY, STL, GLB, VTP as the whole request body) and fit a body to it.

    What is doubtful comes back as questions; what is no complete person is refused with the reason. The scan
    itself is not kept.
    """
    from starlette.concurrency import run_in_threadpool

    asker.may("upload")
    data = await request.body()
    if not data:
        raise RefusedError(422, "the file is empty")
    return await run_in_threadpool(_scanned, asker.shop, asker.id, request, data, name.strip() or "My scan")


def _scanned(shop: Shop, visitor_id: str, request: Request, data: bytes, name: str) -> Body:
    with work_folder(shop) as folder:
        found = request.app.state.uploads.run("scan", {}, data, folder=folder, seconds=SCAN_SECONDS)
        body_id = add_body(shop, visitor_id, name, "scan", found, folder)
    return read_body(shop, visitor_id, body_id)


def read_body(shop: Shop, visitor_id: str, body_id: str) -> Body:
    """Return a body that the visitor may use; anybody else's is not there."""
    with shop.reader.connect() as connection:
        if body_id in PEOPLE:
            found = standard_message(shop, connection, body_id)
            if found is not None:
                return found
        elif (row := own_body(connection, visitor_id, body_id)) is not None:
            return body_message(row)
    raise missing("body")


@router.get("/{body_id}", response_model=Body, operation_id="getBody")
def get_body(asker: Visiting, body_id: BodyId) -> Body:
    """Return a body."""
    return read_body(asker.shop, asker.id, body_id)


@router.get("/{body_id}/vertices", operation_id="getBodyVertices", response_class=Response, responses=BINARY)
def get_vertices(asker: Visiting, body_id: BodyId) -> Response:
    """Return the vertices of a body in its rest pose (binary, see docs/serve.md)."""
    return Response(body_file(asker.shop, asker.id, body_id, "vertices.bin"), media_type=OCTETS)


@router.get("/{body_id}/mesh", operation_id="getBodyMesh", response_class=Response, responses=BINARY)
def get_mesh(asker: Visiting, body_id: BodyId) -> Response:
    """Return triangles, joints and weights of a body (binary, see docs/serve.md)."""
    return Response(body_file(asker.shop, asker.id, body_id, "mesh.bin"), media_type=OCTETS)


@router.patch("/{body_id}", response_model=Body, operation_id="answerBody")
def answer_body(asker: Visiting, request: Request, body_id: BodyId, answers: BodyAnswer) -> Body:
    """Name a body, or answer questions about it: a true height scales it."""
    shop = asker.shop
    with shop.reader.connect() as connection:
        row = own_body(connection, asker.id, body_id)
    if row is None:
        raise missing("body")
    content, names = json.loads(row["content"]), []
    answered = set(answers.confirmed) | ({"height"} if answers.height else set())
    content["questions"] = [
        Question(**{**q, "answered": q["answered"] or q["id"] in answered}).model_dump()
        for q in content["questions"]
    ]
    with work_folder(shop) as folder:
        if answers.height is not None:
            old = body_file(shop, asker.id, body_id, "body.toile")
            found, _ = helped(request, "rescale", {"height": answers.height}, old, folder=folder)
            names = found.pop("files")
            content |= found
        values = {"content": json.dumps(content)} | ({"name": answers.name} if answers.name else {})
        with shop.engine.begin() as connection:
            if own_body(connection, asker.id, body_id) is None:
                raise missing("body")
            touch(connection, bodies, body_id, values)
            keep_folder(shop, connection, owner_of(body_id), folder, names, asker.id)
    return read_body(shop, asker.id, body_id)


@router.delete("/{body_id}", response_model=Done, operation_id="deleteBody")
def delete_body(asker: Visiting, body_id: BodyId) -> Done:
    """Delete a body with all outfits on it: gone from database and disk."""
    if not forget_body(asker.shop, asker.id, body_id):
        raise missing("body")
    return Done()

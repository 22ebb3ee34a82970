"""Bodies in the database: standard ones, which everybody may use, and visitors' own."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

from sqlalchemy import Connection, func, insert, select
from sqlalchemy.engine import RowMapping

import toile
from toile.body.model.check_measures import HUMAN
from toile.shop.messages import Body, MeasureName, MeasureRange, Question
from toile.shop.people import NAMES, PEOPLE
from toile.shop.problems import RefusedError, missing
from toile.shop.schema import bodies
from toile.shop.secrets_kept import new_id
from toile.shop.shop import Shop, file_of, keep_file

FIRST = ("height", "bust", "waist", "hips", "inseam", "arm_length")
"""measures that are asked first"""
MOST_BODIES = 20
TYPES = {".bin": "application/octet-stream", ".toile": "application/octet-stream", ".png": "image/png"}


def ranges() -> list[MeasureRange]:
    """Return what sliders may offer."""
    return [
        MeasureRange(name=name, low=HUMAN[name][0], high=HUMAN[name][1], first=name in FIRST)
        for name in sorted(
            get_args(MeasureName), key=lambda n: (n not in FIRST, FIRST.index(n) if n in FIRST else 0)
        )
    ]


def owner_of(body_id: str) -> str:
    """Return under which name the files of a body are kept."""
    # standard bodies change with the program
    return f"standard:{body_id}:{toile.__version__}" if body_id in PEOPLE else f"body:{body_id}"


def may_use_body(shop: Shop, visitor_id: str, body_id: str) -> bool:
    """Say whether a body is a standard one, or the visitor's own."""
    if body_id in PEOPLE:
        return True
    with shop.reader.connect() as connection:
        return own_body(connection, visitor_id, body_id) is not None


def own_body(connection: Connection, visitor_id: str, body_id: str) -> RowMapping | None:
    """Return the row of a visitor's body; somebody else's is not there."""
    asked = select(bodies).where(bodies.c.id == body_id, bodies.c.visitor_id == visitor_id)
    return connection.execute(asked).mappings().first()


def body_message(row: RowMapping) -> Body:
    """Return an own body as the pages see it."""
    content = json.loads(row["content"])
    return Body(
        id=row["id"], name=row["name"], kind=row["kind"], sex=content["sex"], measures=content["measures"],
        questions=[Question(**question) for question in content["questions"]], notes=content["notes"],
        created=row["created"], vertices_url=f"/api/bodies/{row['id']}/vertices",
        mesh_url=f"/api/bodies/{row['id']}/mesh",
    )  # fmt: skip


def standard_message(shop: Shop, connection: Connection, name: str) -> Body | None:
    """Return a standard body as the pages see it; None: it was not made yet."""
    row = file_of(connection, owner_of(name), "about.json")
    if row is None:
        return None
    about = json.loads(shop.storage.get(row["hash"]))
    return Body(
        id=name,
        name=NAMES[name],
        kind="standard",
        sex=about["sex"],
        measures=about["measures"],
        questions=[],
        notes=[],
        created=0.0,
        vertices_url=f"/api/bodies/{name}/vertices",
        mesh_url=f"/api/bodies/{name}/mesh",
    )


def keep_folder(
    shop: Shop, connection: Connection, owner: str, folder: Path, names: list[str], visitor_id: str | None
) -> None:
    """Keep files that a worker wrote."""
    for name in names:
        data = (folder / Path(name).name).read_bytes()
        keep_file(shop, connection, owner, name, data, TYPES[Path(name).suffix], visitor_id=visitor_id)


def add_body(shop: Shop, visitor_id: str, name: str, kind: str, content: dict[str, Any], folder: Path) -> str:
    """Keep a body that a worker made; return its id."""
    body_id = new_id()
    names = content.pop("files")
    with shop.engine.begin() as connection:
        count = select(func.count()).select_from(bodies).where(bodies.c.visitor_id == visitor_id)
        if connection.execute(count).scalar_one() >= MOST_BODIES:
            raise RefusedError(409, f"you have {MOST_BODIES} bodies: delete one first")
        connection.execute(
            insert(bodies).values(
                id=body_id,
                visitor_id=visitor_id,
                name=name,
                kind=kind,
                created=shop.now(),
                content=json.dumps(content),
            )
        )
        keep_folder(shop, connection, owner_of(body_id), folder, names, visitor_id)
    return body_id


def body_file(shop: Shop, visitor_id: str, body_id: str, name: str) -> bytes:
    """Return a file of a body that the visitor may use."""
    with shop.reader.connect() as connection:
        if body_id not in PEOPLE and own_body(connection, visitor_id, body_id) is None:
            raise missing("body")
        row = file_of(connection, owner_of(body_id), name)
    if row is None:
        if body_id in PEOPLE:
            raise RefusedError(503, "this body is still being made: try again in a second", wait=1.0)
        raise missing("body")
    return shop.storage.get(row["hash"])


@contextmanager
def work_folder(shop: Shop) -> Iterator[Path]:
    """Yield an empty folder for a worker, removed afterwards."""
    folder = Path(tempfile.mkdtemp(dir=shop.settings.folder / "incoming"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)

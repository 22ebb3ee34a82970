"""What there is to try on."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Request, Response

from toile.shop.asking import Public, address_of, shop_of, take
from toile.shop.catalogue import CatalogueView, Wanted
from toile.shop.messages import Catalogue, Garment, Slug
from toile.shop.problems import missing
from toile.shop.schema import files, pictures

router = APIRouter(prefix="/api", tags=["catalogue"])
FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}
Word = Annotated[str, Query(max_length=64, pattern=r"^[^\x00-\x1f\x7f]*$")]


@router.get("/catalogue", response_model=Catalogue, operation_id="getCatalogue")
async def get_catalogue(
    request: Request,
    kind: Word = "",
    sex: Literal["", "female", "male"] = "",
    colour: Word = "",
    size: Word = "",
    fabric: Word = "",
    low: Annotated[int, Query(ge=0, le=100_000_00)] = 0,
    high: Annotated[int, Query(ge=0, le=100_000_00)] = 0,
    text: Word = "",
    order: Literal["shop", "price", "price_down"] = "shop",
) -> Response:
    """Return the garments that pass the filters, with pictures, and what there is to filter by."""
    take(shop_of(request), "read", address_of(request))
    view: CatalogueView = request.app.state.catalogue
    wanted = Wanted(kind, sex, colour, size, fabric, low, high, text, order)
    return Response(view.answer(wanted), media_type="application/json")


@router.get("/catalogue/{garment_id}", response_model=Garment, operation_id="getGarment")
def get_garment(shop: Public, request: Request, garment_id: Slug) -> Garment:
    """Return one garment."""
    view: CatalogueView = request.app.state.catalogue
    found = view.garment(garment_id)
    if found is None:
        raise missing("garment")
    return found


@router.get(
    "/pictures/{name}", operation_id="getPicture", response_class=Response,
    responses={200: {"content": {"image/jpeg": {"schema": {"type": "string", "format": "binary"}}}}},
)  # fmt: skip
def get_picture(shop: Public, name: Annotated[str, Path(pattern=r"^[0-9a-f]{64}\.(jpg|png)$")]) -> Response:
    """Return a picture of the catalogue, or a texture; its name is its content, so it never changes."""
    digest, _, ending = name.partition(".")
    with shop.reader.connect() as connection:
        known = connection.execute(pictures.select().where(pictures.c.hash == digest).limit(1)).first()
        public = (files.c.hash == digest, files.c.owner.like("texture:%"))
        known = known or connection.execute(files.select().where(*public).limit(1)).first()
    if known is None:
        raise missing("picture")
    kind = "image/jpeg" if ending == "jpg" else "image/png"
    return Response(shop.storage.get(digest), media_type=kind, headers=FOREVER)

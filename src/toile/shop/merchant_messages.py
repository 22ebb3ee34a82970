"""What travels between the shop and its merchant (see messages.py)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from toile.shop.messages import (
    ColourWay,
    Garment,
    Hash,
    Id,
    Message,
    Name,
    Note,
    Order,
    Size,
    Slug,
    Text,
    Work,
)

Address = Annotated[str, StringConstraints(max_length=500, pattern=r"^https?://[^\s\x00-\x1f]+$")]
Price = Annotated[int, Field(ge=0, le=100_000_00)]
Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]
EventKind = Literal["order.created", "test"]


class PieceOutline(Message):
    """A flat piece, for being drawn."""

    name: str
    points: list[tuple[float, float]]
    """round the piece [m]"""
    edges: list[list[int]]
    """per edge the points along it"""
    place: str
    """where on the body it belongs, in words; empty: not known"""


class EdgeSpot(Message):
    """One edge of a piece."""

    piece: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    edge: Annotated[int, Field(ge=0, le=10_000)]
    backward: bool = False
    """sewn from its end to its start"""


class SeamProposal(Message):
    """What is sewn to what."""

    a: list[EdgeSpot] = Field(min_length=1, max_length=50)
    b: list[EdgeSpot] = Field(min_length=1, max_length=50)
    reason: Text = ""
    """why we think so; seams of the file have none"""
    sure: Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)] = 1.0
    confirmed: bool = False


class PatternDraft(Message):
    """An uploaded pattern before it is a garment."""

    id: Id
    file: str
    pieces: list[PieceOutline]
    seams: list[SeamProposal]
    sizes: list[str]
    """those that the file holds; empty: it is graded to ours"""
    notes: list[str]
    """what had to be assumed"""
    problems: list[str]
    """what keeps it from being sewn, in words"""


class NewGarment(Message):
    """A garment to be sold."""

    id: Slug
    name: Name
    text: Note = ""
    kind: Slug
    layer: Annotated[int, Field(ge=1, le=3)] = 2
    fabric: Slug
    price: Price
    currency: Currency = "EUR"
    sizes: list[Size] = Field(min_length=1, max_length=30)
    colours: list[ColourWay] = Field(min_length=1, max_length=30)
    sex: Literal["female", "male", "all"] = "female"
    pattern: Id | None = None
    """an uploaded pattern; None: a draft of ours, named by recipe"""
    seams: list[SeamProposal] = Field(default_factory=list, max_length=500)
    """all that are to be sewn, as confirmed; empty: those of the file"""
    recipe: Annotated[str, StringConstraints(max_length=300, pattern=r"^[\x20-\x7e]*$")] = ""
    """such as: skirt length=0.55"""


class GarmentChange(Message):
    """What may be changed of a garment."""

    name: Name | None = None
    text: Note | None = None
    price: Price | None = None
    fabric: Slug | None = None
    colours: list[ColourWay] | None = Field(default=None, min_length=1, max_length=30)
    sizes: list[Size] | None = Field(default=None, min_length=1, max_length=30)
    published: bool | None = None


class MerchantGarment(Message):
    """A garment as its merchant sees it."""

    garment: Garment
    published: bool
    pattern: Id | None
    recipe: str
    drapes: list[DrapePicture]


class DrapePicture(Message):
    """How a garment came out on one body."""

    body: str
    state: Literal["waiting", "done", "failed"]
    problems: list[str]
    """what the audit or the sewing found, in words"""
    url: str | None


class MerchantGarments(Message):
    """All garments, also those that are not published."""

    items: list[MerchantGarment]


class TextureImage(Message):
    """An image that was uploaded for prints."""

    hash: Hash
    url: str
    width: int
    height: int


class MerchantOrder(Message):
    """An order with the customer's address."""

    order: Order
    name: str
    email: str
    address: str
    note: str


class MerchantOrders(Message):
    """Orders, latest first."""

    items: list[MerchantOrder]


class NewWebhook(Message):
    """Where orders are told."""

    url: Address


class Webhook(Message):
    """A receiver; its secret is told once, when it is made."""

    id: Id
    url: str
    created: float
    active: bool
    secret: str | None = None


class Attempt(Message):
    """One try to deliver."""

    at: float
    status: int | None
    """of HTTP; None: nobody answered"""
    error: str
    seconds: float


class Delivery(Message):
    """One event for one receiver: sent again until it is acknowledged with 2xx."""

    id: Id
    webhook_id: Id
    event: EventKind
    order: str | None
    state: Literal["waiting", "acknowledged"]
    attempts: list[Attempt]
    next_at: float | None


class Webhooks(Message):
    """All receivers."""

    items: list[Webhook]


class Deliveries(Message):
    """Events, latest first."""

    items: list[Delivery]


class MerchantPictures(Message):
    """Jobs that render catalogue pictures."""

    work: list[Work]


class Imported(Message):
    """What an import brought."""

    added: int
    replaced: int
    notes: list[str]


MerchantGarment.model_rebuild()

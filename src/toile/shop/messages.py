"""What travels between the shop and its pages: the one description, from which OpenAPI and types are made.

Lengths in metres, weights in kg, prices in the smallest coin (cents), times in seconds since 1970 (UTC).
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Id = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
"""128 random bits"""
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
Text = Annotated[
    str, StringConstraints(max_length=200, strip_whitespace=True, pattern=r"^[^\x00-\x1f\x7f]*$")
]
Name = Annotated[
    str, StringConstraints(min_length=1, max_length=80, strip_whitespace=True, pattern=r"^[^\x00-\x1f\x7f]*$")
]
Note = Annotated[
    str, StringConstraints(max_length=2000, strip_whitespace=True, pattern=r"^[^\x00-\x08\x0b-\x1f\x7f]*$")
]
Colour = Annotated[str, StringConstraints(pattern=r"^#[0-9a-f]{6}$")]
"""sRGB, #rrggbb"""
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Size = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9/ .-]{1,12}$")]
BodyId = Annotated[str, StringConstraints(pattern=r"^([0-9a-f]{32}|[a-z][a-z0-9-]{0,31})$")]
"""own bodies have 128 random bits, standard ones a word"""
State = Literal["queued", "running", "done", "failed", "cancelled"]
Act = Literal["stand", "turn", "walk", "sit", "reach", "live"]
"""live: all of them as a scene that the page's own engine computes"""


class Message(BaseModel):
    """Every message: unknown fields are refused, so that a slip is told and not passed over."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Problem(Message):
    """Why something was not done."""

    error: str
    """one sentence for a person"""
    code: str
    """short word for programs: not_found, bad_input, too_many, forbidden …"""
    place: str = ""
    """field, piece or seam that it is about"""


class Done(Message):
    """It was done, and there is nothing more to say."""

    ok: Literal[True] = True


# ---------------------------------------------------------------------------- visitors


class Visitor(Message):
    """Who is asking; the cookie that names them is not readable by scripts."""

    csrf: str
    """to be sent back as X-CSRF-Token with everything that changes something"""
    units: Literal["cm", "inch"]
    language: Literal["en", "de"]
    body_id: BodyId
    """the body that clothes are tried on"""
    retention_days: float
    """what is theirs is deleted when they have not come back for so long"""
    deleted_at: float
    """when that will be, if they do not come back"""


class VisitorChange(Message):
    """What a visitor may set."""

    units: Literal["cm", "inch"] | None = None
    language: Literal["en", "de"] | None = None
    body_id: BodyId | None = None


# ---------------------------------------------------------------------------- bodies

MeasureName = Literal[
    "height", "neck", "shoulder_width", "bust", "underbust", "waist", "hips", "thigh", "calf", "upper_arm",
    "wrist", "arm_length", "inseam", "back_length", "weight",
]  # fmt: skip
Measure = Annotated[float, Field(ge=0.05, le=400.0, allow_inf_nan=False)]


class BodyRequest(Message):
    """A body from measures; what is not given is inferred from what is."""

    sex: Literal["female", "male"]
    age: Annotated[float, Field(ge=18, le=90, allow_inf_nan=False)] | None = None
    measures: dict[MeasureName, Measure] = Field(default_factory=dict)
    """metres; weight in kg"""
    name: Name = "My body"


class MeasureRange(Message):
    """What a slider may offer."""

    name: MeasureName
    low: float
    high: float
    first: bool
    """one of the six that are asked first"""


class Question(Message):
    """Something doubtful that only the visitor knows."""

    id: Slug
    """height, up, front, unit …"""
    text: str
    """in words, such as: Is this person 172 cm tall?"""
    value: float | None = None
    """the figure in doubt, if it is one [m]"""
    answered: bool = False


class Body(Message):
    """A body that clothes can be tried on."""

    id: BodyId
    name: str
    kind: Literal["standard", "measures", "scan"]
    sex: Literal["female", "male"] | None
    measures: dict[str, float]
    """all measures that are known, also inferred ones [m; kg]"""
    questions: list[Question]
    """to be answered before the body should be trusted"""
    notes: list[str]
    """what could not be met exactly, in words"""
    created: float
    vertices_url: str
    """binary, see docs/serve.md: rest pose"""
    mesh_url: str
    """triangles, joints and weights; the same for all bodies from measures"""
    picture_url: str | None = None


class BodyList(Message):
    """Standard bodies and the visitor's own."""

    standard: list[Body]
    own: list[Body]
    ranges: list[MeasureRange]


class BodyAnswer(Message):
    """Answers to questions about a scan, or another name."""

    name: Name | None = None
    height: Annotated[float, Field(ge=1.0, le=2.5, allow_inf_nan=False)] | None = None
    """true height [m]: the body is scaled to it"""
    confirmed: list[Slug] = Field(default_factory=list, max_length=20)
    """ids of questions that were answered with yes"""


# ---------------------------------------------------------------------------- catalogue


class ColourWay(Message):
    """A colour or print that a garment comes in."""

    id: Slug
    name: Name
    colour: Colour
    """the ground of a print"""
    second: Colour | None = None
    """of stripes, dots, checks"""
    print: Literal["plain", "stripes", "dots", "checks", "image"] = "plain"
    repeat: Annotated[float, Field(ge=0.002, le=1.0, allow_inf_nan=False)] = 0.02
    """distance of stripes or dots, width of an image, along the weft [m]"""
    image_url: str | None = None
    """tiled at true scale along the grain"""


class Picture(Message):
    """A picture that we rendered."""

    body: BodyId
    colour: Slug
    view: Literal["front", "three_quarter", "back"]
    url: str
    width: int
    height: int


class Garment(Message):
    """What can be bought."""

    id: Slug
    name: str
    text: str
    kind: Slug
    """skirt, top, shirt, trousers, dress, coat"""
    layer: int
    """1 under, 2 middle, 3 over: how garments are put on each other"""
    fabric: str
    fabric_words: str
    """what it is like, in words"""
    price: int
    """cents"""
    currency: str
    sizes: list[str]
    colours: list[ColourWay]
    pictures: list[Picture]
    """empty while they are still being made"""
    sex: Literal["female", "male", "all"]


class Filters(Message):
    """What there is to filter by."""

    kinds: list[str]
    fabrics: list[str]
    sizes: list[str]
    colours: list[ColourWay]
    price_low: int
    price_high: int


class Catalogue(Message):
    """All garments that pass the filters."""

    garments: list[Garment]
    total: int
    filters: Filters


class EaseRow(Message):
    """How much wider than the body a garment is at one level."""

    level: Literal["bust", "waist", "hips", "thigh", "upper_arm"]
    body: float
    """[m]"""
    garment: float
    """[m]"""
    ease: float
    """garment minus body [m]"""
    least: float
    """less than this is tight [m]"""
    word: Literal["too tight", "tight", "close", "easy", "loose"]


class SizeFit(Message):
    """One size on one body, before anything is sewn."""

    size: str
    ease: list[EaseRow]
    word: Literal["too tight", "tight", "close", "easy", "loose"]
    """of its tightest place"""


class SizeAdvice(Message):
    """Which size we would take, and why."""

    garment_id: Slug
    body_id: BodyId
    recommended: str
    reason: str
    """one line"""
    sizes: list[SizeFit]


# ---------------------------------------------------------------------------- try-on


class Wear(Message):
    """One garment as it is to be tried on."""

    garment_id: Slug
    size: Size | None = None
    """None: the recommended one"""
    colour: Slug | None = None
    """None: the first"""
    fabric: Slug | None = None
    """another fabric than the garment's own"""


class TryOnRequest(Message):
    """Put these on this body, inner first."""

    body_id: BodyId | None = None
    """None: the visitor's chosen one"""
    wear: list[Wear] = Field(min_length=1, max_length=4)


class MotionRequest(Message):
    """Move in what was put on."""

    act: Act
    seconds: Annotated[float, Field(ge=0.5, le=8.0, allow_inf_nan=False)] = 4.0
    wind: Annotated[float, Field(ge=0.0, le=15.0, allow_inf_nan=False)] = 0.0
    """from the front [m/s]"""


class File(Message):
    """One result."""

    name: str
    """sewing, drape, walk, fit, picture …"""
    kind: Literal["recording", "picture", "mesh", "fit", "scene"]
    url: str
    bytes: int


class Work(Message):
    """A job on the way or done."""

    id: Id
    kind: Literal["dress", "move", "drape_pictures", "scan"]
    act: Act | None = None
    state: State
    stage: str
    """cutting, placing, sewing, draping, walking, writing"""
    progress: float
    """0 … 1"""
    queue_position: int
    """jobs before this one; 0: its turn"""
    error: str | None = None
    """why it failed, in words"""
    files: list[File]
    """while it runs: recordings that grow, such as preview.play, the first picture, and sewing-1.play"""
    seconds: float | None = None
    """how long it took"""


class TryOn(Message):
    """An outfit on a body."""

    id: Id
    body_id: BodyId
    wear: list[Wear]
    """with size, colour and fabric as chosen"""
    work: Work
    """the sewing"""
    motions: list[Work]
    created: float


class TryOnList(Message):
    """The visitor's outfits, latest first."""

    items: list[TryOn]


class FitLayer(Message):
    """What a fit map shows."""

    name: Literal["stretch", "distance"]
    unit: Literal["share", "m"]
    low: float
    high: float
    words: list[str]
    """five words, from low to high"""
    stops: list[float]
    """where one word ends and the next begins"""


class FitMap(Message):
    """How an outfit fits: figures here, one value a cloth vertex in the file."""

    layers: list[FitLayer]
    url: str
    """binary, see docs/serve.md"""
    ease: list[EaseRow]
    """of the tightest garment at each level, cloth measured round the dressed body"""
    lines: list[str]
    """in words, such as: 4 cm easy at the waist"""


# ---------------------------------------------------------------------------- sharing, buying


class ShareRequest(Message):
    """What others may see."""

    motions: bool = True
    body_measures: bool = False


class Share(Message):
    """A link for others."""

    token: str
    url: str
    created: float


class Shared(Message):
    """What somebody shared: nothing else of theirs can be reached from here."""

    wear: list[Wear]
    garments: list[Garment]
    files: list[File]
    fit: FitMap | None
    measures: dict[str, float] | None = None


class BasketItem(Message):
    """Something that is to be bought."""

    id: Id
    garment_id: Slug
    name: str
    size: str
    colour: Slug
    quantity: int
    price: int
    """of one [cents]"""
    picture_url: str | None = None


class BasketAdd(Message):
    """Put something in."""

    garment_id: Slug
    size: Size
    colour: Slug
    quantity: Annotated[int, Field(ge=1, le=20)] = 1


class BasketChange(Message):
    """How many; 0 takes it out."""

    quantity: Annotated[int, Field(ge=0, le=20)]


class Basket(Message):
    """What is to be bought."""

    items: list[BasketItem]
    total: int
    """[cents]"""
    currency: str


class OrderRequest(Message):
    """Who buys and where it goes; the basket is what is bought. No card data here."""

    name: Name
    email: Annotated[
        str, StringConstraints(max_length=200, pattern=r"^[^@\s\x00-\x1f\x7f]+@[^@\s\x00-\x1f\x7f]+$")
    ]
    address: Annotated[Note, StringConstraints(min_length=5)]
    note: Note = ""


class Order(Message):
    """An order."""

    number: str
    state: Literal["received", "acknowledged"]
    """acknowledged: the merchant's system has it"""
    items: list[BasketItem]
    total: int
    currency: str
    created: float
    next: str
    """what happens now, in a sentence"""
    checkout_url: str | None
    """where the customer pays, if the merchant has a checkout"""


class OrderList(Message):
    """The visitor's orders, latest first."""

    items: list[Order]

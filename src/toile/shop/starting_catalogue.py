"""The garments that a new shop starts with: our own drafts in real fabrics."""

from __future__ import annotations

from typing import Any

WOMEN = ["34", "36", "38", "40", "42", "44", "46"]
MEN = ["44", "46", "48", "50", "52", "54", "56"]


def _way(name: str, colour: str, **print_: Any) -> dict[str, Any]:
    return {"id": name.lower().replace(" ", "-"), "name": name, "colour": colour, **print_}


def _stripes(name: str, colour: str, second: str, repeat: float = 0.018) -> dict[str, Any]:
    return _way(name, colour, second=second, print="stripes", repeat=repeat)


def _dots(name: str, colour: str, second: str, repeat: float = 0.03) -> dict[str, Any]:
    return _way(name, colour, second=second, print="dots", repeat=repeat)


def _checks(name: str, colour: str, second: str, repeat: float = 0.05) -> dict[str, Any]:
    return _way(name, colour, second=second, print="checks", repeat=repeat)


def _garment(
    key: str, name: str, kind: str, recipe: str, fabric: str, price: int, layer: int,
    text: str, colours: list[dict[str, Any]], sex: str = "female",
) -> dict[str, Any]:  # fmt: skip
    return {
        "id": key, "name": name, "kind": kind, "recipe": recipe, "fabric": fabric, "price": price,
        "currency": "EUR", "layer": layer, "text": text, "colours": colours, "sex": sex,
        "sizes": MEN if sex == "male" else WOMEN, "pattern": None, "seams": [],
    }  # fmt: skip


GARMENTS: list[dict[str, Any]] = [
    _garment(
        "everyday-skirt", "Everyday skirt", "skirt", "skirt length=0.58", "wool", 8900, 1,
        "A straight skirt to the knee with darts and a waistband, in soft wool.",
        [_way("Chalk blue", "#5b7a9d"), _way("Moss", "#6d7350"), _checks("Glen check", "#8b8680", "#5d5a57")],
    ),
    _garment(
        "circle-skirt", "Circle skirt", "skirt", "circle_skirt", "viscose", 7900, 1,
        "A full circle that swings with every step.",
        [_way("Madder", "#a8443c"), _dots("Navy dots", "#27364f", "#f1ede4"), _way("Sage", "#9aa88f")],
    ),
    _garment(
        "pleated-skirt", "Pleated skirt", "skirt", "pleated_skirt", "polyester", 9900, 1,
        "Pressed pleats from the waist down.",
        [_way("Ink", "#2e3440"), _way("Dusty rose", "#c69a96")],
    ),
    _garment(
        "shell-top", "Shell top", "top", "top", "silk", 6900, 2,
        "A sleeveless top in silk with a round neck.",
        [_way("Ivory", "#efe8da"), _way("Poppy", "#c8503c"), _stripes("Marine", "#f2efe8", "#33486b", 0.024)],
    ),
    _garment(
        "tshirt", "T-shirt", "top", "tshirt", "jersey", 2900, 2,
        "The one you reach for: cotton jersey, set-in sleeves.",
        [_way("White", "#f3f1ec"), _stripes("Breton", "#f3f1ec", "#2d4668"), _way("Mustard", "#c39a3c"),
         _way("Charcoal", "#4a4a4d")],
    ),
    _garment(
        "shirt", "Poplin shirt", "shirt", "shirt", "cotton", 6900, 2,
        "A classic shirt with collar, cuffs and a button placket.",
        [_way("Sky", "#b9cde0"), _way("White", "#f4f3f0"), _stripes("Pinstripe", "#f4f3f0", "#7d96b8", 0.01)],
    ),
    _garment(
        "trousers", "Straight trousers", "trousers", "trousers", "cotton", 9500, 1,
        "Straight legs, a waistband that sits at the waist.",
        [_way("Sand", "#b9a585"), _way("Navy", "#2b3850")],
    ),
    _garment(
        "shorts", "Linen shorts", "trousers", "shorts", "linen", 5900, 1,
        "For warm days: light linen above the knee.",
        [_way("Oat", "#cdbfa3"), _way("Olive", "#6e6f4e")],
    ),
    _garment(
        "summer-dress", "Summer dress", "dress", "dress", "linen", 11900, 2,
        "Fitted to the waist, loose below it.",
        [_way("Cornflower", "#6f8fc0"), _dots("Polka", "#b9443f", "#f3ece0"), _way("Lemon", "#d9c46b")],
    ),
    _garment(
        "sleeved-dress", "Sleeved dress", "dress", "sleeved_dress", "viscose", 12900, 2,
        "A day dress with sleeves that moves with you.",
        [_way("Forest", "#3f5a48"), _way("Plum", "#6b435a")],
    ),
    _garment(
        "hooded-jacket", "Hooded jacket", "coat", "hooded_jacket", "fleece", 8900, 3,
        "Warm fleece with a hood and a front that closes.",
        [_way("Heather", "#8d8c94"), _way("Brick", "#9a5243")],
    ),
    _garment(
        "coat", "Wool coat", "coat", "coat", "wool", 24900, 3,
        "A coat to the knee, cut to be worn over everything.",
        [_way("Camel", "#b08d5f"), _way("Graphite", "#45474c")],
    ),
    _garment(
        "mens-tshirt", "Men's T-shirt", "top", "tshirt", "jersey", 2900, 2,
        "Cotton jersey, cut straight.",
        [_way("White", "#f3f1ec"), _way("Bottle", "#37513f"), _stripes("Breton", "#f3f1ec", "#2d4668")],
        "male",
    ),
    _garment(
        "mens-trousers", "Men's trousers", "trousers", "trousers", "cotton", 9900, 1,
        "Straight trousers in firm cotton.",
        [_way("Khaki", "#8f8162"), _way("Ink", "#2f343d")],
        "male",
    ),
]  # fmt: skip
FABRIC_WORDS = {
    "cotton": "crisp woven cotton",
    "denim": "firm cotton twill",
    "stretch-denim": "denim that gives",
    "silk": "light and flowing",
    "wool": "soft and full",
    "linen": "cool with a dry hand",
    "jersey": "knitted, gives with you",
    "polyester": "smooth, keeps its pleats",
    "satin": "glossy and heavy",
    "viscose": "flowing and cool",
    "fleece": "soft and warm",
    "chiffon": "sheer and floating",
    "velvet": "deep and soft",
    "corduroy": "ribbed and sturdy",
    "flannel": "brushed and warm",
    "tweed": "rough and warm",
    "lycra": "very elastic",
    "tulle": "a stiff, open net",
    "leather": "heavy, firm",
    "canvas": "strong and stiff",
    "organza": "sheer and crisp",
    "felt": "thick and firm",
}

"""Which size to take: asked of a worker, remembered while garment and body stay the same."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from queue import Empty
from typing import Any

from toile.shop.asking import Asker
from toile.shop.bodies import body_file
from toile.shop.catalogue import CatalogueView
from toile.shop.messages import EaseRow, SizeAdvice, SizeFit
from toile.shop.problems import RefusedError, missing
from toile.shop.shop import file_of, hash_of
from toile.shop.workers import Helpers, WorkerGoneError

KEPT = 2000
ADVICE_SECONDS = 20.0


class AdviceKept:
    """Answers that were given, by the content of garment and body."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str) -> dict[str, Any] | None:
        """Return an answer; None: it was not asked yet."""
        with self._lock:
            return self._answers.get(key)

    def put(self, key: str, answer: dict[str, Any]) -> None:
        """Remember an answer."""
        with self._lock:
            self._answers[key] = answer
            if len(self._answers) > KEPT:
                self._answers.popitem(last=False)


def advise(state: Any, asker: Asker, garment_id: str, body_id: str) -> SizeAdvice:
    """Return which size of a garment to take for a body."""
    view: CatalogueView = state.catalogue
    if view.garment(garment_id) is None:
        raise missing("garment")
    content = view.content(garment_id)
    assert content is not None
    data = body_file(asker.shop, asker.id, body_id, "body.toile")
    parts = [content["recipe"], content["sizes"], content["sex"], content["pattern"], content["seams"]]
    key = hash_of(json.dumps(parts).encode() + hash_of(data).encode())
    answer = state.advice.get(key)
    if answer is None:
        answer = _asked(state.helpers, asker, content, data)
        state.advice.put(key, answer)
    sizes = [
        SizeFit(size=one["size"], ease=[EaseRow(**row) for row in one["ease"]], word=one["word"])
        for one in answer["sizes"]
    ]
    return SizeAdvice(
        garment_id=garment_id,
        body_id=body_id,
        recommended=answer["recommended"],
        reason=answer["reason"],
        sizes=sizes,
    )


def _asked(helpers: Helpers, asker: Asker, content: dict[str, Any], data: bytes) -> dict[str, Any]:
    shop, pattern = asker.shop, b""
    if content["pattern"]:
        with shop.reader.connect() as connection:
            row = file_of(connection, f"pattern:{content['pattern']}", "pattern")
        if row is None:
            raise missing("pattern of this garment")
        pattern = shop.storage.get(row["hash"])
    request = {"content": content, "body_bytes": len(data)}
    try:
        with helpers.one(wait=10.0) as worker:
            answer, _ = worker.run("advice", request, data + pattern, seconds=ADVICE_SECONDS)
            return answer
    except Empty:
        raise RefusedError(
            503, "many people are being measured right now: try again in a moment", wait=5.0
        ) from None
    except WorkerGoneError as error:
        raise RefusedError(422, "the sizes of this garment cannot be compared with this body") from error

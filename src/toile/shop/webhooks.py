"""Telling the merchant's systems: signed, again and again until acknowledged, in the order's own transaction.

A delivery is a row from the moment of the order. It leaves the state of waiting only by an answer of 2xx,
so it may arrive twice when we die between sending and noting it: the Idempotency-Key stays the same.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import random
import threading
import time
from typing import Any

import httpx
from sqlalchemy import Connection, insert, select, update
from sqlalchemy.engine import RowMapping

from toile.shop.logs import tell, tell_error
from toile.shop.schema import attempts, deliveries, webhooks
from toile.shop.secrets_kept import new_id
from toile.shop.shop import Shop

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 3600.0
ANSWER_SECONDS = 10.0
CLAIM = 30.0
"""while it is being sent, nobody else sends it for so long [s]"""


def signature(secret: str, stamp: int, body: bytes) -> str:
    """Return what proves that a message is ours: HMAC-SHA256 over time and body."""
    return hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()


def is_signed(secret: str, header: str, body: bytes, now: float, tolerance: float = 300.0) -> bool:
    """Say whether a receiver should believe a message: its signature is right and not old."""
    parts = dict(part.partition("=")[::2] for part in header.split(","))
    if not parts.get("t", "").isdigit() or abs(now - int(parts["t"])) > tolerance:
        return False
    return hmac.compare_digest(parts.get("v1", ""), signature(secret, int(parts["t"]), body))


def add_event(
    shop: Shop,
    connection: Connection,
    event: str,
    content: dict[str, Any],
    order: str | None,
    only: str | None = None,
) -> None:
    """Note an event for every active receiver, or for one; sent by the Postman."""
    receivers = select(webhooks.c.id).where(webhooks.c.active)
    for key in connection.execute(
        receivers if only is None else select(webhooks.c.id).where(webhooks.c.id == only)
    ).scalars():
        delivery = new_id()
        body = json.dumps({"id": delivery, "event": event, "data": content}, sort_keys=True)
        connection.execute(
            insert(deliveries).values(
                id=delivery, webhook_id=key, event=event, order_number=order, body=body, state="waiting",
                tries=0, next_at=shop.now(), created=shop.now(),
            )
        )  # fmt: skip


def pause_after(tries: int) -> float:
    """Return how long to wait after so many tries: twice as long each time, an hour at most [s]."""
    return float(min(FIRST_PAUSE * 2.0 ** min(tries - 1, 20), LONGEST_PAUSE)) * random.uniform(0.9, 1.1)


class Postman:
    """A thread that delivers what is due."""

    def __init__(self, shop: Shop) -> None:
        self._shop, self._ending, self._wake = shop, threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._serve, name="postman", daemon=True)
        # no redirects: a receiver's answer must not choose where an address goes
        self._client = httpx.Client(timeout=ANSWER_SECONDS, follow_redirects=False, trust_env=False)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wake(self) -> None:
        """Something may be due."""
        self._wake.set()

    def stop(self) -> None:
        """End after the message that is being sent."""
        self._ending.set()
        self._wake.set()
        self._thread.join(2.0)

    def _serve(self) -> None:
        while not self._ending.is_set():
            try:
                if self.deliver_one():
                    continue
            except Exception:
                tell_error("postman")
            self._wake.wait(0.5)
            self._wake.clear()

    def deliver_one(self) -> bool:
        """Send what has been due longest; return whether there was anything."""
        row = self._claim()
        if row is None:
            return False
        start = time.monotonic()
        status, error = self._send(row)
        self._note(row, status, error, time.monotonic() - start)
        return True

    def _claim(self) -> RowMapping | None:
        now = self._shop.now()
        due = (
            select(deliveries, webhooks.c.url, webhooks.c.secret)
            .join(webhooks, webhooks.c.id == deliveries.c.webhook_id)
            .where(deliveries.c.state == "waiting", deliveries.c.next_at <= now, webhooks.c.active)
            .order_by(deliveries.c.next_at)
            .limit(1)
        )
        with self._shop.reader.connect() as connection:
            row = connection.execute(due).mappings().first()
        if row is None:
            return None
        with self._shop.engine.begin() as connection:
            mine = update(deliveries).where(
                deliveries.c.id == row["id"], deliveries.c.next_at == row["next_at"]
            )
            if not connection.execute(mine.values(next_at=now + CLAIM)).rowcount:
                return None
        return row

    def _send(self, row: RowMapping) -> tuple[int | None, str]:
        body, stamp = row["body"].encode(), int(self._shop.now())
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": row["id"],
            "Toile-Event": row["event"],
            "Toile-Signature": f"t={stamp},v1={signature(row['secret'], stamp, body)}",
        }
        try:
            answer = self._client.post(row["url"], content=body, headers=headers)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            return None, type(error).__name__
        return answer.status_code, "" if answer.is_success else f"answered {answer.status_code}"

    def _note(self, row: RowMapping, status: int | None, error: str, seconds: float) -> None:
        now, tries = self._shop.now(), row["tries"] + 1
        values: dict[str, Any] = {"tries": tries}
        if error:
            values |= {"next_at": now + pause_after(tries)}
        else:
            values |= {"state": "acknowledged", "next_at": None}
        with self._shop.engine.begin() as connection:
            connection.execute(
                insert(attempts).values(
                    id=new_id(),
                    delivery_id=row["id"],
                    at=now,
                    status=status,
                    error=error[:200],
                    seconds=seconds,
                )
            )
            connection.execute(update(deliveries).where(deliveries.c.id == row["id"]).values(**values))
        self._shop.metrics.deliveries.labels("failed" if error else "acknowledged").inc()
        tell("delivery", event_kind=row["event"], status=status, tries=tries)

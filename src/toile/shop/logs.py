"""Logs: one JSON object a line, without addresses, names, ids, measures or anything else of a person."""

from __future__ import annotations

import json
import logging
import sys
import time

LOG = logging.getLogger("toile.shop")


class JsonLines(logging.Formatter):
    """Time, level, event and its figures."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        content = {"at": f"{stamp}.{int(record.msecs):03d}Z", "level": record.levelname.lower()}
        content |= {"event": record.getMessage(), **getattr(record, "figures", {})}
        if record.exc_info:
            # where it happened, not what with: messages may quote what somebody sent
            kind, _, trace = record.exc_info
            content["error"] = kind.__name__ if kind else "?"
            places = []
            while trace is not None:
                places.append(f"{trace.tb_frame.f_code.co_name}:{trace.tb_lineno}")
                trace = trace.tb_next
            content["where"] = " ".join(places[-6:])
        return json.dumps(content)


def start_logs() -> None:
    """Write the shop's log and the server's complaints to the standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("toile.shop", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(logging.INFO if name == "toile.shop" else logging.WARNING)


def tell(event: str, **figures: object) -> None:
    """Log an event."""
    LOG.info(event, extra={"figures": figures})


def tell_error(event: str, **figures: object) -> None:
    """Log what went wrong inside, with the place of the current exception."""
    LOG.error(event, extra={"figures": figures}, exc_info=True)

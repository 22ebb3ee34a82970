"""The shop's tables: SQLAlchemy Core, the same on SQLite and PostgreSQL. Changes go through migrations/."""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(column_0_label)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

visitors = Table(
    "visitors", METADATA,
    Column("id", String(32), primary_key=True),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("created", Float, nullable=False),
    Column("seen", Float, nullable=False, index=True),
    Column("units", String(8), nullable=False),
    Column("language", String(8), nullable=False),
    Column("body_id", String(32), nullable=False),
)  # fmt: skip

bodies = Table(
    "bodies", METADATA,
    Column("id", String(32), primary_key=True),
    Column("visitor_id", ForeignKey("visitors.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("name", String(80), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("created", Float, nullable=False),
    Column("content", Text, nullable=False),
    # JSON: sex, measures, questions, notes
)  # fmt: skip

files = Table(
    "files", METADATA,
    Column("id", String(32), primary_key=True),
    Column("owner", String(96), nullable=False, index=True),
    # whatever it belongs to: body, job, garment, upload
    Column("visitor_id", ForeignKey("visitors.id", ondelete="CASCADE"), nullable=True, index=True),
    Column("name", String(64), nullable=False),
    Column("hash", String(64), nullable=False, index=True),
    Column("size", Integer, nullable=False),
    Column("type", String(80), nullable=False),
    UniqueConstraint("owner", "name"),
)  # fmt: skip

garments = Table(
    "garments", METADATA,
    Column("id", String(64), primary_key=True),
    Column("position", Integer, nullable=False),
    Column("published", Boolean, nullable=False),
    Column("content", Text, nullable=False),
    # JSON: name, text, kind, layer, fabric, price, currency, sizes, colours, sex, recipe, pattern, seams
)  # fmt: skip

pictures = Table(
    "pictures", METADATA,
    Column("garment_id", ForeignKey("garments.id", ondelete="CASCADE"), primary_key=True),
    Column("body", String(32), primary_key=True),
    Column("colour", String(64), primary_key=True),
    Column("view", String(16), primary_key=True),
    Column("hash", String(64), nullable=False),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
)  # fmt: skip

tryons = Table(
    "tryons", METADATA,
    Column("id", String(32), primary_key=True),
    Column("visitor_id", ForeignKey("visitors.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("body_id", String(32), nullable=False, index=True),
    Column("wear", Text, nullable=False),
    Column("created", Float, nullable=False),
)  # fmt: skip

jobs = Table(
    "jobs", METADATA,
    Column("id", String(32), primary_key=True),
    Column("visitor_id", ForeignKey("visitors.id", ondelete="CASCADE"), nullable=True, index=True),
    Column("tryon_id", ForeignKey("tryons.id", ondelete="CASCADE"), nullable=True, index=True),
    Column("kind", String(32), nullable=False),
    Column("request", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("urgency", Integer, nullable=False),
    # lower goes first: 0 somebody waits, 10 pictures of the catalogue
    Column("attempts", Integer, nullable=False),
    Column("stage", String(40), nullable=False),
    Column("progress", Float, nullable=False),
    Column("error", Text, nullable=True),
    Column("created", Float, nullable=False),
    Column("started", Float, nullable=True),
    Column("finished", Float, nullable=True),
    Index("ix_jobs_turn", "state", "urgency", "created"),
)  # fmt: skip

shares = Table(
    "shares", METADATA,
    Column("token_hash", String(64), primary_key=True),
    Column("tryon_id", ForeignKey("tryons.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("visitor_id", ForeignKey("visitors.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("motions", Boolean, nullable=False),
    Column("measures", Boolean, nullable=False),
    Column("created", Float, nullable=False),
)  # fmt: skip

basket = Table(
    "basket", METADATA,
    Column("id", String(32), primary_key=True),
    Column("visitor_id", ForeignKey("visitors.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("garment_id", String(64), nullable=False),
    Column("size", String(12), nullable=False),
    Column("colour", String(64), nullable=False),
    Column("quantity", Integer, nullable=False),
    Column("created", Float, nullable=False),
    UniqueConstraint("visitor_id", "garment_id", "size", "colour"),
)  # fmt: skip

orders = Table(
    "orders", METADATA,
    Column("number", String(24), primary_key=True),
    Column("visitor_id", ForeignKey("visitors.id", ondelete="SET NULL"), nullable=True, index=True),
    Column("once", String(64), nullable=False, unique=True),
    # hash of visitor and Idempotency-Key
    Column("content", Text, nullable=False),
    # JSON: items, total, currency, customer
    Column("created", Float, nullable=False, index=True),
)  # fmt: skip

patterns = Table(
    "patterns", METADATA,
    Column("id", String(32), primary_key=True),
    Column("file", String(120), nullable=False),
    Column("content", Text, nullable=False),
    # JSON of PatternDraft
    Column("created", Float, nullable=False),
)  # fmt: skip

webhooks = Table(
    "webhooks", METADATA,
    Column("id", String(32), primary_key=True),
    Column("url", String(500), nullable=False),
    Column("secret", String(64), nullable=False),
    Column("active", Boolean, nullable=False),
    Column("created", Float, nullable=False),
)  # fmt: skip

deliveries = Table(
    "deliveries", METADATA,
    Column("id", String(32), primary_key=True),
    Column("webhook_id", ForeignKey("webhooks.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("event", String(32), nullable=False),
    Column("order_number", String(24), nullable=True),
    Column("body", Text, nullable=False),
    Column("state", String(16), nullable=False),
    Column("tries", Integer, nullable=False),
    Column("next_at", Float, nullable=True),
    Column("created", Float, nullable=False),
    Index("ix_deliveries_due", "state", "next_at"),
)  # fmt: skip

attempts = Table(
    "attempts", METADATA,
    Column("id", String(32), primary_key=True),
    Column("delivery_id", ForeignKey("deliveries.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("at", Float, nullable=False),
    Column("status", Integer, nullable=True),
    Column("error", String(200), nullable=False),
    Column("seconds", Float, nullable=False),
)  # fmt: skip

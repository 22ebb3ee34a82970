"""The first tables"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Go forward."""
    op.create_table(
        "garments",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("published", sa.Boolean(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_garments")),
    )
    op.create_table(
        "patterns",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("file", sa.String(length=120), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_patterns")),
    )
    op.create_table(
        "visitors",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("seen", sa.Float(), nullable=False),
        sa.Column("units", sa.String(length=8), nullable=False),
        sa.Column("language", sa.String(length=8), nullable=False),
        sa.Column("body_id", sa.String(length=32), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_visitors")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_visitors_token_hash")),
    )
    with op.batch_alter_table("visitors", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_visitors_seen"), ["seen"], unique=False)

    op.create_table(
        "webhooks",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("url", sa.String(length=500), nullable=False),
        sa.Column("secret", sa.String(length=64), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhooks")),
    )
    op.create_table(
        "basket",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("visitor_id", sa.String(length=32), nullable=False),
        sa.Column("garment_id", sa.String(length=64), nullable=False),
        sa.Column("size", sa.String(length=12), nullable=False),
        sa.Column("colour", sa.String(length=64), nullable=False),
        sa.Column("quantity", sa.Integer(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["visitor_id"], ["visitors.id"], name=op.f("fk_basket_visitor_id_visitors"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_basket")),
        sa.UniqueConstraint("visitor_id", "garment_id", "size", "colour", name=op.f("uq_basket_visitor_id")),
    )
    with op.batch_alter_table("basket", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_basket_visitor_id"), ["visitor_id"], unique=False)

    op.create_table(
        "bodies",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("visitor_id", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["visitor_id"], ["visitors.id"], name=op.f("fk_bodies_visitor_id_visitors"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bodies")),
    )
    with op.batch_alter_table("bodies", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_bodies_visitor_id"), ["visitor_id"], unique=False)

    op.create_table(
        "deliveries",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("webhook_id", sa.String(length=32), nullable=False),
        sa.Column("event", sa.String(length=32), nullable=False),
        sa.Column("order_number", sa.String(length=24), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.Float(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["webhook_id"],
            ["webhooks.id"],
            name=op.f("fk_deliveries_webhook_id_webhooks"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deliveries")),
    )
    with op.batch_alter_table("deliveries", schema=None) as batch_op:
        batch_op.create_index("ix_deliveries_due", ["state", "next_at"], unique=False)
        batch_op.create_index(batch_op.f("ix_deliveries_webhook_id"), ["webhook_id"], unique=False)

    op.create_table(
        "files",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("owner", sa.String(length=64), nullable=False),
        sa.Column("visitor_id", sa.String(length=32), nullable=True),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("type", sa.String(length=80), nullable=False),
        sa.ForeignKeyConstraint(
            ["visitor_id"], ["visitors.id"], name=op.f("fk_files_visitor_id_visitors"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_files")),
        sa.UniqueConstraint("owner", "name", name=op.f("uq_files_owner")),
    )
    with op.batch_alter_table("files", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_files_hash"), ["hash"], unique=False)
        batch_op.create_index(batch_op.f("ix_files_owner"), ["owner"], unique=False)
        batch_op.create_index(batch_op.f("ix_files_visitor_id"), ["visitor_id"], unique=False)

    op.create_table(
        "orders",
        sa.Column("number", sa.String(length=24), nullable=False),
        sa.Column("visitor_id", sa.String(length=32), nullable=True),
        sa.Column("once", sa.String(length=64), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["visitor_id"], ["visitors.id"], name=op.f("fk_orders_visitor_id_visitors"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_orders")),
        sa.UniqueConstraint("once", name=op.f("uq_orders_once")),
    )
    with op.batch_alter_table("orders", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_orders_created"), ["created"], unique=False)
        batch_op.create_index(batch_op.f("ix_orders_visitor_id"), ["visitor_id"], unique=False)

    op.create_table(
        "pictures",
        sa.Column("garment_id", sa.String(length=64), nullable=False),
        sa.Column("body", sa.String(length=32), nullable=False),
        sa.Column("colour", sa.String(length=64), nullable=False),
        sa.Column("view", sa.String(length=16), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["garment_id"], ["garments.id"], name=op.f("fk_pictures_garment_id_garments"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("garment_id", "body", "colour", "view", name=op.f("pk_pictures")),
    )
    op.create_table(
        "tryons",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("visitor_id", sa.String(length=32), nullable=False),
        sa.Column("body_id", sa.String(length=32), nullable=False),
        sa.Column("wear", sa.Text(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["visitor_id"], ["visitors.id"], name=op.f("fk_tryons_visitor_id_visitors"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tryons")),
    )
    with op.batch_alter_table("tryons", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_tryons_body_id"), ["body_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_tryons_visitor_id"), ["visitor_id"], unique=False)

    op.create_table(
        "attempts",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("delivery_id", sa.String(length=32), nullable=False),
        sa.Column("at", sa.Float(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("error", sa.String(length=200), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["delivery_id"],
            ["deliveries.id"],
            name=op.f("fk_attempts_delivery_id_deliveries"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempts")),
    )
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_attempts_delivery_id"), ["delivery_id"], unique=False)

    op.create_table(
        "jobs",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("visitor_id", sa.String(length=32), nullable=True),
        sa.Column("tryon_id", sa.String(length=32), nullable=True),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("urgency", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("stage", sa.String(length=40), nullable=False),
        sa.Column("progress", sa.Float(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("created", sa.Float(), nullable=False),
        sa.Column("started", sa.Float(), nullable=True),
        sa.Column("finished", sa.Float(), nullable=True),
        sa.ForeignKeyConstraint(
            ["tryon_id"], ["tryons.id"], name=op.f("fk_jobs_tryon_id_tryons"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["visitor_id"], ["visitors.id"], name=op.f("fk_jobs_visitor_id_visitors"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
    )
    with op.batch_alter_table("jobs", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_jobs_tryon_id"), ["tryon_id"], unique=False)
        batch_op.create_index("ix_jobs_turn", ["state", "urgency", "created"], unique=False)
        batch_op.create_index(batch_op.f("ix_jobs_visitor_id"), ["visitor_id"], unique=False)

    op.create_table(
        "shares",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("tryon_id", sa.String(length=32), nullable=False),
        sa.Column("visitor_id", sa.String(length=32), nullable=False),
        sa.Column("motions", sa.Boolean(), nullable=False),
        sa.Column("measures", sa.Boolean(), nullable=False),
        sa.Column("created", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tryon_id"], ["tryons.id"], name=op.f("fk_shares_tryon_id_tryons"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["visitor_id"], ["visitors.id"], name=op.f("fk_shares_visitor_id_visitors"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_shares")),
    )
    with op.batch_alter_table("shares", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_shares_tryon_id"), ["tryon_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_shares_visitor_id"), ["visitor_id"], unique=False)


def downgrade() -> None:
    """Go back."""
    with op.batch_alter_table("shares", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_shares_visitor_id"))
        batch_op.drop_index(batch_op.f("ix_shares_tryon_id"))

    op.drop_table("shares")
    with op.batch_alter_table("jobs", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_jobs_visitor_id"))
        batch_op.drop_index("ix_jobs_turn")
        batch_op.drop_index(batch_op.f("ix_jobs_tryon_id"))

    op.drop_table("jobs")
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_attempts_delivery_id"))

    op.drop_table("attempts")
    with op.batch_alter_table("tryons", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_tryons_visitor_id"))
        batch_op.drop_index(batch_op.f("ix_tryons_body_id"))

    op.drop_table("tryons")
    op.drop_table("pictures")
    with op.batch_alter_table("orders", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_orders_visitor_id"))
        batch_op.drop_index(batch_op.f("ix_orders_created"))

    op.drop_table("orders")
    with op.batch_alter_table("files", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_files_visitor_id"))
        batch_op.drop_index(batch_op.f("ix_files_owner"))
        batch_op.drop_index(batch_op.f("ix_files_hash"))

    op.drop_table("files")
    with op.batch_alter_table("deliveries", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_deliveries_webhook_id"))
        batch_op.drop_index("ix_deliveries_due")

    op.drop_table("deliveries")
    with op.batch_alter_table("bodies", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_bodies_visitor_id"))

    op.drop_table("bodies")
    with op.batch_alter_table("basket", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_basket_visitor_id"))

    op.drop_table("basket")
    op.drop_table("webhooks")
    with op.batch_alter_table("visitors", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_visitors_seen"))

    op.drop_table("visitors")
    op.drop_table("patterns")
    op.drop_table("garments")

"""Owners of textures and of drapes are longer than 64 characters; SQLite never minded"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Go forward."""
    with op.batch_alter_table("files", schema=None) as batch_op:
        batch_op.alter_column("owner", existing_type=sa.String(64), type_=sa.String(96), nullable=False)


def downgrade() -> None:
    """Go back."""
    with op.batch_alter_table("files", schema=None) as batch_op:
        batch_op.alter_column("owner", existing_type=sa.String(96), type_=sa.String(64), nullable=False)

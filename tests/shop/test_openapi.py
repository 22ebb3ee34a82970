from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from toile.shop.app import openapi_text

KEPT = Path(__file__).parents[2] / "web" / "shared" / "openapi.json"


def test_the_description_in_the_tree_is_current() -> None:
    # write it anew with: python -m toile.shop.describe
    assert KEPT.read_text(encoding="utf-8") == openapi_text()

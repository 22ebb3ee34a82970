"""kill -9 loses nothing that was acknowledged; benchmarks/kill_shop.py does it a hundred times."""

from pathlib import Path

import pytest

from shop_killing import killed_often

pytestmark = pytest.mark.shop


def test_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    figures = killed_often(tmp_path / "shop", 3, 1)
    assert figures["orders"] > 0

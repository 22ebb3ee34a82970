"""What tests of several rooms share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from shop_server import ShopServer


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShopServer]:
    """One running shop for all tests that leave it as it was."""
    pytest.importorskip("fastapi")
    from shop_server import ShopServer

    started = ShopServer(tmp_path_factory.mktemp("shop") / "shop", "--workers", "1", "--rate", "0")
    try:
        started.ready()
        yield started
    finally:
        started.close()

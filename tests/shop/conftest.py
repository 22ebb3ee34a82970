"""One server for all tests that leave it as it was."""

from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi")

from shop_server import ShopServer


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShopServer]:
    started = ShopServer(tmp_path_factory.mktemp("shop") / "shop", "--workers", "1", "--rate", "0")
    try:
        started.ready()
        yield started
    finally:
        started.close()

"""Requests made from the API's own description, also senseless ones: never a fault of ours."""

import warnings

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from shop_server import ShopServer
from toile.shop.app import make_api

pytestmark = pytest.mark.shop


described = schemathesis.openapi.from_dict(make_api().openapi())
# uploads and standing streams have tests of their own; the visitor must not delete itself in between
described = described.exclude(operation_id_regex="upload|import|follow|deleteVisitor|addWebhook")


@described.parametrize()
@settings(
    max_examples=4, deadline=None, phases=[Phase.generate], derandomize=True, database=None,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
def test_no_request_is_a_fault(server: ShopServer, visitors: dict[str, str], case: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer = case.call(base_url=server.address, headers=visitors)  # type: ignore[attr-defined]
    checks = (not_a_server_error, status_code_conformance, response_schema_conformance)
    case.validate_response(answer, checks=list(checks))  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def visitors(server: ShopServer) -> dict[str, str]:
    visitor = server.visitor()
    cookie = f"toile_visitor={visitor.cookies['toile_visitor']}"
    token = visitor.headers["X-CSRF-Token"]
    return {"Cookie": cookie, "X-CSRF-Token": token, "Authorization": f"Bearer {server.token}"}

import ast
import json
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from toile.shop.app import openapi_text
from toile.shop.describe import CLIENT, client_text

KEPT = Path(__file__).parents[2] / "web" / "shared" / "openapi.json"


def test_the_description_in_the_tree_is_current() -> None:
    # write it anew with: python -m toile.shop.describe
    assert KEPT.read_text(encoding="utf-8") == openapi_text()


def test_the_python_client_is_made_of_this_description() -> None:
    made = ast.dump(ast.parse(client_text(json.loads(openapi_text()))))
    assert ast.dump(ast.parse(CLIENT.read_text(encoding="utf-8"))) == made

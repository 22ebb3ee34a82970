"""``python -m toile.shop.describe`` writes the API's description and the Python client that is made of it.

The client in TypeScript is made of the same description by web/shared/make-api.mjs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toile.core.atomic import replacing
from toile.shop import merchant_messages, messages
from toile.shop.app import openapi_text

TREE = Path(__file__).parents[3]
DESCRIPTION = TREE / "web" / "shared" / "openapi.json"
CLIENT = Path(__file__).with_name("api_client.py")
HEAD = '''"""A method for each address of the shop's API, made by ``python -m toile.shop.describe``."""

from __future__ import annotations

from toile.shop.asked import Asked
from toile.shop.merchant_messages import (
{merchant})
from toile.shop.messages import (
{visitor})


class ApiClient(Asked):
    """The shop's addresses, with the types of what they take and give."""
'''
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def client_text(description: dict[str, Any]) -> str:
    """Return the Python client of a description."""
    used: set[str] = set()
    methods = [
        _method(path, verb, operation, used)
        for path, verbs in description["paths"].items()
        for verb, operation in verbs.items()
    ]
    names = {name for name in used if hasattr(merchant_messages, name) and not hasattr(messages, name)}
    # what both modules know is the visitors'
    parts = {"merchant": names, "visitor": used - names}
    words = {
        key: "".join(f"    {name},\n" for name in sorted(found, key=str.lower))
        for key, found in parts.items()
    }
    return HEAD.format(**words) + "".join(methods)


def _method(path: str, verb: str, operation: dict[str, Any], used: set[str]) -> str:
    taken, options = [], []
    body = _body(operation, used)
    for one in operation.get("parameters", []):
        name = _snake(one["name"])
        if one["in"] == "path":
            taken.append(f"{name}: str")
        elif one["in"] == "query":
            kind = _type_of(one["schema"])
            default = "" if one.get("required") else f" = {one['schema'].get('default')!r}"
            options.append((f"{name}: {kind}{default}", f'"{one["name"]}": {name}'))
        elif one["name"] != "authorization":
            options.append((f"{name}: str", ""))
    words = ["self", *taken, *([f"{body[0]}: {body[1]}"] if body else [])]
    words += ["*", *(text for text, _ in options)] if options else []
    query = ", ".join(pair for _, pair in options if pair)
    headers = [f'"{one["name"]}": {_snake(one["name"])}' for one in operation.get("parameters", [])
               if one["in"] == "header" and one["name"] != "authorization"]  # fmt: skip
    sent = [f'f"{_address(path)}"' if "{" in path else f'"{path}"']
    sent += [f"query={{{query}}}"] if query else []
    sent += [f"{body[2]}={body[0]}"] if body else []
    sent += [f"headers={{{', '.join(headers)}}}"] if headers else []
    gives = _gives(operation, used)
    way = {"bytes": "fetch", "str": "text"}.get(gives, "read")
    sent += [f"kind={gives}"] if way == "read" else []
    call = f'self.{way}("{verb.upper()}", {", ".join(sent)})'
    about = (
        operation["summary"] if "description" not in operation else operation["description"].split("\n")[0]
    )
    return (
        f"\n    def {_snake(operation['operationId'])}({', '.join(words)}) -> {gives}:\n"
        f'        """{about}"""\n        return {call}\n'
    )


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.replace("-", "_")).lower()


def _address(path: str) -> str:
    return re.sub(r"\{(\w+)\}", lambda found: "{" + _snake(found[1]) + "}", path)


def _type_of(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        kinds = [PLAIN.get(one.get("type", ""), "None") for one in schema["anyOf"]]
        return " | ".join(kinds)
    return PLAIN[schema["type"]]


def _refs(schema: dict[str, Any], used: set[str]) -> str:
    name: str = schema["$ref"].rpartition("/")[2]
    used.add(name)
    return name


def _body(operation: dict[str, Any], used: set[str]) -> tuple[str, str, str] | None:
    """Return name, type and way of what is sent; None: nothing."""
    content = operation.get("requestBody", {}).get("content", {})
    if "application/json" in content:
        return "message", _refs(content["application/json"]["schema"], used), "message"
    return ("data", "bytes", "data") if content else None


def _gives(operation: dict[str, Any], used: set[str]) -> str:
    answer = next(v for code, v in sorted(operation["responses"].items()) if code.startswith("2"))
    ((kind, content),) = answer["content"].items()
    if kind == "application/json":
        return _refs(content["schema"], used)
    return "str" if kind.startswith("text/") else "bytes"


def written() -> Iterator[tuple[Path, str]]:
    """Yield the files that are made, with what belongs into them."""
    text = openapi_text()
    yield DESCRIPTION, text
    yield CLIENT, client_text(json.loads(text))


def main() -> None:
    """Write the files of the tree anew."""
    for path, text in written():
        with replacing(path) as file:
            file.write(text.encode())


if __name__ == "__main__":
    main()

"""``python -m toile.shop.describe [FILE]`` writes the API's description, from which clients are made."""

from __future__ import annotations

import sys
from pathlib import Path

from toile.core.atomic import replacing
from toile.shop.app import openapi_text


def main() -> None:
    """Write web/shared/openapi.json of the tree, or the file that is named."""
    tree = Path(__file__).parents[3] / "web" / "shared" / "openapi.json"
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else tree
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(openapi_text().encode())


if __name__ == "__main__":
    main()

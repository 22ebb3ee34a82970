"""A shop killed with kill -9 while it takes orders, uploads and jobs: 50 times on SQLite, 50 on PostgreSQL.

    python benchmarks/kill_shop.py --kills 50

Every acknowledged order, body and outfit must be there afterwards, every stored file be whole, and the
merchant's receiver have each order exactly once.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from shop_killing import killed_often
from shop_server import postgres


def told(count: int) -> None:
    """Say how far it is."""
    if count % 10 == 0:
        print(f"  {count} kills", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--only", choices=("sqlite", "postgresql"))
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        start = time.monotonic()
        if options.only != "postgresql":
            figures = killed_often(Path(place) / "a", options.kills, options.seed, told=told)
            print("SQLite    ", figures, f"{time.monotonic() - start:.0f} s", flush=True)
        if options.only == "sqlite":
            return
        with postgres() as address:
            if address is None:
                print("PostgreSQL is not installed: skipped")
                return
            start = time.monotonic()
            figures = killed_often(
                Path(place) / "b", options.kills, options.seed, "--database", address, told=told
            )
            print("PostgreSQL", figures, f"{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()

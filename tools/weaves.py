"""Draw the tiles of all weaves for the browser: run it after a change in toile.render.weaves."""

from pathlib import Path

from toile.render.weaves import WEAVES, tile_png

FOLDER = Path(__file__).parents[1] / "web" / "viewer" / "materials" / "weaves"


def main() -> None:
    """Write one picture a weave."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in WEAVES:
        (FOLDER / f"{name}.png").write_bytes(tile_png(name))
    print(f"{len(WEAVES)} tiles in {FOLDER}")


if __name__ == "__main__":
    main()

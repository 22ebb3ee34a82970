"""``toile studio``: person, pattern and cloth in the browser, live."""

from __future__ import annotations

import argparse
import sys
import webbrowser
from pathlib import Path

from toile.cli.common import Commands
from toile.core.errors import ToileError

FOLDER = "studio"


def add_studio(commands: Commands) -> None:
    """Add ``toile studio``."""
    parser = commands.add_parser(
        "studio",
        description="Opens the studio in this computer's browser. Patterns, bodies, motions, recordings and "
        "projects that are named are opened; without any the last project goes on. All that is made lies in "
        "one folder. Ctrl-C ends it.",
        epilog="example: toile studio skirt.dxf",
    )
    parser.add_argument("files", type=Path, nargs="*", metavar="FILE")
    parser.add_argument(
        "--folder", type=Path, default=Path(FOLDER), metavar="FOLDER", help=f"default: {FOLDER}"
    )
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="default: 127.0.0.1; others need a token"
    )
    parser.add_argument("--port", type=int, default=8370, metavar="N", help="default: 8370; 0: any free one")
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.set_defaults(run=run_studio)


def run_studio(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401
    except ImportError as error:
        raise ToileError(f"the studio needs {error.name}: pip install 'toile[serve]'") from None
    from toile.studio.server import serve

    def opened(address: str) -> None:
        print(f"the studio is open at {address} (Ctrl-C closes it)")
        sys.stdout.flush()
        if not options.no_browser:
            webbrowser.open(address)

    serve(
        options.folder.resolve(), host=options.host, port=options.port, files=tuple(options.files),
        opened=opened,
    )  # fmt: skip
    return 0


COMMANDS = (add_studio,)

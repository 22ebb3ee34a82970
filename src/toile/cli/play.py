"""``toile play``."""

from __future__ import annotations

import argparse
import sys
import webbrowser

from toile.cli.common import Commands, add_smooth_option
from toile.store.record import RecordedFile
from toile.web.play import make_server


def add_play(commands: Commands) -> None:
    """Add ``toile play``."""
    parser = commands.add_parser(
        "play",
        description="Serves a recording to this computer's browser: play, pause, scrub, turn. A walk that is "
        "still being simulated can be watched as it grows. Ctrl-C ends it.",
        epilog="example: toile play look.toile",
    )
    parser.add_argument("file", metavar="FILE.toile")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="default: any free one")
    add_smooth_option(parser)
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.set_defaults(run=run_play)


def run_play(options: argparse.Namespace) -> int:
    """Serve until Ctrl-C."""
    with (
        RecordedFile(options.file) as recorded,
        make_server(recorded, options.port, smooth=options.smooth) as server,
    ):
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        print(f"{options.file}: {address} (Ctrl-C ends it)")
        sys.stdout.flush()
        if not options.no_browser:
            webbrowser.open(address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("closed")
    return 0


COMMANDS = (add_play,)

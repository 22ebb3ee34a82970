"""The command line: arguments → the same functions that the Python interface offers."""

from toile.cli.main import main

__all__ = ["main"]

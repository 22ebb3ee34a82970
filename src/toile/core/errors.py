"""The error that a user may cause: bad input, impossible request."""


class ToileError(Exception):
    """Says in one line what is wrong, where (file, panel, edge, seam, limb) and what to do.

    The command line prints it without a traceback and exits with code 2.
    """


def one_line(error: BaseException) -> str:
    """Return an error's message as one short line; the system's own words where it refused something."""
    if isinstance(error, KeyError):
        return f"{error} is missing"
    words = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return " ".join(str(words).split())[:200]

"""The error that a user may cause: bad input, impossible request."""


class ToileError(Exception):
    """Says in one line what is wrong, where (file, panel, edge, seam, limb) and what to do.

    The command line prints it without a traceback and exits with code 2.
    """

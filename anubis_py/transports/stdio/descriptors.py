"""The descriptors of the channel, out of everybody else's reach.

Whatever runs in the process may write to stdout: a print, a logging handler, a C library, a
child process. It "MUST NOT write anything to its stdout that is not a valid MCP message". So
the channel moves to descriptors of its own, and the well-known ones lead elsewhere.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from functools import cache
from io import TextIOWrapper

import attrs


@attrs.frozen(eq=False, repr=False)
class Claimed:
    """The two ends of the channel. They stay open for as long as the process lives: a thread
    may be waiting in one, and a number that is used again would send its bytes elsewhere."""

    stdin: int
    stdout: int


@cache
def claim_stdio() -> Claimed:
    """Take stdin and stdout for the channel; from now on others read nothing, and write to stderr.

    Call it before any module of the author's is imported. The process claims once: every
    further call gives the same descriptors.
    """
    claimed = Claimed(_private(0), _private(1))
    if not _is_open(2):
        _lead(2, os.open(os.devnull, os.O_WRONLY))
    # No flush before this: what a library has printed at import waits in the buffer of
    # sys.stdout, and goes where that leads by then.
    _lead(0, os.open(os.devnull, os.O_RDONLY))
    _lead(1, os.dup(2))
    if isinstance(sys.stdout, TextIOWrapper):
        # It was a pipe, and buffered like one; on stderr prints should show in time. This
        # flushes, too, and there may be nobody to read stderr.
        with suppress(OSError):
            sys.stdout.reconfigure(line_buffering=True)
    return claimed


def flush_output() -> None:
    """Flush what was printed, even where nobody reads stderr any more: else the interpreter
    tries, fails, and makes that its exit code."""
    for stream, descriptor in ((sys.stdout, 1), (sys.stderr, 2)):
        try:
            if stream is not None:  # as it is where stderr was closed
                stream.flush()
        except OSError:
            _lead(descriptor, os.open(os.devnull, os.O_WRONLY))
            with suppress(OSError):
                stream.flush()


if sys.platform == "win32":
    import msvcrt

    def _private(descriptor: int) -> int:
        copy = os.dup(descriptor)
        msvcrt.setmode(copy, os.O_BINARY)
        return copy

else:
    from fcntl import F_DUPFD_CLOEXEC, fcntl

    def _private(descriptor: int) -> int:
        # Not os.dup: where stderr is closed, that would make the channel descriptor 2.
        return fcntl(descriptor, F_DUPFD_CLOEXEC, 3)


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _lead(descriptor: int, target: int) -> None:
    """Make a descriptor, which child processes inherit, lead to where `target` does."""
    if target == descriptor:
        os.set_inheritable(descriptor, True)
    else:
        os.dup2(target, descriptor)
        os.close(target)

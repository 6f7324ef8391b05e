"""`anubis-py run` and `anubis-py inspect`.

Exit codes: 0; 1 for what goes wrong in the server's own code; 2 for what is named, declared or
set wrongly, with one line on stderr; 3 if the server cannot start, likewise.
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from typing import Final

from ..errors import ConfigurationError
from .options import parse

MISUSED: Final = 2

# What shells report of a program that SIGINT, or SIGPIPE, has ended.
INTERRUPTED: Final = 128 + 2
UNREAD: Final = 128 + 13


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the command line says, and give the exit code.

    Exceptions that a server's own module raises are not caught: the traceback is its author's.
    """
    options = parse(sys.argv[1:] if argv is None else argv)
    try:
        code = _run(options) if options.command == "run" else _inspect(options)
        sys.stdout.flush()
    except ConfigurationError as error:
        sys.stderr.write(f"anubis-py: {error}\n")
        return MISUSED
    except KeyboardInterrupt:  # While a module is imported; a running server knows what to do.
        return INTERRUPTED
    except BrokenPipeError:
        # Python flushes once more on its way out, and would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return UNREAD
    return code


def _run(options: Namespace) -> int:
    if options.transport == "stdio":
        # Before the server's own modules run, for what they print must not reach the client.
        from ..transports.stdio.descriptors import claim_stdio

        claim_stdio()
    from ..runner import Target, run

    target = Target.parse(options.target)
    run(target.load(), options.transport, target=target, **options.settings)
    return 0


def _inspect(options: Namespace) -> int:
    from ..runner import Target
    from .inspection import inspect

    return inspect(Target.parse(options.target).load(), as_json=options.json)

"""The command line, as argparse reads it."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Sequence
from importlib.metadata import version
from typing import Final

_TARGET: Final = (
    "module:Server, module (if it defines one server), path/to/file.py or "
    "path/to/file.py:Server; Server is a ServerBehaviour subclass, an instance or an App"
)

_SETTINGS: Final = (
    ("--host", {"help": "address to listen on (127.0.0.1)"}),
    ("--port", {"type": int, "help": "port to listen on; 0: any free one (8000)"}),
    ("--workers", {"type": int, "help": "processes that share the port (1)"}),
    ("--path", {"help": "path of the MCP endpoint (/mcp)"}),
    (
        "--allowed-host",
        {
            "action": "append",
            "dest": "allowed_hosts",
            "metavar": "HOST",
            "help": "Host header to admit, such as api.example.com; may be repeated",
        },
    ),
    (
        "--allowed-origin",
        {
            "action": "append",
            "dest": "allowed_origins",
            "metavar": "ORIGIN",
            "help": "Origin header to admit, such as https://app.example.com; may be repeated",
        },
    ),
    (
        "--store",
        {
            "metavar": "STORE",
            "help": "what keeps sessions and connects processes: memory, sqlite:PATH or "
            "redis://HOST (memory; with several workers, a file for as long as they run)",
        },
    ),
    ("--certfile", {"metavar": "FILE", "help": "TLS certificate chain, in PEM"}),
    ("--keyfile", {"metavar": "FILE", "help": "private key of the certificate, in PEM"}),
    (
        "--graceful-timeout",
        {
            "type": float,
            "metavar": "SECONDS",
            "help": "for requests in flight when the server is stopped (2)",
        },
    ),
    ("--log-level", {"metavar": "LEVEL", "help": "debug, info, warning, error or critical"}),
)


def parse(argv: Sequence[str]) -> Namespace:
    """`command` and `target`; for `run` also `transport`, and `settings` with what was given and
    nothing else."""
    options = _parser().parse_args(argv)
    if options.command == "run":
        given = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in vars(options).items()
            if name not in ("command", "target", "transport")
        }
        options.settings = given
        options.transport = getattr(options, "transport", "http")
    return options


def _parser() -> ArgumentParser:
    parser = ArgumentParser("anubis-py", description="Run and inspect MCP servers.")
    parser.add_argument("--version", action="version", version=f"anubis-py {version('anubis-py')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser(
        "run", help="serve over HTTP until Ctrl-C, or on stdio", argument_default=SUPPRESS
    )
    run.add_argument("target", help=_TARGET)
    run.add_argument(
        "--stdio",
        action="store_const",
        const="stdio",
        dest="transport",
        help="serve on stdin and stdout, for the client that starts the command",
    )
    for flag, keywords in _SETTINGS:
        run.add_argument(flag, **keywords)
    inspect = commands.add_parser("inspect", help="show what a server offers to a client")
    inspect.add_argument("target", help=_TARGET)
    inspect.add_argument("--json", action="store_true", help="as JSON, with full schemas")
    return parser

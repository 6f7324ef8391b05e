"""`run`: a server over the transport of that name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ..errors import ConfigurationError, near_miss
from .loading import being_loaded
from .servable import Servable

if TYPE_CHECKING:
    from .target import Target

TRANSPORTS: Final = ("http", "stdio")


def run(
    servable: Servable,
    transport: str = "http",
    *,
    target: Target | None = None,
    **settings: Any,
) -> None:
    """Serve until SIGINT or SIGTERM, and return when requests in flight are answered.

    Over "http", `settings` are those of `RunSettings` and `HttpSettings`. Over "stdio" they are
    those of `StdioSettings` and `log_level`, and it also ends when the client closes stdin.
    `target` is where other processes find `servable`; None: a class is found where it was
    defined.

    Raises ConfigurationError for what is set wrongly. Ends the program with code 3, and one
    line on stderr, if the server cannot start; with 128 + n if a second signal, of number n,
    ends it early. It starts an event loop of its own: inside of one, use `serve_http` or
    `serve_stdio`.
    """
    if (source := being_loaded()) is not None:
        raise ConfigurationError(
            f"{source} calls run() while it is imported: put the call under "
            '`if __name__ == "__main__":`.'
        )
    # Each imports what it needs: a server on stdio has no time for hypercorn.
    if transport == "http":
        from .over_http import run_http

        run_http(servable, settings, target)
    elif transport == "stdio":
        from .over_stdio import run_stdio

        run_stdio(servable, settings, target)
    else:
        known = " and ".join(map(repr, TRANSPORTS))
        raise ConfigurationError(
            f"There is no transport {transport!r}, only {known}.{near_miss(transport, TRANSPORTS)}"
        )

"""The class that authors subclass: the behaviour of a server, and the ways to run it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .server.behaviour import Behaviour

if TYPE_CHECKING:
    from .transports.http.asgi import App


class ServerBehaviour(Behaviour, abstract=True):
    """A server. Subclass it with a name, a version and components; every callback is optional."""

    @classmethod
    def asgi(cls, **settings: Any) -> App:
        """The server as an ASGI application, for any ASGI server on either event loop.

        `settings` are those of `HttpSettings`. A server whose constructor takes arguments is
        wrapped by hand: `App(Reviewer(database))`.
        """
        # A server on stdio has no time to import what serves HTTP.
        from .transports.http.asgi import App
        from .transports.http.settings import HttpSettings

        return App(cls(), HttpSettings.of(settings))

    @classmethod
    def run(cls, transport: str = "http", **settings: Any) -> None:
        """Serve until Ctrl-C or SIGTERM, on trio and hypercorn, in a loop of its own.

        With `run("stdio")` it serves the client that has started the program, on stdin and
        stdout, until that closes stdin; its settings are `max_line`, `max_in_flight`, `grace`
        and `log_level`. What is printed goes to stderr then.

        Over HTTP, `settings` are `host` ("127.0.0.1"), `port` (8000; 0: any free one),
        `workers` (1), `graceful_timeout`, `certfile`, `keyfile`, `log_level`, and those of
        `HttpSettings`. An unknown one raises ConfigurationError. It returns when requests in
        flight are answered, and ends the program with exit code 3 and one line on stderr if it
        cannot start.

        Call it under `if __name__ == "__main__":`. A server whose constructor takes arguments is
        run by hand: `anubis_py.runner.run(Reviewer(database), port=8000)`.
        """
        # Whoever imports a server does not need hypercorn before one runs.
        from .runner import run

        run(cls, transport, **settings)

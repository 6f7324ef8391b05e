"""The class that authors subclass: the behaviour of a server, and the ways to run it."""

from __future__ import annotations

from typing import Any

from .server.behaviour import Behaviour
from .transports.http.asgi import App
from .transports.http.settings import HttpSettings


class ServerBehaviour(Behaviour, abstract=True):
    """A server. Subclass it with a name, a version and components; every callback is optional."""

    @classmethod
    def asgi(cls, **settings: Any) -> App:
        """The server as an ASGI application, for any ASGI server on either event loop.

        `settings` are those of `HttpSettings`. A server whose constructor takes arguments is
        wrapped by hand: `App(Reviewer(database))`.
        """
        return App(cls(), HttpSettings.of(settings))

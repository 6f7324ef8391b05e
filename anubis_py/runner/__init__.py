"""How a server is started: the event loop, the port, the signals and the processes."""

from typing import TYPE_CHECKING, Any

from .launch import run as run
from .listener import StartError as StartError
from .settings import RunSettings as RunSettings
from .settings import ServingSettings as ServingSettings
from .target import Target as Target

if TYPE_CHECKING:
    from .http import serve_http as serve_http


def __getattr__(name: str) -> Any:
    # hypercorn is imported for those who serve HTTP, and for nobody else.
    if name == "serve_http":
        from .http import serve_http

        return serve_http
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""How a server is started: the event loop, the port, the signals and the processes."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .launch import run as run
from .target import Target as Target

if TYPE_CHECKING:
    from .http import serve_http as serve_http
    from .listener import StartError as StartError
    from .settings import RunSettings as RunSettings
    from .settings import ServingSettings as ServingSettings

# Imported for those who serve HTTP, and for nobody else.
_OF_HTTP = {
    "serve_http": "http",
    "StartError": "listener",
    "RunSettings": "settings",
    "ServingSettings": "settings",
}


def __getattr__(name: str) -> Any:
    if name in _OF_HTTP:
        return getattr(import_module(f"{__name__}.{_OF_HTTP[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

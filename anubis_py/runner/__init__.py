"""How a server is started: the event loop, the port, the signals and the processes."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .launch import run as run

if TYPE_CHECKING:
    from .http import serve_http as serve_http
    from .listener import StartError as StartError
    from .settings import RunSettings as RunSettings
    from .settings import ServingSettings as ServingSettings
    from .target import Target as Target

# Imported for those who serve HTTP, or name what they serve, and for nobody else.
_LATER = {
    "serve_http": "http",
    "StartError": "listener",
    "RunSettings": "settings",
    "ServingSettings": "settings",
    "Target": "target",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

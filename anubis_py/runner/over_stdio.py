"""Running on stdin and stdout."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..transports.stdio.run import run_stdio as serve
from ..transports.stdio.settings import StdioSettings
from . import log
from .servable import Servable, is_app, server_of

if TYPE_CHECKING:
    from .target import Target


def run_stdio(servable: Servable, given: Mapping[str, Any], target: Target | None) -> None:
    """`target` is of no use: there is one process, and the client has started it."""
    settings = StdioSettings.of({k: v for k, v in given.items() if k != "log_level"})
    log.prepare(given.get("log_level"))
    engines = servable.engines if is_app(servable) else None
    serve(server_of(servable), settings, engines=engines)

"""Running over HTTP: in this process, or in several workers."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any, Final

import trio

from ..errors import ConfigurationError
from ..server.state_keys import KEY_BYTES, VARIABLE
from ..sessions.store import Store
from ..transports.http.asgi import App
from . import log
from .http import OnStart, serve_on
from .listener import StartError, listen
from .servable import Servable, app_of
from .settings import RunSettings, split
from .signals import Serve, until_signalled
from .target import Target
from .worker import Job
from .workers import serve_by_workers

CANNOT_START: Final = 3
"""The exit code that uvicorn uses for this too."""


def run_http(servable: Servable, given: Mapping[str, Any], target: Target | None) -> None:
    settings, endpoint = split(given)
    app = app_of(servable, endpoint)
    with ExitStack() as afterwards:
        if settings.workers > 1 and app.settings.store is None:
            folder = afterwards.enter_context(TemporaryDirectory(prefix="anubis-py-"))
            endpoint["store"] = f"sqlite:{folder}/sessions.db"
        job = _job(servable, settings, endpoint, target) if settings.workers > 1 else None
        log.prepare(settings.log_level)
        _run(app, settings, job)


def _run(app: App, settings: RunSettings, job: Job | None) -> None:
    news = OnStart(partial(_announce, app, settings.workers))
    try:
        with listen(settings.host, settings.port) as listener:
            serve: Serve = (
                partial(serve_on, listener, app, settings, task_status=news)
                if job is None
                else partial(serve_by_workers, listener, job, task_status=news)
            )
            status = trio.run(until_signalled, serve)
    except StartError as error:
        _say(f"{_title(app)} {error}")
        sys.exit(CANNOT_START)
    if status:
        sys.exit(status)


def _job(
    servable: Servable, settings: RunSettings, endpoint: Mapping[str, Any], target: Target | None
) -> Job:
    if os.name != "posix":
        raise ConfigurationError("Several workers share a socket, which needs a POSIX system.")
    if isinstance(endpoint.get("store"), Store):
        raise ConfigurationError(
            "Several workers cannot share a Store object: name it, as sqlite:PATH or redis://HOST."
        )
    # What one worker seals, another one opens.
    os.environ.setdefault(VARIABLE, secrets.token_urlsafe(KEY_BYTES))
    return Job(target or Target.of(servable), settings, endpoint, list(sys.argv))


def _announce(app: App, workers: int, urls: list[str]) -> None:
    by = f" with {workers} workers" if workers > 1 else ""
    _say(f"{_title(app)} listening on {', '.join(urls)}{by} (Ctrl-C stops it)")


def _title(app: App) -> str:
    return f"{app.server.name} {app.server.version}"


def _say(line: str) -> None:
    """Not by logging: it is what the user waits for, whatever logging is set to."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()

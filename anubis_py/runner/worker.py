"""A worker: one of several processes that serve the same port.

Its parent is `workers.py`. The two are joined by a pipe. The worker gets its job from it, says
that it is ready, or why it never will be, and stops when it is told to or when the pipe ends,
for then its parent is gone.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from socket import socket
from typing import Any, Final, TypeAlias

import attrs
import trio

from ..errors import ConfigurationError
from . import log
from .http import OnStart, serve_on, sole
from .listener import StartError
from .servable import app_of
from .settings import RunSettings
from .signals import STOP_SIGNALS, Serve
from .target import Target

# The parent's sys.path comes first of all, so that the worker finds what the parent found.
COMMAND: Final = (
    "import sys; sys.path[:] = sys.argv[3:]; from anubis_py.runner.worker import main; main()"
)


@attrs.frozen
class Job:
    """All that a worker needs to know."""

    target: Target
    settings: RunSettings
    endpoint: Mapping[str, Any]
    argv: list[str]
    """The parent's, for modules that look at it while they are imported."""


@attrs.frozen
class Ready:
    urls: list[str]


@attrs.frozen
class Refused:
    """The worker cannot start, and the author or the user can mend it."""

    error: ConfigurationError | StartError


News: TypeAlias = Ready | Refused


def main() -> None:
    with Connection(int(sys.argv[1])) as control, socket(fileno=int(sys.argv[2])) as listener:
        job: Job = control.recv()
        sys.argv[:] = job.argv
        try:
            _serve(job, listener, control)
        except (ConfigurationError, StartError) as error:
            tell(control, Refused(error))
            sys.exit(2)


def tell(control: Connection, what: object) -> None:
    """Send it to the other side, unless that has ended, which the pipe's end will say."""
    with suppress(OSError):
        control.send(what)


def _serve(job: Job, listener: socket, control: Connection) -> None:
    app = app_of(job.target.load(), job.endpoint)
    log.prepare(job.settings.log_level)
    ready = OnStart(lambda urls: tell(control, Ready(urls)))
    serve = partial(serve_on, listener, app, job.settings, task_status=ready)
    trio.run(_until_stopped, serve, control)


async def _until_stopped(serve: Serve, control: Connection) -> None:
    """A signal stops a worker as gently as its parent does, however often it comes: who sends
    one to a whole group of processes reaches the worker as well as the parent."""
    stop = trio.Event()
    with trio.open_signal_receiver(*STOP_SIGNALS) as arriving:
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_hear_signals, arriving, stop)
                nursery.start_soon(_hear_parent, control, stop)
                await serve(shutdown_trigger=stop.wait)
                nursery.cancel_scope.cancel()
        except ExceptionGroup as group:
            raise sole(group) from None


async def _hear_signals(arriving: AsyncIterator[int], stop: trio.Event) -> None:
    async for _ in arriving:
        stop.set()


async def _hear_parent(control: Connection, stop: trio.Event) -> None:
    # There is only one thing that a parent has to say to a running worker.
    await trio.lowlevel.wait_readable(control.fileno())
    stop.set()

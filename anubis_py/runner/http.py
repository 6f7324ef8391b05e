"""HTTP by hypercorn, on trio."""

from __future__ import annotations

import logging
import ssl
from collections.abc import Awaitable, Callable
from socket import socket
from typing import Any, Final, TypeAlias

import attrs
import hypercorn.trio
import trio
from hypercorn.config import Config, Sockets
from hypercorn.utils import LifespanFailureError, LifespanTimeoutError

from ..errors import ConfigurationError
from ..transports.http.asgi import App
from .listener import BACKLOG, StartError, cut, give_up_after, listen
from .settings import ServingSettings

# Seconds behind the grace. hypercorn cancels then, and what is well-behaved has ended.
CUT_AFTER: Final = 0.3

ShutdownTrigger: TypeAlias = Callable[[], Awaitable[None]]
TaskStatus: TypeAlias = trio.TaskStatus[list[str]]


@attrs.frozen
class OnStart:
    """A task status for those who start no task: it calls a function with the URLs."""

    tell: Callable[[list[str]], None]

    def started(self, value: list[str] | None = None) -> None:
        self.tell(value or [])


async def serve_http(
    app: App,
    settings: ServingSettings | None = None,
    *,
    shutdown_trigger: ShutdownTrigger | None = None,
    task_status: TaskStatus = trio.TASK_STATUS_IGNORED,
) -> None:
    """Serve an app inside of a trio program. It is at home in a nursery:

        [url] = await nursery.start(serve_http, app, ServingSettings(port=0))

    It has started when clients can connect; `start` gives the URLs of the endpoint, with the
    port that it really has. It touches neither signals nor logging.

    It returns after `shutdown_trigger` has: then new connections are refused, idle ones are
    closed, subscriptions end with their closing result, and requests in flight have
    `graceful_timeout` seconds to be answered. Whatever is left is cancelled, and waited for.
    Without a trigger it serves until it is cancelled, and ends in the same way then; cancelled
    after the trigger, it ends at once.

    Raises StartError when host or port cannot be had, and ConfigurationError when the TLS files
    cannot be read.
    """
    settings = settings or ServingSettings()
    # A host's name may have to be asked for over the network.
    listener = await trio.to_thread.run_sync(listen, settings.host, settings.port)
    await serve_on(
        listener, app, settings, shutdown_trigger=shutdown_trigger, task_status=task_status
    )


async def serve_on(
    listener: socket,
    app: App,
    settings: ServingSettings,
    *,
    shutdown_trigger: ShutdownTrigger | None = None,
    task_status: TaskStatus = trio.TASK_STATUS_IGNORED,
) -> None:
    """`serve_http` on a socket that listens already, and is closed when this returns."""

    def started(binds: list[str]) -> None:
        task_status.started([bind + app.settings.path for bind in binds])

    stop = trio.Event()
    # Cancelled from outside, it still ends as it does on a signal.
    drain = trio.CancelScope(shield=True)

    async def stopping() -> None:
        await stop.wait()
        # Before hypercorn waits for open connections: a subscription would never end by itself.
        app.close()

    async def until_stopped() -> None:
        try:
            await (shutdown_trigger or trio.sleep_forever)()
            # Who cancels what has been asked to stop already means: at once.
            drain.shield = False
        finally:
            stop.set()

    async def cut_what_resists() -> None:
        """A client that does not read holds a write of hypercorn's, which is shielded."""
        try:
            await stop.wait()
            await trio.sleep(settings.graceful_timeout + CUT_AFTER)
        finally:
            cut(port)

    port = listener.getsockname()[1]
    give_up_after(listener, app.settings.send_timeout)
    with listener:
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(until_stopped)
                with drain:
                    async with trio.open_nursery() as inner:
                        inner.start_soon(cut_what_resists)
                        await hypercorn.trio.serve(
                            app,  # type: ignore[arg-type]  # hypercorn types the scope narrowly
                            _Listening(listener, settings),
                            shutdown_trigger=stopping,
                            task_status=OnStart(started),
                            mode="asgi",
                        )
                        inner.cancel_scope.cancel()
                nursery.cancel_scope.cancel()
        except ExceptionGroup as group:
            raise _blamed(sole(group)) from None


class _Listening(Config):
    """hypercorn's settings, around a socket that listens already.

    Left to itself, hypercorn binds the port late, and what goes wrong there is found two
    exception groups deep.
    """

    def __init__(self, listener: socket, settings: ServingSettings) -> None:
        self.certfile = settings.certfile
        self.keyfile = settings.keyfile
        self.graceful_timeout = settings.graceful_timeout
        self.backlog = BACKLOG
        self.include_server_header = False
        self.errorlog = _log()
        self._listener = listener
        self._tls = _tls(settings)

    def create_sockets(self) -> Sockets:
        if self.ssl_enabled:
            return Sockets([self._listener], [], [])
        return Sockets([], [self._listener], [])

    def create_ssl_context(self) -> ssl.SSLContext | None:
        return self._tls


def _tls(settings: ServingSettings) -> ssl.SSLContext | None:
    """What the files say, read now. Raises ConfigurationError."""
    config = Config()
    config.certfile, config.keyfile = settings.certfile, settings.keyfile
    # With None OpenSSL would ask on the terminal, for which a worker would wait for ever.
    config.keyfile_password = ""
    try:
        return config.create_ssl_context()
    except OSError as error:  # ssl.SSLError is one too
        reason = error.strerror or str(error)
        raise ConfigurationError(
            f"certfile {settings.certfile!r} with keyfile {settings.keyfile!r}: {reason}."
        ) from error


def _log() -> logging.Logger:
    """Where hypercorn writes. Its INFO is the banner, and who serves has a better one."""
    log = logging.getLogger("anubis_py.hypercorn")
    if log.level == logging.NOTSET:
        log.setLevel(logging.WARNING)
    return log


def sole(group: ExceptionGroup[Any]) -> Exception:
    """The error of a group that has only one, however deep; else the group."""
    error: Exception = group
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _blamed(error: Exception) -> Exception:
    if isinstance(error, LifespanFailureError | LifespanTimeoutError):
        return StartError(f"cannot start: {error}")
    return error

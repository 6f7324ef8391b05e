"""Serving one client over two byte streams, from the first line to a tidy end."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from math import inf
from typing import TYPE_CHECKING

import anyio
from anyio.abc import AnyByteReceiveStream, AnyByteSendStream, TaskStatus

from ...engine.engines import Engines
from ...engine.legacy.limits import SessionLimits
from ...server.behaviour import Behaviour
from .channel import Channel
from .connection import Connection
from .crew import Crew
from .framing import Lines
from .in_flight import OpenRequests
from .session import Session
from .settings import StdioSettings
from .stateless import StatelessRequests

if TYPE_CHECKING:
    from .legacy import LegacyMessages

logger = logging.getLogger("anubis_py.stdio")


async def serve_stdio(
    server: Behaviour,
    *,
    stdin: AnyByteReceiveStream,
    stdout: AnyByteSendStream,
    settings: StdioSettings | None = None,
    engines: Engines | None = None,
    shutdown_trigger: Callable[[], Awaitable[object]] | None = None,
    task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
) -> None:
    """Serve until the client closes `stdin`, `shutdown_trigger` returns, or nobody reads `stdout`.

    Then every subscription ends with its closing result, requests in flight have
    `settings.grace` seconds to finish, and are cancelled after that; it returns when their
    clean-up is done. When nobody reads any more, they are cancelled at once. At last the
    session of a client that has opened with a handshake ends: `terminate` has as many seconds.

    Cancelling it cancels what is in flight, and writes nothing more; the session ends all the
    same. The streams are the caller's to close. `engines` are those of an app that serves
    `server`: its changes and its events are to reach this client as well. They are closed at
    the end.
    """
    settings = settings or StdioSettings()
    # Without an app, nothing but the end of the connection ends a session.
    engines = engines or Engines(server, limits=SessionLimits(idle=inf))
    channel = Channel(stdout)
    session = Session(engines.legacy, channel)
    engines.start()
    try:
        async with anyio.create_task_group() as writing:
            writing.start_soon(_write, channel, writing.cancel_scope)
            async with anyio.create_task_group() as working:
                in_flight = OpenRequests(channel)
                crew = Crew(working, settings.max_in_flight)
                stateless = StatelessRequests(
                    engines.stateless, engines.subscriptions, channel, in_flight
                )

                def open_legacy() -> LegacyMessages:
                    # Imported for those who open with a handshake.
                    from .lane import Lane
                    from .legacy import LegacyMessages

                    lane = Lane(settings.max_in_flight)
                    legacy = LegacyMessages(
                        engines.legacy, session, channel, in_flight, working, lane
                    )
                    working.start_soon(legacy.run)
                    return legacy

                connection = Connection(
                    engines.stateless,
                    stateless,
                    open_legacy if engines.legacy.versions else None,
                    in_flight,
                    channel,
                    crew,
                    working,
                    stdin,
                    Lines(settings.max_line),
                )
                async with anyio.create_task_group() as reading:
                    if shutdown_trigger is not None:
                        reading.start_soon(_stop, shutdown_trigger, crew)
                    task_status.started()
                    await crew.run(connection.read)
                    reading.cancel_scope.cancel()
                engines.subscriptions.close()
                if connection.legacy is not None:
                    connection.legacy.dismiss()
                writing.cancel_scope.deadline = anyio.current_time() + settings.grace
            channel.close()
    finally:
        with anyio.move_on_after(settings.grace, shield=True):
            await session.end()
        engines.close()
        engines.stop()


async def _stop(trigger: Callable[[], Awaitable[object]], crew: Crew) -> None:
    await trigger()
    crew.stop()


async def _write(channel: Channel, everything: anyio.CancelScope) -> None:
    try:
        await channel.run()
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        logger.debug("the client does not read any more")
        everything.cancel()

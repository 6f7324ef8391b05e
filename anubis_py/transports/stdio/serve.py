"""Serving one client over two byte streams, from the first line to a tidy end."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

import anyio
from anyio.abc import AnyByteReceiveStream, AnyByteSendStream, TaskStatus

from ...engine.stateless import Stateless
from ...engine.subscriptions import LocalBus, Subscriptions
from ...server.behaviour import Behaviour
from .channel import Channel
from .connection import Connection
from .crew import Crew
from .requests import Requests
from .settings import StdioSettings

logger = logging.getLogger("anubis_py.stdio")


async def serve_stdio(
    server: Behaviour,
    *,
    stdin: AnyByteReceiveStream,
    stdout: AnyByteSendStream,
    settings: StdioSettings | None = None,
    subscriptions: Subscriptions | None = None,
    shutdown_trigger: Callable[[], Awaitable[object]] | None = None,
    task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
) -> None:
    """Serve until the client closes `stdin`, `shutdown_trigger` returns, or nobody reads `stdout`.

    Then every subscription ends with its closing result, requests in flight have
    `settings.grace` seconds to finish, and are cancelled after that; it returns when their
    clean-up is done. When nobody reads any more, they are cancelled at once.

    Cancelling it cancels what is in flight, and writes nothing more. The streams are the
    caller's to close. `subscriptions` are those of an app, whose changes the client is to hear
    of as well; they are closed at the end.
    """
    settings = settings or StdioSettings()
    if subscriptions is None:  # not `or`: one that nobody listens to has the length 0
        subscriptions = Subscriptions(LocalBus())
    engine, channel = Stateless(server, subscriptions), Channel(stdout)
    requests = Requests(server, engine, subscriptions, channel)
    async with anyio.create_task_group() as writing:
        writing.start_soon(_write, channel, writing.cancel_scope)
        async with anyio.create_task_group() as working:
            crew = Crew(working, settings.max_in_flight)
            connection = Connection(engine, requests, channel, crew, working)
            async with anyio.create_task_group() as reading:
                if shutdown_trigger is not None:
                    reading.start_soon(_stop, shutdown_trigger, reading.cancel_scope)
                task_status.started()
                await connection.read(stdin, settings.max_line)
                reading.cancel_scope.cancel()
            subscriptions.close()
            crew.dismiss()
            writing.cancel_scope.deadline = anyio.current_time() + settings.grace
        channel.close()


async def _stop(trigger: Callable[[], Awaitable[object]], reading: anyio.CancelScope) -> None:
    await trigger()
    reading.cancel()


async def _write(channel: Channel, everything: anyio.CancelScope) -> None:
    try:
        await channel.run()
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        logger.debug("the client does not read any more")
        everything.cancel()

"""Noticing that a client has gone, without a task for every request.

ASGI tells of a disconnect only to whoever waits in `receive`. A task for that would cost a short
request several times what all of its other work does. So requests are written down, and one
task looks at them now and then: those that have been open for a while get a task that waits.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from typing import Final, TypeVar

import anyio
import attrs

from ...caller import Caller, Gone
from ...engine.background import spawn
from ...loop import this_loop
from .asgi_types import Receive

logger = logging.getLogger("anubis_py.http")

T = TypeVar("T")

# Seconds between looks. A request is watched from the second look on.
PATIENCE: Final = 0.1


@attrs.define(eq=False, repr=False)
class _Open:
    """A request that is being answered."""

    receive: Receive
    caller: Caller
    looks: int = 0
    ended: bool = False
    watcher: anyio.CancelScope | None = None


# The young requests of each event loop, which nobody watches yet, for as long as somebody looks.
_looked_at: dict[object, set[_Open]] = {}


async def until_departure(receive: Receive, caller: Caller, work: Awaitable[T]) -> T:
    """Await the work; the caller's departure is told to it. Raises Gone then."""
    entry = _Open(receive, caller)
    entries = _entries()
    entries.add(entry)
    try:
        done = await work
    finally:
        entries.discard(entry)
        entry.ended = True
        if entry.watcher is not None:
            entry.watcher.cancel()
    # Work that resists its cancellation has an answer, and nobody to send it to.
    if caller.gone:
        raise Gone
    return done


async def wait_for_departure(receive: Receive) -> None:
    """Wait until the client has gone. What else it may send is dropped."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _entries() -> set[_Open]:
    loop = this_loop()
    entries = _looked_at.get(loop)
    if entries is None:
        entries = _looked_at[loop] = set()
        spawn(_look, loop, entries)
    return entries


async def _look(loop: object, entries: set[_Open]) -> None:
    """Runs until no request is open when it looks, so that quick ones do not start it each."""
    async with anyio.create_task_group() as group:
        try:
            while True:
                await anyio.sleep(PATIENCE)
                if not entries:
                    break
                for entry in list(entries):
                    entry.looks += 1
                    if entry.looks == 2:
                        entries.discard(entry)
                        group.start_soon(_watch, entry)
        finally:
            # No await since the last look: the next request finds nobody, and starts another.
            del _looked_at[loop]


async def _watch(entry: _Open) -> None:
    with anyio.CancelScope() as entry.watcher:
        if entry.ended:
            return
        try:
            await wait_for_departure(entry.receive)
        except Exception:
            logger.exception("the server broke off a request")
        entry.caller.leave()

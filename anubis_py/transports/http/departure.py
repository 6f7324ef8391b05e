"""Noticing that a client has gone, without a task for every request.

ASGI tells of a disconnect only to whoever waits in `receive`. A task for that would cost a short
request several times what all of its other work does. So requests are written down, and one
task looks at them now and then: those that have been open for a while get a task that waits.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable
from typing import Final, TypeVar

from ...caller import Caller, Gone, Scope
from ...engine.background import sleep, spawn
from ...loop import this_loop
from ...server.deadline import cancel_scope
from .asgi_types import Receive

logger = logging.getLogger("anubis_py.http")

T = TypeVar("T")

# Seconds between looks. A request is watched from the second look on.
PATIENCE: Final = 0.1


# The requests of each event loop that nobody watches yet, for as long as somebody looks.
_young: dict[object, dict[Caller, Receive]] = {}

# Those that somebody watches; with the scope of the watcher, once that has begun.
_watched: dict[Caller, Scope | None] = {}


async def until_departure(receive: Receive, caller: Caller, work: Awaitable[T]) -> T:
    """Await the work; the caller's departure is told to it. Raises Gone then."""
    young = _young.get(this_loop())
    if young is None:
        young = _begin_to_look()
    young[caller] = receive
    try:
        done = await work
    finally:
        if young.pop(caller, None) is None and (watcher := _watched.pop(caller)) is not None:
            watcher.cancel()
    # Work that resists its cancellation has an answer, and nobody to send it to.
    if caller.gone:
        raise Gone
    return done


async def wait_for_departure(receive: Receive) -> None:
    """Wait until the client has gone. What else it may send is dropped."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _begin_to_look() -> dict[Caller, Receive]:
    loop = this_loop()
    young = _young[loop] = {}
    spawn(_look, loop, young)
    return young


async def _look(loop: object, young: dict[Caller, Receive]) -> None:
    """Runs until no request is open when it looks, so that quick ones do not start it each."""
    seen: set[Caller] = set()
    try:
        while True:
            await sleep(PATIENCE)
            if not young:
                return
            for caller in seen & young.keys():
                _watched[caller] = None
                spawn(_watch, young.pop(caller), caller)
            seen = set(young)
    finally:
        # No await since the last look: the next request finds nobody, and starts another.
        del _young[loop]


async def _watch(receive: Receive, caller: Caller) -> None:
    if caller not in _watched:
        return
    with cancel_scope(None) as _watched[caller]:
        try:
            await wait_for_departure(receive)
        except Exception:
            logger.exception("the server broke off a request")
        caller.leave()

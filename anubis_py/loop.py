"""The event loop that runs now: which it is, and how other threads reach it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from threading import get_ident
from typing import Any

import attrs
from sniffio import thread_local


def on_trio() -> bool:
    """Whether it is trio's; else it is asyncio's.

    `sniffio.current_async_library` tells as much. It asks asyncio for the current task, too, which
    takes 2 us, and is asked several times in every request.
    """
    return thread_local.name == "trio"


def this_loop() -> object:
    """One object for as long as the loop runs, and no other loop's."""
    return _trio_token()() if on_trio() else _asyncio_loop()()


# A library is imported by those who run on it. An import that has been done before still takes
# longer than what is asked for.
@cache
def _trio_token() -> Callable[[], object]:
    import trio

    return trio.lowlevel.current_trio_token


@cache
def _asyncio_loop() -> Callable[[], object]:
    import asyncio

    return asyncio.get_running_loop


def _soon() -> Callable[..., object]:
    loop: Any = this_loop()
    soon: Callable[..., object] = loop.run_sync_soon if on_trio() else loop.call_soon_threadsafe
    return soon


@attrs.frozen(eq=False, repr=False)
class Loop:
    """Made on the loop. Calls keep the order of each thread that makes them."""

    _thread: int = attrs.field(factory=get_ident, init=False)
    _soon: Callable[..., object] = attrs.field(factory=_soon, init=False)

    def call(self, function: Callable[..., object], *arguments: Any) -> None:
        """Call a function on the loop: at once from its own thread, soon from another.

        When the loop has ended, nobody is left to hear of it, and nothing happens.
        """
        if get_ident() == self._thread:
            function(*arguments)
            return
        try:
            self._soon(function, *arguments)
        except RuntimeError:
            return

"""Serving on the process's own stdin and stdout."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import trio

from ...engine.engines import Engines
from ...server.behaviour import Behaviour
from .descriptors import Claimed, claim_stdio, flush_output
from .serve import serve_stdio
from .settings import StdioSettings
from .streams import receive_stream, send_stream

STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def run_stdio(
    server: Behaviour,
    settings: StdioSettings | None = None,
    *,
    engines: Engines | None = None,
) -> None:
    """Serve until the client closes stdin, or until SIGINT or SIGTERM; then return.

    A second signal ends the process at once, as it does by default: no clean-up runs.

    It claims stdin and stdout (`claim_stdio`) and does not give them back: what is printed from
    then on goes to stderr. Call it in the main thread, outside of any event loop.
    """
    claimed = claim_stdio()
    try:
        trio.run(_serve, server, claimed, settings, engines)
    finally:
        flush_output()


async def _serve(
    server: Behaviour,
    claimed: Claimed,
    settings: StdioSettings | None,
    engines: Engines | None,
) -> None:
    with _first_signal() as signalled:
        await serve_stdio(
            server,
            stdin=receive_stream(claimed.stdin),
            stdout=send_stream(claimed.stdout),
            settings=settings,
            engines=engines,
            shutdown_trigger=signalled.wait,
        )


@contextmanager
def _first_signal() -> Iterator[trio.Event]:
    """An event that the first signal sets. From then on signals do what they do by default,
    which no handler that blocks the event loop can keep them from."""
    signalled, token = trio.Event(), trio.lowlevel.current_trio_token()

    def stop(number: int, frame: FrameType | None) -> None:
        for each in STOP_SIGNALS:
            signal.signal(each, signal.SIG_DFL)
        token.run_sync_soon(signalled.set)

    before = {each: signal.signal(each, stop) for each in STOP_SIGNALS}
    try:
        yield signalled
    finally:
        for each, handler in before.items():
            # None: it was not Python that had set it.
            signal.signal(each, handler or signal.SIG_DFL)

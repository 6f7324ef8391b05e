"""The app under servers of either event loop, none of which is ours."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Thread
from typing import Any

import httpx
import hypercorn.asyncio
import pytest
from interop.serving import Serving, hypercorn_serving, uvicorn_serving

from anubis_py import App

from .reviewer import Reviewer
from .server_process import PATIENCE, post


@contextmanager
def asyncio_hypercorn_serving(app: App) -> Iterator[str]:
    """Give the base URL of hypercorn's asyncio worker. The socket listens already."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        stop: Future[Any] = Future()
        arguments = (_asyncio_hypercorn(app, listening.detach(), stop),)
        thread = Thread(target=asyncio.run, args=arguments, name="hypercorn")
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        stop.result(PATIENCE)()
        thread.join(PATIENCE)


async def _asyncio_hypercorn(app: Any, listening: int, stop: Future[Any]) -> None:
    over, loop = asyncio.Event(), asyncio.get_running_loop()
    stop.set_result(lambda: loop.call_soon_threadsafe(over.set))
    config = hypercorn.Config()
    config.bind = [f"fd://{listening}"]

    async def trigger() -> None:
        await over.wait()

    await hypercorn.asyncio.serve(app, config, shutdown_trigger=trigger, mode="asgi")


@pytest.mark.parametrize("serving", [hypercorn_serving, asyncio_hypercorn_serving, uvicorn_serving])
def test_a_plain_request_is_answered(serving: Serving) -> None:
    with serving(Reviewer.asgi()) as base, httpx.Client() as client:
        answer = post(client, f"{base}/mcp")
        assert answer.status_code == 200
        assert answer.json()["result"]["resultType"] == "complete"
        assert client.get(f"{base}/health").json() == {"status": "ok"}

"""What a request costs, counted: the same on every machine, whatever else that does."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import anyio.lowlevel
import attrs

from anubis_py import App

Send = Callable[[dict[str, Any]], Awaitable[None]]


@attrs.define
class Counted:
    calls: Counter[str] = attrs.field(factory=Counter)
    """Of Python functions, by file and name, generated methods included."""
    built_in: int = 0
    """Calls of functions written in C."""
    tasks: int = 0
    threads: int = 0

    @property
    def total(self) -> int:
        return sum(self.calls.values())

    def of(self, name: str) -> int:
        """How often a function of this name, such as `schema/compiled.py:validate`, was called."""
        return sum(count for called, count in self.calls.items() if called.endswith(name))


@contextmanager
def counting() -> Iterator[Counted]:
    """On the running event loop, which has to be asyncio's."""
    counted = Counted()
    loop = asyncio.get_running_loop()
    before = loop.get_task_factory()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            code = frame.f_code
            counted.calls[f"{code.co_filename}:{code.co_name}"] += 1
        elif event == "c_call":
            counted.built_in += 1

    def make(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> Any:
        counted.tasks += 1
        return asyncio.Task(coroutine, loop=loop, **options)

    start = threading.Thread.start

    def start_thread(self: threading.Thread) -> None:
        counted.threads += 1
        start(self)

    loop.set_task_factory(make)
    threading.Thread.start = start_thread  # type: ignore[method-assign]
    sys.setprofile(note)
    try:
        yield counted
    finally:
        sys.setprofile(None)
        threading.Thread.start = start  # type: ignore[method-assign]
        loop.set_task_factory(before)


async def _settle() -> None:
    for _ in range(5):
        await anyio.lowlevel.checkpoint()


@attrs.define
class Wire:
    """An app, and the messages of one client with as little as possible around."""

    app: App
    headers: dict[bytes, bytes]
    answers: list[bytes] = attrs.field(factory=list)

    async def warm_up(self, message: dict[str, Any], **headers: str) -> None:
        """Send a message, and let what it leaves behind run, as between requests of a server."""
        await _settle()
        await self.send(message, **headers)
        await _settle()

    async def send(self, message: dict[str, Any], **headers: str) -> dict[bytes, bytes]:
        """Send a message, and give the header fields of the answer."""
        body = json.dumps(message).encode()
        started: dict[str, Any] = {}

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body}

        async def answer(event: Any) -> None:
            if event["type"] == "http.response.start":
                started.update(event)
            else:
                self.answers.append(event["body"])

        extra = {n.replace("_", "-").encode(): v.encode() for n, v in headers.items()}
        scope = {
            "type": "http",
            "method": "POST",
            "path": "/mcp",
            "headers": [*(self.headers | extra).items()],
            "server": ("127.0.0.1", 8000),
            "client": ("127.0.0.1", 50000),
        }
        await self.app(scope, receive, answer)
        assert started["status"] in (200, 202), self.answers[-1]
        return dict(started["headers"])

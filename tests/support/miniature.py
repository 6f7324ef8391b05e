"""A server with something to say, in process and as a program: `python -m support.miniature`.

As a program it takes the name of what serves it and the settings of the endpoint as JSON, and
says on stderr where it listens.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterable
from typing import Any, Final

import anyio
import anyio.lowlevel
from sniffio import current_async_library

from anubis_py import (
    App,
    PromptComponent,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
    field,
    send_log_message,
    send_progress,
    send_resource_updated,
    send_tools_list_changed,
)

MARKS: Final[list[str]] = []
"""What the callbacks have been through."""


class Echo(ToolComponent):
    schema = (field("t", str, required=True),)

    async def execute(self, args: dict[str, str], frame: Any) -> Any:
        return Response.tool().text(args["t"])


class Steps(ToolComponent):
    """Progress, so many times; log messages of a size beside it; a pause behind each."""

    schema = (
        field("count", int, default=5),
        field("pause", float, default=0.0),
        field("size", int, default=0),
        field("level", str, default="info"),
    )
    timeout = 120.0

    async def execute(self, args: dict[str, Any], frame: Any) -> Any:
        for step in range(1, args["count"] + 1):
            _speak(args, frame, step)
            await anyio.sleep(args["pause"])
        return Response.tool().text(f"{args['count']} steps")


class StepsInThread(Steps):
    def execute(self, args: dict[str, Any], frame: Any) -> Any:
        for step in range(1, args["count"] + 1):
            _speak(args, frame, step)
            time.sleep(args["pause"])
        return Response.tool().text(f"{args['count']} steps")


def _speak(args: dict[str, Any], frame: Any, step: int) -> None:
    send_progress(frame, step, args["count"])
    if args["size"]:
        send_log_message(frame, args["level"], f"{step}:" + "é" * args["size"])


class Nap(ToolComponent):
    """Sleeps on the loop, after a word if there is who wants to hear it."""

    schema = (
        field("s", float, required=True),
        field("mark", str, default="nap"),
        field("file", str, description="To be written when it is cleaned up"),
    )
    timeout = 120.0

    async def execute(self, args: dict[str, Any], frame: Any) -> Any:
        send_progress(frame, 1)
        MARKS.append(f"{args['mark']} begins")
        try:
            await anyio.sleep(args["s"])
        finally:
            # A clean-up that takes its time, as closing a connection does.
            with anyio.CancelScope(shield=True):
                await anyio.lowlevel.checkpoint()
                if "file" in args:
                    await anyio.Path(args["file"]).write_text(args["mark"])
            MARKS.append(f"{args['mark']} is cleaned up")
        send_progress(frame, 2)
        return Response.tool().text("awake")


class Block(ToolComponent):
    """Blocks a thread, which nobody can stop."""

    schema = Nap.schema
    timeout = 120.0

    def execute(self, args: dict[str, Any], frame: Any) -> Any:
        send_progress(frame, 1)
        MARKS.append(f"{args['mark']} begins")
        time.sleep(args["s"])
        send_progress(frame, 2)
        MARKS.append(f"{args['mark']} is done")
        return Response.tool().text("unblocked")


class Touch(ToolComponent):
    """Changes a resource, or without a URI the list of tools."""

    schema = (field("uri", str),)

    async def execute(self, args: dict[str, str], frame: Any) -> Any:
        if "uri" in args:
            send_resource_updated(frame, args["uri"])
        else:
            send_tools_list_changed(frame)
        return Response.tool().text("touched")


class TouchInThread(Touch):
    def execute(self, args: dict[str, str], frame: Any) -> Any:
        if "uri" in args:
            send_resource_updated(frame, args["uri"])
        else:
            send_tools_list_changed(frame)
        return Response.tool().text("touched")


class Marks(ToolComponent):
    async def execute(self, args: Any, frame: Any) -> Any:
        return Response.tool().text(json.dumps(MARKS))


class Held(ToolComponent):
    """What the process holds: what a client that has gone may not leave behind."""

    async def execute(self, args: Any, frame: Any) -> Any:
        gc.collect()
        held = {
            "tasks": _tasks(),
            "threads": threading.active_count(),
            "descriptors": len(os.listdir("/proc/self/fd")),
            "kB": _resident(),
        }
        return Response.tool().text(json.dumps(held))


def _tasks() -> int:
    if current_async_library() == "trio":
        import trio

        return trio.lowlevel.current_statistics().tasks_living
    import asyncio

    return len(asyncio.all_tasks())


def _resident() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


class MemoA(ResourceComponent):
    uri = "memo://a"

    def read(self, params: Any, frame: Any) -> Any:
        return Response.resource().text("a")


class MemoB(MemoA):
    uri = "memo://b"


class Greeting(PromptComponent):
    def get_messages(self, args: Any, frame: Any) -> Any:
        return "Hello"


class Miniature(ServerBehaviour):
    name = "miniature"
    version = "1"
    components: Iterable[Any] = (
        *(Echo, Steps, StepsInThread, Nap, Block, Touch, TouchInThread, Marks, Held),
        *(MemoA, MemoB, Greeting),
    )
    capabilities = {  # noqa: RUF012
        "tools": {"list_changed": True},
        "resources": {"subscribe": True},
        "logging": {},
    }


def with_uvicorn(app: App) -> None:
    import uvicorn

    with socket.create_server(("127.0.0.1", 0)) as listening:
        host, port = listening.getsockname()
        sys.stderr.write(f"listening on http://{host}:{port}/mcp\n")
        config = uvicorn.Config(app, log_level="warning", lifespan="on", ws="none")
        uvicorn.Server(config).run(sockets=[listening])


async def within_a_scope(app: App) -> None:
    """In a program with a loop of its own, which cancels what it has started, on SIGUSR1."""
    import trio

    from anubis_py.runner import ServingSettings, serve_http

    with trio.open_signal_receiver(signal.SIGUSR1) as arriving:
        async with trio.open_nursery() as nursery:
            [url] = await nursery.start(serve_http, app, ServingSettings(port=0))
            sys.stderr.write(f"listening on {url}\n")
            await anext(arriving)
            nursery.cancel_scope.cancel()


def main(server: type[ServerBehaviour] = Miniature) -> None:
    _, program, settings = sys.argv
    options = json.loads(settings)
    match program:
        case "hypercorn":
            server.run(port=0, **options)
        case "uvicorn":
            with_uvicorn(server.asgi(**options))
        case "scope":
            anyio.run(within_a_scope, server.asgi(**options), backend="trio")


if __name__ == "__main__":
    main()

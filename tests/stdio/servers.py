"""Miniature servers for more than one test."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import anyio
import anyio.lowlevel

from anubis_py import (
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


class Echo(ToolComponent):
    schema = (field("t", str, required=True),)

    async def execute(self, args: dict[str, str], frame: Any) -> Any:
        return Response.tool().text(args["t"])


class Steps(ToolComponent):
    """Says five steps of progress, and one thing to the log."""

    async def execute(self, args: dict[str, Any], frame: Any) -> Any:
        for step in range(1, 6):
            send_progress(frame, step, 5)
        send_log_message(frame, "info", "done")
        return Response.tool().text("five")


class StepsInThread(Steps):
    name = "steps_in_thread"

    def execute(self, args: dict[str, Any], frame: Any) -> Any:
        for step in range(1, 6):
            send_progress(frame, step, 5)
        return Response.tool().text("five")


class Touch(ToolComponent):
    """Changes a resource, or without a URI the list of tools."""

    schema = (field("uri", str),)

    async def execute(self, args: dict[str, str], frame: Any) -> Any:
        if "uri" in args:
            send_resource_updated(frame, args["uri"])
        else:
            send_tools_list_changed(frame)
        return Response.tool().text("touched")


class MemoA(ResourceComponent):
    uri = "memo://a"

    def read(self, params: Any, frame: Any) -> Any:
        return Response.resource().text("a")


class MemoB(MemoA):
    uri = "memo://b"


class Miniature(ServerBehaviour):
    name = "miniature"
    version = "1"
    components: Iterable[Any] = (Echo, Steps, StepsInThread, Touch, MemoA, MemoB)
    capabilities = {  # noqa: RUF012
        "tools": {"list_changed": True},
        "resources": {"subscribe": True},
        "logging": {},
    }


class Nap(ToolComponent):
    """Sleeps until it is cancelled, and takes its time to clean up."""

    cleaned: anyio.Event

    async def execute(self, args: dict[str, Any], frame: Any) -> Any:
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.lowlevel.checkpoint()
            self.cleaned.set()


def napping() -> tuple[type[ServerBehaviour], anyio.Event]:
    """A server with a tool `nap`, and the event that its clean-up sets."""
    event = anyio.Event()

    class Napper(Nap):
        name = "nap"
        cleaned = event

    class Napping(Miniature):
        components = (Napper, Echo)

    return Napping, event

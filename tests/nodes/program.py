"""A server that is run as several processes: `python program.py STORE`."""

from __future__ import annotations

import os
import sys
from typing import Any

import anyio

from anubis_py import (
    Accepted,
    Frame,
    InputRequired,
    Ok,
    Reply,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
    ask_form,
    field,
    leave_stream,
    send_log_message,
    send_progress,
    send_resource_updated,
    send_tools_list_changed,
)

NOTE = "note:///shared"


class Note(ResourceComponent):
    uri = NOTE

    async def read(self, params: Any, frame: Frame) -> Any:
        return Response.resource().text("a note")


class Count(ToolComponent):
    """Count the calls of the session."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        calls = frame.assigns["calls"] + 1
        # Long enough for another process to come in between, if it could.
        await anyio.sleep(0.01)
        return Reply(Response.tool().text(str(calls)), frame.assign(calls=calls))


class Pid(ToolComponent):
    """Tell which process this is."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool().text(str(os.getpid()))


class WhoAmI(ToolComponent):
    """Tell what is known of the client."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        context = frame.context
        return Response.tool().json(
            {
                "client": context.client_info["name"],
                "version": context.protocol_version,
                "capabilities": dict(context.client_capabilities),
                "meta": dict(context.init_meta),
                "initialized": context.initialized,
                "made_by": frame.assigns["made_by"],
            }
        )


class Greet(ToolComponent):
    """Ask for a name first."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        match frame.context.input_responses.get("who"):
            case Accepted({"name": name}):
                return Response.tool().text(f"Hello, {name}!")
        form = ask_form("Who are you?", [field("name", str, required=True)])
        return InputRequired({"who": form}, state={"asked": 1})


class Nap(ToolComponent):
    """Sleep, and say so at the beginning."""

    schema = (field("seconds", float, required=True),)

    async def execute(self, args: Any, frame: Frame) -> Any:
        send_progress(frame, 1)
        await anyio.sleep(args["seconds"])
        return Response.tool().text("slept")


class Errand(ToolComponent):
    """Leave, and come back with the answer later."""

    schema = (field("seconds", float, required=True),)

    async def execute(self, args: Any, frame: Frame) -> Any:
        leave_stream(frame)
        await anyio.sleep(args["seconds"])
        send_progress(frame, 1)
        return Response.tool().text("back again")


class Change(ToolComponent):
    """Change the note, and the list of tools."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        send_resource_updated(frame, NOTE)
        send_tools_list_changed(frame)
        return Response.tool().text("changed")


class Murmur(ToolComponent):
    """Say something that matters little."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        send_log_message(frame, "debug", "murmur")
        return Response.tool().text("said")


class Nodes(ServerBehaviour):
    name = "nodes"
    version = "1"
    components = (Note, Count, Pid, WhoAmI, Greet, Nap, Errand, Change, Murmur)
    capabilities = {  # noqa: RUF012
        "logging": {},
        "tools": {"list_changed": True},
        "resources": {"subscribe": True},
    }

    def init(self, client_info: Any, frame: Frame) -> Any:
        return Ok(frame.assign(calls=0, made_by=os.getpid()))


if __name__ == "__main__":
    Nodes.run(port=0, store=sys.argv[1], retry=10)

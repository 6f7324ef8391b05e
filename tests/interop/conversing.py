"""A server that says and asks everything that a stream and a round are for."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

import anyio

from anubis_py import (
    Accepted,
    App,
    Frame,
    InputRequired,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
    ask_form,
    field,
    send_log_message,
    send_progress,
    send_resource_updated,
    send_tools_list_changed,
)

MIRRORED: Final = ("mcp-param-region", "mcp-param-number", "mcp-param-fast")


class Travel(ToolComponent):
    """Asks twice."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        match frame.context.request_state, frame.context.input_responses:
            case None, _:
                ask = ask_form("Where to?", [field("where", str, required=True)])
                return InputRequired({"where": ask}, state={})
            case {}, {"where": Accepted({"where": where})}:
                ask = ask_form(f"Is {where} right?", [field("sure", bool, required=True)])
                return InputRequired({"sure": ask}, state={"where": where})
            case {"where": where}, {"sure": Accepted({"sure": True})}:
                return Response.tool().text(f"To {where}!")
        return Response.tool().text("Nowhere.")


class Count(ToolComponent):
    """Tells how far it is."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        for step in (1, 2, 3):
            send_progress(frame, step, 3, f"step {step}")
            send_log_message(frame, "info", f"step {step}")
            await anyio.sleep(0.01)
        return Response.tool().text("counted")


class CountInThread(Count):
    def execute(self, args: Any, frame: Frame) -> Any:
        for step in (1, 2, 3):
            send_progress(frame, step, 3, f"step {step}")
        return Response.tool().text("counted")


class Route(ToolComponent):
    """Has its arguments in headers."""

    schema = (
        field("region", str, required=True, header="Region"),
        field("number", int, header="Number"),
        field("fast", bool, header="Fast"),
    )

    async def execute(self, args: Any, frame: Frame) -> Any:
        headers = {name: frame.context.headers.get(name) for name in MIRRORED}
        return Response.tool().text(json.dumps(headers))


class Touch(ToolComponent):
    """Changes a resource, or without a URI the list of tools."""

    schema = (field("uri", str),)

    async def execute(self, args: dict[str, str], frame: Frame) -> Any:
        if "uri" in args:
            send_resource_updated(frame, args["uri"])
        else:
            send_tools_list_changed(frame)
        return Response.tool().text("touched")


class Stop(ToolComponent):
    """Ends every subscription, as a server does that stops."""

    def __init__(self) -> None:
        self.app: App | None = None

    async def execute(self, args: Any, frame: Frame) -> Any:
        assert self.app is not None
        self.app.close()
        self.app.subscriptions.open()
        return Response.tool().text("stopped")


class Memo(ResourceComponent):
    uri = "memo://a"

    def read(self, params: Any, frame: Frame) -> Any:
        return Response.resource().text("a")


def conversing() -> App:
    stop = Stop()

    class Conversing(ServerBehaviour):
        name = "conversing"
        version = "1"
        components: Iterable[Any] = (Travel, Count, CountInThread, Route, Touch, stop, Memo)
        capabilities = {  # noqa: RUF012
            "tools": {"list_changed": True},
            "resources": {"subscribe": True},
            "logging": {},
        }

    stop.app = Conversing.asgi()
    return stop.app

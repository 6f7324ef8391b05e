"""A server at which clients of both eras meet: one class, and nothing in it knows of eras."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

import anyio
import attrs

from anubis_py import (
    Accepted,
    Frame,
    InputRequired,
    PromptComponent,
    ResourceComponent,
    ResourceNotFound,
    Response,
    Sampled,
    ServerBehaviour,
    Tool,
    ToolComponent,
    ToolError,
    ask_form,
    ask_sampling,
    field,
    leave_stream,
    send_log_message,
    send_progress,
    send_resource_updated,
    send_tools_list_changed,
)

PATIENCE: Final = 25.0
"""Seconds that who is there waits for the others."""

SHARED: Final = "memo://everybody"


@attrs.define(eq=False)
class House:
    """What the clients share."""

    expected: int
    """How many of them are to meet."""
    memos: dict[str, str] = attrs.field(factory=dict)
    initiated: set[str] = attrs.field(factory=set)
    """The names of the clients that may use the tool `secret`."""
    arrived: int = 0
    complete: anyio.Event | None = None
    returned: anyio.Event | None = None
    """Whether a client has come back for the rest of a stream."""

    def event(self, name: str) -> anyio.Event:
        """Made by whoever comes first, for an event belongs to the event loop of the server."""
        found: anyio.Event | None = getattr(self, name)
        if found is None:
            found = anyio.Event()
            setattr(self, name, found)
        return found


def guest(frame: Frame) -> str:
    return str(frame.context.client_info["name"])


@attrs.frozen
class Housed:
    """A component that knows the house."""

    house: House


class Greet(ToolComponent):
    """Greet somebody."""

    schema = (field("who", str, required=True),)
    output_schema = (field("greeting", str, required=True),)

    async def execute(self, args: dict[str, str], frame: Frame) -> Any:
        if not args["who"]:
            raise ToolError("There is nobody to greet.")
        return Response.tool().structured({"greeting": f"Hello, {args['who']}!"})


class Compose(ToolComponent):
    """Asks the user, and then the user and the model at once."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        match frame.context.request_state, frame.context.input_responses:
            case None, _:
                fields = [field("who", str, required=True), field("lines", int, min=1)]
                return InputRequired({"who": ask_form("For whom?", fields)}, state={})
            case {"who": who}, {"line": Sampled() as line, "sure": Accepted({"sure": sure})}:
                return Response.tool().text(f"{who}, {sure}: {line.text} ({line.model})")
            case {}, {"who": Accepted({"who": who})}:
                asks = {
                    "line": ask_sampling(f"A line for {who}", max_tokens=20),
                    "sure": ask_form("Sure?", [field("sure", bool, required=True)]),
                }
                return InputRequired(asks, state={"who": who})
        return Response.tool().text("Nothing was composed.")


class Count(ToolComponent):
    """Tells how far it is, on a thread."""

    def execute(self, args: Any, frame: Frame) -> Any:
        for step in (1, 2, 3):
            send_progress(frame, step, 3, f"step {step}")
            send_log_message(frame, "debug", {"step": step}, logger="counter")
        send_log_message(frame, "warning", "done")
        return Response.tool().text("counted")


class Write(Housed, ToolComponent):
    """Change a memo."""

    schema = (field("name", str, required=True), field("text", str, required=True))

    async def execute(self, args: dict[str, str], frame: Frame) -> Any:
        self.house.memos[args["name"]] = args["text"]
        send_resource_updated(frame, f"memo://{args['name']}")
        return Response.tool().text("written")


class Initiate(Housed, ToolComponent):
    """Offer another tool to this client from now on."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        self.house.initiated.add(guest(frame))
        send_tools_list_changed(frame)
        return Response.tool().text("initiated")


class Secret(ToolComponent):
    async def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool().text(f"{guest(frame)} knows")


class Meet(Housed, ToolComponent):
    """Wait for everybody else. The last one tells them all that they are complete."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        complete = self.house.event("complete")
        self.house.arrived += 1
        if self.house.arrived == self.house.expected:
            send_resource_updated(frame, SHARED)
            complete.set()
        with anyio.fail_after(PATIENCE):
            await complete.wait()
        return Response.tool().text(f"{self.house.arrived} are here")


class Leave(Housed, ToolComponent):
    """Ends the stream, and goes on when the client has come back for more."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        send_progress(frame, 1, 3, "leaving")
        leave_stream(frame)
        send_progress(frame, 2, 3, "while nobody listens")
        with anyio.fail_after(PATIENCE):
            await self.house.event("returned").wait()
        send_progress(frame, 3, 3, "while somebody listens")
        return Response.tool().text("left and right")


class Identify(ToolComponent):
    """What a callback knows of its client."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        context = frame.context
        known = [context.era, context.protocol_version, context.session_id is not None]
        return Response.tool().text(json.dumps([guest(frame), *known]))


class Invitation(PromptComponent):
    """Invite somebody."""

    schema = (field("who", str, required=True), field("when", str, default="tonight"))

    def get_messages(self, args: dict[str, str], frame: Frame) -> Any:
        return Response.prompt("A letter").user_message(f"Invite {args['who']} for {args['when']}.")


class Motto(ResourceComponent):
    uri = "house://motto"
    mime_type = "text/plain"

    def read(self, params: Any, frame: Frame) -> Any:
        return Response.resource().text("Come in.")


class Memo(Housed, ResourceComponent):
    """What somebody has written."""

    uri_template = "memo://{name}"

    async def read(self, params: Any, frame: Frame) -> Any:
        if params["name"] not in self.house.memos:
            raise ResourceNotFound(params.uri)
        return Response.resource().text(self.house.memos[params["name"]])


def meeting_server(house: House) -> type[ServerBehaviour]:
    class Meeting(ServerBehaviour):
        name = "meeting"
        version = "1.0"
        instructions = "Meet first."
        components: Iterable[Any] = (
            *(Greet, Compose, Count, Secret, Identify, Invitation, Motto),
            *(Write(house), Initiate(house), Meet(house), Leave(house), Memo(house)),
        )
        capabilities = {  # noqa: RUF012
            "tools": {"list_changed": True},
            "resources": {"subscribe": True},
            "logging": {},
        }

        def server_tools(self, tools: list[Tool], frame: Frame) -> list[Tool]:
            initiated = guest(frame) in house.initiated
            return [tool for tool in tools if initiated or tool.name != "secret"]

    return Meeting


def meeting(expected: int) -> Any:
    """An ASGI app for so many clients, which are told to come back at once to a stream."""
    house = House(expected)
    app = meeting_server(house).asgi(retry=10)

    async def noticing(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http" and b"last-event-id" in dict(scope["headers"]):
            house.event("returned").set()
        await app(scope, receive, send)

    return noticing

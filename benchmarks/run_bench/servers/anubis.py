"""Served by anubis_py."""

from __future__ import annotations

from typing import Any

from anyio.lowlevel import checkpoint

from anubis_py import (
    Frame,
    Ok,
    PromptComponent,
    ResourceComponent,
    Response,
    ServerBehaviour,
    ToolComponent,
    component,
    embeds_many,
    embeds_one,
    field,
    send_progress,
    send_resource_updated,
)

from . import inputs


class Add(ToolComponent):
    """Add two numbers."""

    schema = (field("a", int, required=True), field("b", int, required=True))

    async def execute(self, args: dict[str, int], frame: Frame) -> Any:
        return Response.tool().text(str(args["a"] + args["b"]))


class Text(ToolComponent):
    """Answer with much text."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        return Response.tool().text(inputs.TEXT)


class Order(ToolComponent):
    """Add an order up."""

    schema = (
        embeds_one(
            "customer",
            (
                field("name", str, required=True),
                embeds_one(
                    "address",
                    (
                        field("street", str, required=True),
                        field("city", str, required=True),
                        field("country", str, required=True),
                    ),
                    required=True,
                ),
            ),
            required=True,
        ),
        embeds_many(
            "items",
            (
                field("sku", str, required=True),
                field("quantity", int, required=True),
                field("price", int, required=True),
            ),
            required=True,
        ),
    )

    async def execute(self, args: dict[str, Any], frame: Frame) -> Any:
        total = sum(item["quantity"] * item["price"] for item in args["items"])
        return Response.tool().text(str(total))


class Stream(ToolComponent):
    """Tell of every step."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        for step in range(1, inputs.STEPS + 1):
            send_progress(frame, step, inputs.STEPS)
            await checkpoint()  # Else a reader would get the latest, and not every one.
        return Response.tool().text("done")


class Greet(PromptComponent):
    """Greet somebody."""

    schema = (field("who", str, required=True),)

    async def get_messages(self, args: dict[str, str], frame: Frame) -> Any:
        return Response.prompt().user_message(f"Please greet {args['who']}.")


class Blob(ResourceComponent):
    uri = inputs.BLOB
    mime_type = "application/octet-stream"

    async def read(self, params: Any, frame: Frame) -> Any:
        return Response.resource().blob(inputs.BYTES)


class Bench(ServerBehaviour):
    name = "bench"
    version = "1"
    components = (Add, Text, Order, Stream, Greet, Blob)


class Search(ToolComponent):
    """Search for something."""

    schema = (
        field("query", str, required=True),
        field("limit", int, default=10),
        field("verbose", bool, default=False),
    )

    async def execute(self, args: dict[str, Any], frame: Frame) -> Any:
        return Response.tool().text(args["query"])


def _list(count: int) -> type[ServerBehaviour]:
    class List(ServerBehaviour):
        name = "bench"
        version = "1"
        components = tuple(component(Search, name=inputs.tool_name(n)) for n in range(count))

    return List


def _pages(count: int) -> type[ServerBehaviour]:
    class Pages(_list(count)):  # type: ignore[misc]
        def init(self, client_info: Any, frame: Frame) -> Any:
            return Ok(frame.put_pagination_limit(inputs.PAGE))

    return Pages


class Note(ResourceComponent):
    uri = inputs.NOTE

    async def read(self, params: Any, frame: Frame) -> Any:
        return Response.resource().text("a note")


class Touch(ToolComponent):
    """Change the note."""

    async def execute(self, args: Any, frame: Frame) -> Any:
        send_resource_updated(frame, inputs.NOTE)
        return Response.tool().text("touched")


class Notes(ServerBehaviour):
    name = "bench"
    version = "1"
    components = (Note, Touch)
    capabilities = {"resources": {"subscribe": True}}  # noqa: RUF012


def _server(app: str) -> type[ServerBehaviour]:
    match app.partition("-")[0]:
        case "list":
            return _list(inputs.count(app))
        case "page":
            return _pages(inputs.count(app))
        case "notes":
            return Notes
    return Bench


def over_http(app: str) -> Any:
    return _server(app).asgi()


def over_stdio(app: str) -> None:
    _server(app).run("stdio")

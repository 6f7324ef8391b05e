"""The apps that are compared: the same tool and the same prompt, three times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from mcp.server import MCPServer

from anubis_py import (
    Frame,
    PromptComponent,
    PromptResponse,
    Response,
    ServerBehaviour,
    ToolComponent,
    ToolResponse,
    field,
)

from .echo import echo


class Add(ToolComponent):
    """Add two numbers."""

    schema = (field("a", int, required=True), field("b", int, required=True))

    async def execute(self, args: dict[str, int], frame: Frame) -> ToolResponse:
        return Response.tool().text(str(args["a"] + args["b"]))


class AddDef(ToolComponent):
    """Add two numbers, in a worker thread."""

    schema = Add.schema

    def execute(self, args: dict[str, int], frame: Frame) -> ToolResponse:
        return Response.tool().text(str(args["a"] + args["b"]))


class Greet(PromptComponent):
    """Greet somebody."""

    schema = (field("who", str, required=True),)

    async def get_messages(self, args: dict[str, str], frame: Frame) -> PromptResponse:
        return Response.prompt().user_message(f"Please greet {args['who']}.")


class GreetDef(PromptComponent):
    """Greet somebody, in a worker thread."""

    schema = Greet.schema

    def get_messages(self, args: dict[str, str], frame: Frame) -> PromptResponse:
        return Response.prompt().user_message(f"Please greet {args['who']}.")


class Bench(ServerBehaviour):
    name = "bench"
    version = "1"
    components = (Add, AddDef, Greet, GreetDef)


def sdk() -> Any:
    """The official SDK, told to do the least: no sessions, JSON answers, no structured copy."""
    server = MCPServer("bench", version="1", log_level="WARNING")

    @server.tool(structured_output=False)
    async def add(a: int, b: int) -> str:
        """Add two numbers."""
        return str(a + b)

    @server.tool(structured_output=False)
    def add_def(a: int, b: int) -> str:
        """Add two numbers, in a worker thread."""
        return str(a + b)

    @server.prompt()
    async def greet(who: str) -> str:
        """Greet somebody."""
        return f"Please greet {who}."

    @server.prompt()
    def greet_def(who: str) -> str:
        """Greet somebody, in a worker thread."""
        return f"Please greet {who}."

    return server.streamable_http_app(stateless_http=True, json_response=True)


APPS: Final[dict[str, Callable[[], Any]]] = {"anubis_py": Bench.asgi, "sdk": sdk, "echo": echo}

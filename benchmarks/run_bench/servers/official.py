"""Served by the official SDK, `mcp`."""

from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context

from . import inputs, python_sdks


async def stream(ctx: Context[Any, Any]) -> str:
    """Tell of every step."""
    for step in range(1, inputs.STEPS + 1):
        await ctx.report_progress(step, inputs.STEPS)
    return "done"


async def touch(ctx: Context[Any, Any]) -> str:
    """Change the note."""
    await ctx.notify_resource_updated(inputs.NOTE)
    return "touched"


def _server(app: str) -> Any:
    server = MCPServer("bench", version="1", log_level="WARNING")

    def add_tool(function: Any, name: str) -> None:
        server.add_tool(function, name, structured_output=False)

    python_sdks.fill(app, server, add_tool, (stream, touch))
    return server


def over_http(app: str) -> Any:
    return _server(app).streamable_http_app(
        stateless_http=app != "session", json_response=app != "stream"
    )


def over_stdio(app: str) -> None:
    _server(app).run("stdio")

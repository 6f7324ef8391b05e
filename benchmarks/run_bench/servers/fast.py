"""Served by `fastmcp`."""

import os
from importlib import import_module
from typing import Any, Final

from . import inputs, python_sdks

# Read while it is imported.
os.environ["FASTMCP_LOG_LEVEL"] = "WARNING"
# By name: it is installed where this runs, and not where types are checked.
_FASTMCP: Final = import_module("fastmcp")
Context: Final = _FASTMCP.Context


async def stream(ctx: Context) -> str:  # type: ignore[valid-type]
    """Tell of every step."""
    for step in range(1, inputs.STEPS + 1):
        await ctx.report_progress(step, inputs.STEPS)  # type: ignore[attr-defined]
    return "done"


def _server(app: str) -> Any:
    server = _FASTMCP.FastMCP("bench", version="1")

    def add_tool(function: Any, name: str) -> None:
        server.tool(name=name, output_schema=None)(function)

    python_sdks.fill(app, server, add_tool, (stream,))
    return server


def over_http(app: str) -> Any:
    return _server(app).http_app(
        path="/mcp", stateless_http=app != "session", json_response=app != "stream"
    )


def over_stdio(app: str) -> None:
    _server(app).run("stdio", show_banner=False)

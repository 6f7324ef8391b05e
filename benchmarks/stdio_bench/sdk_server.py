"""The tool of the benchmark, served by the official SDK, told to do the least."""

from __future__ import annotations

from mcp.server import MCPServer

server = MCPServer("bench", version="1", log_level="WARNING")


@server.tool(structured_output=False)
async def add(a: int, b: int) -> str:
    """Add two numbers."""
    return str(a + b)


@server.tool(structured_output=False)
def add_def(a: int, b: int) -> str:
    """Add two numbers, in a worker thread."""
    return str(a + b)


if __name__ == "__main__":
    server.run("stdio")

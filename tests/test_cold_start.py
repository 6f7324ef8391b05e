"""What a server has not imported when it has answered its first request: it would take time and
memory from everybody, and serves some. Each is imported by those who need it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from stdio.process import PATIENCE, environment

# Rooms of this package, and packages of others. A name stands for all that is in it.
UNUSED = (
    "anubis_py.asks.form",
    "anubis_py.asks.sampling",
    "anubis_py.asks.url",
    "anubis_py.components.uri_template",
    "anubis_py.engine.legacy.parts",
    "anubis_py.engine.legacy.sessions",
    "anubis_py.protocol.legacy_dialect",
    "anubis_py.sessions.event_store",
    "anubis_py.sessions.memory",
    "anubis_py.sessions.news",
    "anubis_py.sessions.redis",
    "anubis_py.sessions.sqlite",
    "anubis_py.sessions.store",
    "anubis_py.testing",
    "anubis_py.transports.http.recorded",
    "anubis_py.transports.stdio.legacy",
    "cryptography",
    "fractions",
    "httpx",
    "hypercorn",
    "jsonschema_rs",
    "sqlite3",
)

SERVER = """
import sys
from anubis_py import PromptComponent, Response, ServerBehaviour, ToolComponent, field

class Add(ToolComponent):
    schema = (field("a", int, required=True), field("b", int, required=True))

    async def execute(self, args, frame):
        return Response.tool().text(str(args["a"] + args["b"]))

class Greet(PromptComponent):
    async def get_messages(self, args, frame):
        return Response.prompt().user_message("Hello")

class Small(ServerBehaviour):
    name = "small"
    version = "1"
    components = (Add, Greet)
"""

OVER_STDIO = """
Small.run("stdio")
"""

OVER_HTTP = """
import asyncio

async def main():
    async def receive():
        return {"type": "http.request", "body": sys.stdin.buffer.read()}

    async def send(message):
        sys.stdout.buffer.write(message.get("body", b""))

    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "add",
        "host": "localhost",
    }
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
    }
    await Small.asgi()(scope, receive, send)
    # What looks whether the client has gone ends by itself.
    await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))

asyncio.run(main())
"""

PRINT_MODULES = """
print(*sys.modules, file=sys.stderr)
"""

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "add", "arguments": {"a": 1, "b": 2}, "_meta": META},
}


@pytest.mark.parametrize(
    ("serve", "of_others"),
    [
        (OVER_STDIO, ("anubis_py.transports.http", "asyncio")),
        (
            OVER_HTTP,
            (
                "anubis_py.transports.stdio",
                "anubis_py.runner",
                "anyio._backends",
                "trio",
                "hashlib",
            ),
        ),
    ],
    ids=["stdio", "http"],
)
def test_what_the_first_answer_does_without(serve: str, of_others: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SERVER + serve + PRINT_MODULES],
        input=json.dumps(CALL) + "\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE,
        env=environment(),
    )
    assert json.loads(done.stdout)["result"]["content"] == [{"type": "text", "text": "3"}]
    imported = {f"{module}." for module in done.stderr.split()}
    for name in (*UNUSED, *of_others):
        assert not [module for module in imported if module.startswith(f"{name}.")]

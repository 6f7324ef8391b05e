"""What is asked: requests of the revision 2026-07-28, and of a session of the one before it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from http_bench.post import Post

MODERN: Final = "2026-07-28"
LEGACY: Final = "2025-11-25"

_CLIENT: Final = {"name": "bench", "version": "1"}
_META: Final = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": _CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
_HEADERS: Final = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
}


def line(method: str, params: Mapping[str, Any], number: int = 1) -> str:
    params = {**params, "_meta": _META | params.get("_meta", {})}
    return _encoded({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def modern(method: str, params: Mapping[str, Any]) -> Post:
    headers = _HEADERS | {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
    if named := params.get("name") or params.get("uri"):
        headers["Mcp-Name"] = named
    return Post(tuple(headers.items()), line(method, params))


def legacy(message: Mapping[str, Any], session: str | None) -> Post:
    headers = dict(_HEADERS)
    if session is not None:
        headers |= {"Mcp-Session-Id": session, "MCP-Protocol-Version": LEGACY}
    return Post(tuple(headers.items()), _encoded({"jsonrpc": "2.0", **message}))


def open_session(port: int) -> str:
    params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": _CLIENT}
    first = legacy({"id": 0, "method": "initialize", "params": params}, None).ask(port)
    session = first.headers.get("mcp-session-id")
    if first.status != 200 or session is None:
        raise WrongAnswer(f"initialize: {first.status} {first.body[:300]!r}")
    done = legacy({"method": "notifications/initialized"}, session).ask(port)
    if done.status != 202:
        raise WrongAnswer(f"initialized: {done.status} {done.body[:300]!r}")
    return session


class WrongAnswer(Exception):
    """Not what everybody else answers."""


def _encoded(message: Mapping[str, Any]) -> str:
    return json.dumps(message, separators=(",", ":"))

"""Messages of a client of the stateless era."""

from __future__ import annotations

import json
from typing import Any, Final

META: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def request(id_: Any, method: str, params: Any = None, **meta: Any) -> dict[str, Any]:
    params = {**(params or {}), "_meta": {**META, **meta}}
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def call(id_: Any, name: str, arguments: Any = None, **meta: Any) -> dict[str, Any]:
    return request(id_, "tools/call", {"name": name, "arguments": arguments or {}}, **meta)


def listen(id_: Any, **asked: Any) -> dict[str, Any]:
    return request(id_, "subscriptions/listen", {"notifications": asked})


def notification(method: str, params: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": f"notifications/{method}", "params": params or {}}


def cancelled(id_: Any, **more: Any) -> dict[str, Any]:
    return notification("cancelled", {"requestId": id_, **more})


def encode(message: Any) -> bytes:
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


def text(answer: dict[str, Any]) -> str:
    """What a tool said."""
    assert "result" in answer, answer
    said: str = answer["result"]["content"][0]["text"]
    return said


def subscription(message: dict[str, Any]) -> Any:
    """The id of the subscription that a message belongs to."""
    part = message["params"] if "params" in message else message["result"]
    return part["_meta"]["io.modelcontextprotocol/subscriptionId"]

"""JSON-RPC 2.0 as MCP uses it: one text in, one message out, and answers back into bytes.

The envelope is checked by hand, before any typed conversion: an id is echoed with the type it
came with, and only the absence of the member `id` makes a notification.

Messages are not frozen, as their params are not: it takes half the time to make one.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import attrs

from ..encoding import dumps, loads
from ..errors import McpError, invalid_params, invalid_request, parse_error

RequestId: TypeAlias = str | int

# Deep nesting costs stack in every consumer. Real arguments are a handful of levels deep.
MAX_DEPTH: Final = 100

# Each message of a batch is worked on like one that came alone.
MAX_BATCH: Final = 100


@attrs.define
class Request:
    id: RequestId
    method: str
    params: dict[str, Any] = attrs.field(factory=dict)


@attrs.define
class Notification:
    method: str
    params: dict[str, Any] = attrs.field(factory=dict)


@attrs.define
class Answer:
    """A response of the peer, to a request of ours."""

    id: RequestId
    result: Any = None
    error: Any = None


Message: TypeAlias = Request | Notification | Answer


class Undecodable(Exception):
    """What came in is no message. `id` is the request's, where it could be read."""

    def __init__(self, error: McpError, id_: RequestId | None = None) -> None:
        super().__init__(error, id_)
        self.error = error
        self.id = id_


def decode(data: bytes) -> Message:
    """Read one message. Raises Undecodable, with the code that the fault asks for."""
    return _decode(_parse(data), data)


def decode_batch(data: bytes) -> list[Message | Undecodable]:
    """Read several messages, as JSON-RPC 2.0 has them in an array. Raises Undecodable for what
    is no array, or an empty one."""
    batch = _parse(data)
    if not isinstance(batch, list) or not batch:
        raise Undecodable(invalid_request("Invalid request: a batch is an array of messages"))
    if len(batch) > MAX_BATCH:
        raise Undecodable(invalid_request(f"Invalid request: more than {MAX_BATCH} messages"))
    return [_part(message, data) for message in batch]


def _part(message: Any, data: bytes) -> Message | Undecodable:
    try:
        return _decode(message, data)
    except Undecodable as fault:
        return fault


def _parse(data: bytes) -> Any:
    try:
        return loads(data)
    except (ValueError, RecursionError):
        raise Undecodable(parse_error("Parse error: the body is not JSON")) from None


def _decode(message: Any, data: bytes) -> Message:
    if not isinstance(message, dict):
        kind = "a batch" if isinstance(message, list) else "no object"
        raise Undecodable(invalid_request(f"Invalid request: expected one message, got {kind}"))
    id_ = message.get("id")
    if "id" in message and type(id_) is not int and type(id_) is not str:
        raise Undecodable(invalid_request("Invalid request: id must be a string or an integer"))
    try:
        # The brackets of a text bound its depth, and counting them is one pass in C.
        if data.count(b"[") + data.count(b"{") > MAX_DEPTH and _too_deep(message):
            raise invalid_request(f"Invalid request: nested deeper than {MAX_DEPTH} levels")
        return _message(message, id_)
    except McpError as error:
        raise Undecodable(error, id_) from None


def _message(message: dict[str, Any], id_: RequestId | None) -> Message:
    if message.get("jsonrpc") != "2.0":
        raise invalid_request("Invalid request: jsonrpc must be '2.0'")
    if "method" not in message:
        return _answer(message, id_)
    method = message["method"]
    if not isinstance(method, str):
        raise invalid_request("Invalid request: method must be a string")
    params = message.get("params")
    if params is None:
        params = {}
    elif not isinstance(params, dict):
        raise invalid_params("Invalid params: params must be an object", http_status=400)
    return Notification(method, params) if id_ is None else Request(id_, method, params)


def _answer(message: dict[str, Any], id_: RequestId | None) -> Answer:
    if id_ is None or not ("result" in message or "error" in message):
        raise invalid_request("Invalid request: method is missing")
    return Answer(id_, message.get("result"), message.get("error"))


def _too_deep(message: dict[str, Any]) -> bool:
    level: list[Any] = [message]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for node in level
            for child in (node.values() if type(node) is dict else node)
            if type(child) in (dict, list)
        ]
        if not level:
            return False
    return True


def encode_result(id_: RequestId, result: Any) -> bytes:
    """Raises TypeError when the result holds a value that JSON has no form for."""
    return dumps({"jsonrpc": "2.0", "id": id_, "result": result})


def encode_request(id_: RequestId, method: str, params: dict[str, Any]) -> bytes:
    """Raises TypeError as `encode_result` does."""
    return dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})


def encode_notification(method: str, params: dict[str, Any]) -> bytes:
    """Raises TypeError as `encode_result` does."""
    return dumps({"jsonrpc": "2.0", "method": method, "params": params})


def encode_error(id_: RequestId | None, error: McpError) -> bytes:
    """An id that could not be read is left out; it is never invented."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "error": error.to_wire()}
    if id_ is not None:
        message["id"] = id_
    return dumps(message)

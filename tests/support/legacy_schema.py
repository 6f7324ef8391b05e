"""Every message that a server emits behind a handshake, held against the schema of its revision.

The schemas are closed: a member that the revision does not know is a fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from revisions.closed_schema import check, definitions

LEGACY: Final = ("2025-03-26", "2025-06-18", "2025-11-25")

RESULTS: Final[Mapping[str, str]] = {
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "logging/setLevel": "EmptyResult",
    "resources/subscribe": "EmptyResult",
    "resources/unsubscribe": "EmptyResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "completion/complete": "CompleteResult",
}

SPOKEN: Final[Mapping[str, str]] = {
    "notifications/progress": "ProgressNotification",
    "notifications/message": "LoggingMessageNotification",
    "notifications/cancelled": "CancelledNotification",
    "notifications/resources/updated": "ResourceUpdatedNotification",
    "notifications/tools/list_changed": "ToolListChangedNotification",
    "notifications/prompts/list_changed": "PromptListChangedNotification",
    "notifications/resources/list_changed": "ResourceListChangedNotification",
    "sampling/createMessage": "CreateMessageRequest",
    "elicitation/create": "ElicitRequest",
    "roots/list": "ListRootsRequest",
}
"""What a server may say beside its answers."""

# Those that the revisions know, and JSON-RPC: no other has a meaning to a client.
_CODES: Final = (-32700, -32600, -32601, -32602, -32603, -32002)


def check_legacy(version: str, message: Mapping[str, Any], method: str | None) -> None:
    """A message of the server's; `method` is what it answers, if it is an answer to a request
    whose method can be read."""
    assert message["jsonrpc"] == "2.0"
    if "method" in message:
        _check_spoken(version, message)
    elif "error" in message:
        _check_error(version, message)
    else:
        assert message.keys() == {"jsonrpc", "id", "result"}
        assert type(message["id"]) in (str, int)
        check(version, RESULTS.get(method or "", "Result"), message["result"])


def _check_spoken(version: str, message: Mapping[str, Any]) -> None:
    assert message["method"] in SPOKEN, f"{message['method']} is defined by nobody"
    is_request = not message["method"].startswith("notifications/")
    assert ("id" in message) == is_request
    name = SPOKEN[message["method"]]
    known = definitions(version)[name]["properties"]
    envelope = {"jsonrpc", "id"} - known.keys()
    check(version, name, {k: v for k, v in message.items() if k not in envelope})


def _check_error(version: str, message: Mapping[str, Any]) -> None:
    assert message["error"]["code"] in _CODES, message
    if "id" not in message:
        # "The HTTP response body MAY comprise a JSON-RPC error response that has no id", which
        # the schemas of the older revisions have no definition for.
        message = {**message, "id": 0}
    name = "JSONRPCErrorResponse" if version == "2025-11-25" else "JSONRPCError"
    check(version, name, message)

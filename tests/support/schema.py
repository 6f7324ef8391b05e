"""Every message that a server emits, held against the revision's own JSON Schema.

Beside the schema stand the rules that its prose adds: which error codes may appear at all,
that results say who answered, and that what a tool advertises is itself a valid schema.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import jsonschema
import jsonschema_rs
from jsonschema import Draft202012Validator

SPEC: Final = Path(__file__).parent.parent / "spec"
REVISION: Final = "2026-07-28"
SERVER_INFO: Final = "io.modelcontextprotocol/serverInfo"

RESULTS: Final[Mapping[str, str]] = {
    "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "completion/complete": "CompleteResult",
    "subscriptions/listen": "SubscriptionsListenResult",
}
"""The definition of each method's complete result; any other method's is `Result`."""

ERRORS: Final[Mapping[int, str]] = {
    -32020: "HeaderMismatchError",
    -32021: "MissingRequiredClientCapabilityError",
    -32022: "UnsupportedProtocolVersionError",
}
"""The definition of an error response, for the codes that have one of their own."""


NOTIFICATIONS: Final[Mapping[str, str]] = {
    "notifications/progress": "ProgressNotification",
    "notifications/message": "LoggingMessageNotification",
    "notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
    "notifications/resources/updated": "ResourceUpdatedNotification",
    "notifications/tools/list_changed": "ToolListChangedNotification",
    "notifications/prompts/list_changed": "PromptListChangedNotification",
    "notifications/resources/list_changed": "ResourceListChangedNotification",
}
"""What a server may say beside its answers. `notifications/cancelled` is for stdio alone."""


def _is_base64(value: str) -> bool:
    """RFC 4648, section 4: standard alphabet, padded, unbroken."""
    try:
        return base64.b64encode(base64.b64decode(value, validate=True)).decode() == value
    except ValueError:
        return False


def _is_uri(value: str) -> bool:
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", value) is not None


@cache
def validator(definition: str, revision: str = REVISION) -> jsonschema_rs.Draft202012Validator:
    document = json.loads((SPEC / f"schema-{revision}.json").read_text())
    assert definition in document["$defs"], f"{revision} defines no {definition}"
    return jsonschema_rs.Draft202012Validator(
        {**document, "$ref": f"#/$defs/{definition}"},
        formats={"byte": _is_base64, "uri": _is_uri},
        validate_formats=True,
    )


def check(definition: str, value: Any) -> None:
    """Fail with every fault of the value, the deepest first."""
    if validator(definition).is_valid(value):
        return
    faults = sorted(validator(definition).iter_errors(value), key=lambda e: -len(e.instance_path))
    raise AssertionError(f"not a {definition}: " + "; ".join(map(_sentence, faults)))


def _sentence(fault: jsonschema_rs.ValidationError) -> str:
    return f"{'/'.join(map(str, fault.instance_path))}: {fault.message}"


def check_message(message: Mapping[str, Any], method: str | None) -> None:
    """A message of the server's; `method` is what it answers, None if that is unreadable."""
    if "method" in message:
        check_notification(message)
    elif "error" in message:
        assert "result" not in message
        check_error(message)
    else:
        check("JSONRPCResultResponse", message)
        check_result(method or "", message["result"])


def check_notification(message: Mapping[str, Any]) -> None:
    assert "id" not in message, "a server sends no requests: it asks by results"
    assert message["method"] in NOTIFICATIONS, f"{message['method']} is defined by nobody"
    check(NOTIFICATIONS[message["method"]], message)


def check_error(message: Mapping[str, Any]) -> None:
    check("JSONRPCErrorResponse", message)
    code = message["error"]["code"]
    # "Implementations of this protocol version MUST NOT emit these codes", and new ones
    # "SHOULD NOT use codes from this sub-range at all" (basic/index, "Error Codes").
    assert not -32019 <= code <= -32000, f"{code} is from the legacy range"
    assert not -32099 <= code <= -32020 or code in ERRORS, f"{code} is defined by nobody"
    if code in ERRORS:
        check(ERRORS[code], message)


def check_result(method: str, result: Mapping[str, Any]) -> None:
    """The `result` member of an answer to `method`."""
    if result.get("resultType") == "input_required":
        check("InputRequiredResult", result)
        assert not {"ttlMs", "cacheScope"} & result.keys(), "an interim result has cache hints"
        return
    check(RESULTS.get(method, "Result"), result)
    check("Implementation", result["_meta"][SERVER_INFO])
    for tool in result.get("tools", ()) if method == "tools/list" else ():
        check_json_schema(tool["inputSchema"])
        check_json_schema(tool.get("outputSchema", {}))


def check_json_schema(schema: Mapping[str, Any]) -> None:
    """What a tool advertises is valid by its own dialect, and whole without a network."""
    dialect = jsonschema.validators.validator_for(schema, default=Draft202012Validator)
    dialect.check_schema(schema)
    for reference in _references(schema):
        assert reference.startswith("#"), f"{reference} is outside of the document"
        _resolve(schema, reference)


def _references(node: Any) -> list[str]:
    if isinstance(node, list):
        return [found for item in node for found in _references(item)]
    if not isinstance(node, dict):
        return []
    own = [node["$ref"]] if isinstance(node.get("$ref"), str) else []
    return own + [found for item in node.values() for found in _references(item)]


def _resolve(schema: Any, reference: str) -> None:
    for step in reference.removeprefix("#").split("/")[1:]:
        assert isinstance(schema, dict), f"{reference} leads nowhere"
        assert step in schema, f"{reference} leads nowhere"
        schema = schema[step]

"""The revision's own JSON Schema."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator

SPEC: Final = Path(__file__).parent.parent / "spec" / "schema-2026-07-28.json"


@cache
def validator(definition: str, closed: bool = False) -> Draft202012Validator:
    document = json.loads(SPEC.read_text())
    assert definition in document["$defs"]
    if closed:
        _close(document["$defs"])
    return Draft202012Validator({**document, "$ref": f"#/$defs/{definition}"})


def _close(node: Any) -> None:
    """Let nothing pass that the schema does not name."""
    if isinstance(node, list):
        for item in node:
            _close(item)
    elif isinstance(node, dict):
        if node.get("type") == "object" and node.get("properties"):
            node.setdefault("additionalProperties", False)
        for item in node.values():
            _close(item)


def check(definition: str, value: Any, *, closed: bool = False) -> None:
    """`closed`: without a member that the schema does not know, at any depth."""
    faults = [fault.message for fault in validator(definition, closed).iter_errors(value)]
    assert not faults, f"not a {definition}: {faults}"

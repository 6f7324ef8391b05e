"""The JSON Schema of every revision, as it is, and without room for what it does not name."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import jsonschema_rs

from anubis_py.protocol.revisions import REVISIONS

SPEC: Final = Path(__file__).parent.parent / "spec"
VERSIONS: Final = tuple(REVISIONS)
LEGACY: Final = tuple(v for v, revision in REVISIONS.items() if revision.era == "legacy")

# The author's: JSON Schemas, which may say anything that JSON Schema can, and `_meta`.
_OPEN: Final = ("inputSchema", "outputSchema", "ResultMetaObject")


def definitions(version: str) -> dict[str, Any]:
    document = json.loads((SPEC / f"schema-{version}.json").read_text())
    found: dict[str, Any] = document.get("$defs") or document["definitions"]
    return found


@cache
def _validator(version: str, definition: str) -> Any:
    document = json.loads((SPEC / f"schema-{version}.json").read_text())
    keyword = "$defs" if "$defs" in document else "definitions"
    assert definition in document[keyword], f"{version} defines no {definition}"
    _close(document[keyword])
    # A `$ref` hides what stands beside it in draft-07.
    whole = {k: v for k, v in document.items() if k == keyword or k == "$schema"}
    return jsonschema_rs.validator_for({**whole, "allOf": [{"$ref": f"#/{keyword}/{definition}"}]})


def _close(node: Any) -> None:
    if isinstance(node, list):
        for item in node:
            _close(item)
    elif isinstance(node, dict):
        if node.get("type") == "object" and node.get("properties"):
            node.setdefault("additionalProperties", False)
        for name, item in node.items():
            if name not in _OPEN:
                _close(item)


def check(version: str, definition: str, value: Any) -> None:
    """Fail for what is no such thing, and for a member that the revision does not know."""
    faults = [
        f"{'/'.join(map(str, fault.instance_path))}: {fault.message}"
        for fault in _validator(version, definition).iter_errors(value)
    ]
    assert not faults, f"not a {definition} of {version}: {faults}"

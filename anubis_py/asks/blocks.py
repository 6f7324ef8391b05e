"""The content blocks of sampling: those of other messages, and the turns of a tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

from ..content import AudioContent, ImageContent, TextContent, decode_binary
from ..errors import ConfigurationError
from ..schema.faults import Fault, Invalid, Path
from ..schema.fields import Field, field
from ..schema.schema import Schema

TOOL_USE: Final = "tool_use"
TOOL_RESULT: Final = "tool_result"


def _text(*names: str) -> list[Field]:
    return [field(name, str, required=True) for name in names]


@cache
def _schemas() -> Mapping[str, Schema]:
    members = {
        "text": _text("text"),
        "image": _text("data", "mimeType"),
        "audio": _text("data", "mimeType"),
        TOOL_USE: [*_text("id", "name"), field("input", dict, required=True)],
        TOOL_RESULT: [
            *_text("toolUseId"),
            field("content", list[dict[str, Any]], required=True),
            field("isError", bool),
        ],
    }
    return {
        kind: Schema.of([*_text("type"), *fields], owner=kind, extra=True)
        for kind, fields in members.items()
    }


def block_faults(block: Any, path: Path = ()) -> Iterator[Fault]:
    """What is wrong with a block in wire form, with paths that begin with the one given."""
    kind = block.get("type") if isinstance(block, dict) else None
    schema = _schemas().get(kind) if isinstance(kind, str) else None
    if schema is None:
        yield Fault(path, f"expected a content block with a type of {', '.join(_schemas())}")
        return
    try:
        schema.validate(block)
    except Invalid as invalid:
        yield from (Fault((*path, *fault.path), fault.message) for fault in invalid.faults)
    else:
        yield from _binary_faults(block, path)


def _binary_faults(block: dict[str, Any], path: Path) -> Iterator[Fault]:
    try:
        if block["type"] in ("image", "audio"):
            decode_binary(block["data"])
    except ValueError:
        yield Fault((*path, "data"), "expected standard, padded base64")


def block_to_wire(content: Any) -> dict[str, Any]:
    """A block out of a text, a content block, or a mapping in wire form. Raises
    ConfigurationError."""
    if isinstance(content, str):
        content = TextContent(content)
    if isinstance(content, TextContent | ImageContent | AudioContent):
        return content.to_wire()
    if not isinstance(content, Mapping):
        raise ConfigurationError(
            "the content of a message for sampling is text, TextContent, ImageContent, "
            f"AudioContent or a mapping in wire form, not {type(content).__name__}."
        )
    block = dict(content)
    if faults := list(block_faults(block)):
        raise ConfigurationError(f"{Invalid(faults)}.")
    return block

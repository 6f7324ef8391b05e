"""Results in the words of a handshake revision, and the entries of lists in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from .blocks import annotated, block, each, is_object, same_blocks
from .vocabulary import Vocabulary

Writer: TypeAlias = Callable[[Vocabulary, dict[str, Any]], dict[str, Any]]

_LISTS: Final = {
    "tools/list": ("tools", "Tool"),
    "prompts/list": ("prompts", "Prompt"),
    "resources/list": ("resources", "Resource"),
    "resources/templates/list": ("resourceTemplates", "ResourceTemplate"),
}


def entry(words: Vocabulary, shape: str, wire: Mapping[str, Any]) -> dict[str, Any]:
    """An entry of a list; a copy."""
    written = dict(words.known(shape, wire))
    if shape == "Tool":
        return _tool(written)
    if shape == "Prompt":
        if "arguments" in written:
            written["arguments"] = each(
                written["arguments"], lambda argument: words.known("PromptArgument", argument)
            )
        return written
    return annotated(words, written)


def _tool(wire: dict[str, Any]) -> dict[str, Any]:
    """Schemas whose root is an object, and whose properties are schemas that are objects."""
    output = wire.get("outputSchema")
    if output is not None and not (isinstance(output, Mapping) and output.get("type") == "object"):
        del wire["outputSchema"]
    for member in ("inputSchema", "outputSchema"):
        if isinstance(wire.get(member), Mapping):
            wire[member] = _with_objects(wire[member])
    return wire


def _with_objects(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or bool not in map(type, properties.values()):
        return schema
    plain: dict[bool, dict[str, Any]] = {True: {}, False: {"not": {}}}
    written = {n: plain[p] if isinstance(p, bool) else p for n, p in properties.items()}
    return {**schema, "properties": written}


def result(words: Vocabulary, method: str, wire: dict[str, Any]) -> dict[str, Any]:
    """The complete result of a method; `wire` itself where there is nothing to change."""
    write = _WRITERS.get(method)
    return wire if write is None else write(words, words.known("Result", wire))


def _same(words: Vocabulary, wire: dict[str, Any]) -> dict[str, Any]:
    return wire


def _list(member: str, shape: str) -> Writer:
    def write(words: Vocabulary, wire: dict[str, Any]) -> dict[str, Any]:
        # What the router made of a list is in this dialect already, and encoded.
        if type(wire.get(member)) not in (list, tuple):
            return wire
        return {**wire, member: each(wire[member], lambda value: entry(words, shape, value))}

    return write


def _called(words: Vocabulary, wire: dict[str, Any]) -> dict[str, Any]:
    if "structuredContent" in wire and not is_object(wire["structuredContent"]):
        wire = {name: value for name, value in wire.items() if name != "structuredContent"}
    if same_blocks(words) or "content" not in wire:
        return wire
    return {**wire, "content": each(wire["content"], lambda value: block(words, value))}


def _got(words: Vocabulary, wire: dict[str, Any]) -> dict[str, Any]:
    if same_blocks(words) or "messages" not in wire:
        return wire

    def message(value: Mapping[str, Any]) -> Mapping[str, Any]:
        content = value.get("content")
        if not isinstance(content, Mapping):
            return value
        return {**value, "content": block(words, content)}

    return {**wire, "messages": each(wire["messages"], message)}


def _read(words: Vocabulary, wire: dict[str, Any]) -> dict[str, Any]:
    if words.complete("ResourceContents") or "contents" not in wire:
        return wire
    contents = each(wire["contents"], lambda value: words.known("ResourceContents", value))
    return {**wire, "contents": contents}


_WRITERS: Final[Mapping[str, Writer]] = {
    **{method: _list(*names) for method, names in _LISTS.items()},
    "tools/call": _called,
    "prompts/get": _got,
    "resources/read": _read,
    "completion/complete": _same,
}

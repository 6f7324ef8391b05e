"""Asks in the words of a handshake revision, where each is a request of the server's."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, Final

from .blocks import block, is_object
from .legacy_results import entry
from .vocabulary import Vocabulary

ELICITATION: Final = "elicitation/create"
SAMPLING: Final = "sampling/createMessage"


def unaskable(words: Vocabulary, method: str, params: Mapping[str, Any]) -> str | None:
    """Why the revision cannot put it, in a sentence."""
    missing = next(_missing(words, method, params), None)
    return None if missing is None else f"Protocol version {words.version} has no {missing}."


def _missing(words: Vocabulary, method: str, params: Mapping[str, Any]) -> Iterator[str]:
    if method == ELICITATION:
        yield from _missing_in_elicitation(words, params)
    elif method == SAMPLING and not words.has("tools in sampling"):
        if "tools" in params or "toolChoice" in params:
            yield "tools in sampling"
        contents = (content for message in params["messages"] for content in _contents(message))
        if any(content["type"] in ("tool_use", "tool_result") for content in contents):
            yield "uses of tools in the messages of sampling"


def _missing_in_elicitation(words: Vocabulary, params: Mapping[str, Any]) -> Iterator[str]:
    if not words.has("elicitation"):
        yield "elicitation"
    elif params["mode"] != "form":
        if not words.has("modes of elicitation"):
            yield f"{params['mode']} mode of elicitation"
    elif not words.has("multiple choice"):
        for name, field in params["requestedSchema"]["properties"].items():
            if field["type"] == "array":
                yield f"choice of several options in a form, as the field {name!r} wants"


def write(words: Vocabulary, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """The request, without the envelope."""
    if method == ELICITATION:
        params = _url(params) if params["mode"] == "url" else _form(words, params)
    elif method == SAMPLING:
        params = _sampling(words, params)
    return {"method": method, "params": dict(params)}


def _url(params: Mapping[str, Any]) -> dict[str, Any]:
    # Required in 2025-11-25, so that a notification may say that it is done; we send none.
    return {**params, "elicitationId": os.urandom(16).hex()}


def _form(words: Vocabulary, params: Mapping[str, Any]) -> Mapping[str, Any]:
    schema = words.known("requestedSchema", params["requestedSchema"])
    fields = {name: _field(words, field) for name, field in schema["properties"].items()}
    written = {**params, "requestedSchema": {**schema, "properties": fields}}
    if not words.has("modes of elicitation"):
        del written["mode"]
    return written


def _field(words: Vocabulary, field: Mapping[str, Any]) -> dict[str, Any]:
    """A default that is not shown is filled in all the same when the answer is read."""
    written = dict(field)
    if field["type"] != "boolean" and not words.has("defaults of every field"):
        written.pop("default", None)
    if "oneOf" in field and not words.has("titled options"):
        options = written.pop("oneOf")
        written["enum"] = [option["const"] for option in options]
        written["enumNames"] = [option["title"] for option in options]
    return written


def _sampling(words: Vocabulary, params: Mapping[str, Any]) -> dict[str, Any]:
    single = not words.has("several blocks in a message")
    written = {**params, "messages": list(_messages(words, params["messages"], single))}
    if "tools" in params:
        written["tools"] = [entry(words, "Tool", tool) for tool in params["tools"]]
    return written


def _messages(
    words: Vocabulary, messages: list[dict[str, Any]], single: bool
) -> Iterator[dict[str, Any]]:
    """Where a message holds a single block, one of several goes out as several."""
    for message in messages:
        blocks = [_block(words, content) for content in _contents(message)]
        if single or not isinstance(message["content"], list):
            yield from ({**message, "content": content} for content in blocks)
        else:
            yield {**message, "content": blocks}


def _contents(message: Mapping[str, Any]) -> list[Any]:
    content = message["content"]
    return content if isinstance(content, list) else [content]


def _block(words: Vocabulary, content: Mapping[str, Any]) -> dict[str, Any]:
    written = block(words, content)
    if "structuredContent" in written and not is_object(written["structuredContent"]):
        del written["structuredContent"]
    if written["type"] == "tool_result":
        written["content"] = [block(words, nested) for nested in written["content"]]
    return written

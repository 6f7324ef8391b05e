"""The messages that a model is to go on from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..annotations import ROLES
from ..errors import ConfigurationError
from ..response import PromptMessage
from ..schema.options import naming
from .answers import Sampled
from .blocks import TOOL_RESULT, TOOL_USE, block_to_wire


def messages_to_wire(messages: Any) -> list[dict[str, Any]]:
    """Messages out of one text, or a list of messages. Raises ConfigurationError."""
    if isinstance(messages, str):
        messages = [("user", messages)]
    if not isinstance(messages, Sequence) or not messages:
        raise ConfigurationError(
            "messages must be a text, or a list of one message or more, not "
            f"{'an empty list' if isinstance(messages, Sequence) else type(messages).__name__}."
        )
    wire = []
    for index, message in enumerate(messages):
        with naming(f"messages[{index}]"):
            wire.append(_message(message))
    _check_tool_turns(wire)
    return wire


def _message(message: Any) -> dict[str, Any]:
    match message:
        case PromptMessage(role, content) | Sampled(role, content):
            pass
        case {"role": role, "content": content} | (role, content):
            pass
        case _:
            raise ConfigurationError(
                "a message is (role, content), PromptMessage, Sampled, or a mapping with both, not "
                f"{type(message).__name__}."
            )
    if role not in ROLES:
        hint = " Use system_prompt." if role == "system" else ""
        raise ConfigurationError(f"the role is 'user' or 'assistant', not {role!r}.{hint}")
    parts = content if isinstance(content, list | tuple) else (content,)
    if not parts:
        raise ConfigurationError("the content is an empty list.")
    blocks = [block_to_wire(part) for part in parts]
    return {"role": role, "content": blocks[0] if len(blocks) == 1 else blocks}


def _check_tool_turns(messages: list[dict[str, Any]]) -> None:
    """client/sampling, "Message Content Constraints": the uses of tools in one message are
    answered by the next, which holds a result for each and nothing else."""
    used: set[str] = set()
    for index, message in enumerate(messages):
        blocks = _blocks(message)
        given = [block["toolUseId"] for block in blocks if block["type"] == TOOL_RESULT]
        whole = len(given) == len(blocks) and message["role"] == "user"
        if (used or given) and not (whole and sorted(given) == sorted(used)):
            raise ConfigurationError(
                f"messages[{index}] must hold the results of the tools used in the message "
                f"before it, each once and nothing else, in the role of the user."
            )
        used = {block["id"] for block in blocks if block["type"] == TOOL_USE}
        if used and message["role"] != "assistant":
            raise ConfigurationError(f"messages[{index}] uses tools, which an assistant does.")
    if used:
        raise ConfigurationError("the last message uses tools: append their results.")


def _blocks(message: Mapping[str, Any]) -> list[Any]:
    content = message["content"]
    return content if isinstance(content, list) else [content]


def content_blocks(content: Any) -> Iterator[tuple[Any, tuple[str | int, ...]]]:
    """The blocks of a content in wire form, one or a list of them, each with its path."""
    if not isinstance(content, list):
        yield content, ("content",)
        return
    for index, block in enumerate(content):
        yield block, ("content", index)

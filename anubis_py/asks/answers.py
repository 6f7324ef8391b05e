"""What a client answered. `match` on it: every field is positional."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import attrs

from ..annotations import compact


def _immutable(content: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(dict(content))


def _blocks(content: Iterable[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
    return tuple(content)


@attrs.frozen
class Accepted:
    """The user agreed.

    `content` is what was filled in, as JSON: a date is its text, a choice is the value of the
    option. It meets the form, and fields with a default are there even if they were left out.
    For a URL it is empty: the user consented to open it, which says nothing of what came of it.
    """

    content: Mapping[str, Any] = attrs.field(factory=dict, converter=_immutable)

    def to_wire(self) -> dict[str, Any]:
        return {"action": "accept", "content": dict(self.content)}


@attrs.frozen
class Declined:
    """The user said no."""

    def to_wire(self) -> dict[str, Any]:
        return {"action": "decline"}


@attrs.frozen
class Cancelled:
    """The user closed the question without an answer; it may be asked again later."""

    def to_wire(self) -> dict[str, Any]:
        return {"action": "cancel"}


@attrs.frozen
class Sampled:
    """A message of the client's model."""

    role: str
    content: tuple[Mapping[str, Any], ...] = attrs.field(converter=_blocks)
    """The content blocks in wire form; `ask_sampling` takes them back as they are."""
    model: str
    stop_reason: str | None = None
    """Such as "endTurn", "maxTokens" or "toolUse"; None: not known."""

    @property
    def text(self) -> str:
        """The text blocks as one."""
        return "".join(block["text"] for block in self.content if block["type"] == "text")

    def to_wire(self) -> dict[str, Any]:
        blocks = [dict(block) for block in self.content]
        content = blocks[0] if len(blocks) == 1 else blocks
        return {"role": self.role, "content": content, "model": self.model} | compact(
            stopReason=self.stop_reason
        )


@attrs.frozen
class Root:
    """A directory or file that the client works on."""

    uri: str
    name: str | None = None

    def to_wire(self) -> dict[str, Any]:
        return compact(uri=self.uri, name=self.name)

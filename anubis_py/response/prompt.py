"""The messages of a prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Self

import attrs

from ..content import ContentBlock, as_block, optional_mapping, optional_text


@attrs.frozen
class PromptMessage:
    role: str
    content: ContentBlock = attrs.field(converter=as_block)

    def to_wire(self) -> dict[str, Any]:
        return {"role": self.role, "content": self.content.to_wire()}


# The wire knows two roles. What is meant as system text is sent as the user's, as Anubis does.
_WIRE_ROLES: Final = {"user": "user", "assistant": "assistant", "system": "user"}

# As a tuple: a union in isinstance is made anew each time.
_SEVERAL: Final = (list, tuple)

MessageContent = str | ContentBlock | Mapping[str, Any] | list[Any] | tuple[Any, ...]


@attrs.frozen
class PromptResponse:
    """The messages of a prompt, and a description beside them."""

    description: str | None = attrs.field(default=None, validator=optional_text)
    messages: tuple[PromptMessage, ...] = ()
    meta: Mapping[str, Any] | None = attrs.field(default=None, validator=optional_mapping)

    def message(self, role: str, content: MessageContent) -> Self:
        """Append a message. A message holds one block, so a list becomes that many messages."""
        if role not in _WIRE_ROLES:
            raise ValueError(f"a message's role is 'user' or 'assistant', got {role!r}")
        blocks = content if isinstance(content, _SEVERAL) else (content,)
        added = (PromptMessage(_WIRE_ROLES[role], block) for block in blocks)
        return type(self)(self.description, (*self.messages, *added), self.meta)

    def user_message(self, content: MessageContent) -> Self:
        return self.message("user", content)

    def assistant_message(self, content: MessageContent) -> Self:
        return self.message("assistant", content)

    def system_message(self, content: MessageContent) -> Self:
        """Append what is meant as system text; it travels in the user's role."""
        return self.message("system", content)

    def with_meta(self, meta: Mapping[str, Any]) -> Self:
        return attrs.evolve(self, meta=meta)

    @classmethod
    def of(cls, messages: str | Iterable[Any]) -> PromptResponse:
        """From the shorthands: one text, or a list of messages (values or `role`/`content`)."""
        if isinstance(messages, str):
            return cls().user_message(messages)
        response = cls()
        for message in messages:
            if isinstance(message, PromptMessage):
                response = response.message(message.role, message.content)
            elif isinstance(message, Mapping) and {"role", "content"} <= message.keys():
                response = response.message(message["role"], message["content"])
            else:
                raise TypeError(
                    "a message has a 'role' and a 'content', got " + type(message).__name__
                )
        return response

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"messages": [message.to_wire() for message in self.messages]}
        if self.description is not None:
            wire["description"] = self.description
        if self.meta is not None:
            wire["_meta"] = dict(self.meta)
        return wire

"""Builders of answers. Each step returns a new value; nothing is changed in place.

Response.tool().text("21 degrees").structured({"celsius": 21})
Response.prompt("A review").user_message("Please review …")
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Self

import attrs

from .annotations import Annotations, compact
from .content import (
    AudioContent,
    BlobResourceContents,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    ResourceContents,
    ResourceLink,
    TextContent,
    TextResourceContents,
    as_block,
    as_contents,
)
from .encoding import dumps

UNSET: Final = object()

AnnotationsLike = Annotations | Mapping[str, Any] | None


@attrs.frozen
class ToolResponse:
    """The result of a tool: content for the model, and a structured value beside it."""

    blocks: tuple[ContentBlock, ...] = ()
    structured_content: Any = UNSET
    is_error: bool = False
    meta: Mapping[str, Any] | None = None

    def content(self, *blocks: str | ContentBlock | Mapping[str, Any]) -> Self:
        """Append blocks, as values, texts or mappings in wire form."""
        return attrs.evolve(self, blocks=(*self.blocks, *map(as_block, blocks)))

    def text(self, text: str, *, annotations: AnnotationsLike = None) -> Self:
        return self.content(TextContent(text, annotations=annotations))

    def json(self, data: Any, *, annotations: AnnotationsLike = None) -> Self:
        """Append the value as JSON text."""
        return self.text(dumps(data).decode(), annotations=annotations)

    def image(self, data: bytes, mime_type: str, *, annotations: AnnotationsLike = None) -> Self:
        """Append an image; `data` is the raw bytes."""
        return self.content(ImageContent(data, mime_type, annotations=annotations))

    def audio(self, data: bytes, mime_type: str, *, annotations: AnnotationsLike = None) -> Self:
        """Append a recording; `data` is the raw bytes."""
        return self.content(AudioContent(data, mime_type, annotations=annotations))

    def resource_link(self, uri: str, name: str, **members: Any) -> Self:
        """Append a link; members as of `ResourceLink`: title, description, mime_type, size, …"""
        return self.content(ResourceLink(uri, name, **members))

    def embedded_resource(
        self,
        uri: str,
        *,
        text: str | None = None,
        blob: bytes | None = None,
        mime_type: str | None = None,
        annotations: AnnotationsLike = None,
    ) -> Self:
        """Append a resource's contents: exactly one of `text` and `blob`, the raw bytes."""
        contents = _contents(uri, text, blob, mime_type)
        return self.content(EmbeddedResource(contents, annotations=annotations))

    def structured(self, value: Any, *, text: str | None = None) -> Self:
        """Set the structured value, and append it as text for clients that read only text.

        `text` replaces the JSON there, for a summary that reads better.
        """
        text = dumps(value).decode() if text is None else text
        return attrs.evolve(self.text(text), structured_content=value)

    def error(self, message: str) -> Self:
        """Append the message, word for word, and mark the result as failed."""
        return attrs.evolve(self.text(message), is_error=True)

    def with_meta(self, meta: Mapping[str, Any]) -> Self:
        return attrs.evolve(self, meta=meta)

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {
            "content": [block.to_wire() for block in self.blocks],
            "isError": self.is_error,
        }
        # A failure has nothing that could satisfy an output schema.
        if self.structured_content is not UNSET and not self.is_error:
            wire["structuredContent"] = self.structured_content
        if self.meta is not None:
            wire["_meta"] = dict(self.meta)
        return wire


@attrs.frozen
class PromptMessage:
    role: str
    content: ContentBlock = attrs.field(converter=as_block)

    def to_wire(self) -> dict[str, Any]:
        return {"role": self.role, "content": self.content.to_wire()}


# The wire knows two roles. What is meant as system text is sent as the user's, as Anubis does.
_WIRE_ROLES: Final = {"user": "user", "assistant": "assistant", "system": "user"}

MessageContent = str | ContentBlock | Mapping[str, Any] | list[Any] | tuple[Any, ...]


@attrs.frozen
class PromptResponse:
    """The messages of a prompt, and a description beside them."""

    description: str | None = None
    messages: tuple[PromptMessage, ...] = ()
    meta: Mapping[str, Any] | None = None

    def message(self, role: str, content: MessageContent) -> Self:
        """Append a message. A message holds one block, so a list becomes that many messages."""
        if role not in _WIRE_ROLES:
            raise ValueError(f"a message's role is 'user' or 'assistant', got {role!r}")
        blocks = content if isinstance(content, list | tuple) else (content,)
        added = (PromptMessage(_WIRE_ROLES[role], block) for block in blocks)
        return attrs.evolve(self, messages=(*self.messages, *added))

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


def _contents(
    uri: str, text: str | None, blob: bytes | None, mime_type: str | None
) -> ResourceContents:
    if (text is None) == (blob is None):
        raise ValueError("give exactly one of text and blob")
    if text is not None:
        return TextResourceContents(uri, text, mime_type)
    assert blob is not None
    return BlobResourceContents(uri, blob, mime_type)


@attrs.frozen
class ResourceResponse:
    """The contents of a resource: one or several, each text or bytes.

    A content without an own `uri` takes the one that the client asked for, as it sent it; one
    without an own `mime_type` takes the component's.
    """

    contents: tuple[ResourceContents, ...] = ()
    meta: Mapping[str, Any] | None = None

    def text(self, text: str, *, mime_type: str | None = None, uri: str = "") -> Self:
        return self.add(TextResourceContents(uri, text, mime_type))

    def json(self, data: Any, *, mime_type: str = "application/json", uri: str = "") -> Self:
        return self.text(dumps(data).decode(), mime_type=mime_type, uri=uri)

    def blob(self, blob: bytes, *, mime_type: str | None = None, uri: str = "") -> Self:
        """Append binary contents; `blob` is the raw bytes."""
        return self.add(BlobResourceContents(uri, blob, mime_type))

    def add(self, *contents: ResourceContents | Mapping[str, Any]) -> Self:
        """Append contents, as values or mappings in wire form."""
        return attrs.evolve(self, contents=(*self.contents, *map(as_contents, contents)))

    def with_meta(self, meta: Mapping[str, Any]) -> Self:
        return attrs.evolve(self, meta=meta)

    def to_wire(self, uri: str = "", mime_type: str | None = None) -> dict[str, Any]:
        """`uri` and `mime_type` fill what a content does not say of itself."""
        wire: dict[str, Any] = {
            "contents": [
                attrs.evolve(c, uri=c.uri or uri, mime_type=c.mime_type or mime_type).to_wire()
                for c in self.contents
            ]
        }
        if self.meta is not None:
            wire["_meta"] = dict(self.meta)
        return wire


# "Maximum 100 items per response" (server/utilities/completion, "Completion Results").
MAX_COMPLETIONS: Final = 100


@attrs.frozen
class CompletionResponse:
    """Suggestions, the best first. More than 100 are cut, and the answer says so."""

    suggestions: tuple[str, ...] = ()
    total: int | None = None
    has_more: bool | None = None

    def value(self, value: str) -> Self:
        return self.values((value,))

    def values(self, values: Iterable[str]) -> Self:
        added = tuple(values)
        for value in added:
            if not isinstance(value, str):
                raise TypeError(f"a suggestion is a str, got {type(value).__name__}")
        return attrs.evolve(self, suggestions=(*self.suggestions, *added))

    def with_pagination(self, total: int, has_more: bool) -> Self:
        """How many suggestions there are in all, and whether there are more than these."""
        return attrs.evolve(self, total=total, has_more=has_more)

    @classmethod
    def of(cls, values: Iterable[str]) -> CompletionResponse:
        """From the shorthand: an iterable of suggestions."""
        return cls().values(values)

    def to_wire(self) -> dict[str, Any]:
        cut = len(self.suggestions) > MAX_COMPLETIONS
        total = len(self.suggestions) if cut and self.total is None else self.total
        completion = compact(
            values=list(self.suggestions[:MAX_COMPLETIONS]),
            total=total,
            hasMore=True if cut else self.has_more,
        )
        return {"completion": completion}


class Response:
    """Where every answer begins."""

    @staticmethod
    def tool() -> ToolResponse:
        return ToolResponse()

    @staticmethod
    def prompt(description: str | None = None) -> PromptResponse:
        return PromptResponse(description)

    @staticmethod
    def resource() -> ResourceResponse:
        return ResourceResponse()

    @staticmethod
    def completion(values: Iterable[str] = ()) -> CompletionResponse:
        return CompletionResponse.of(values)

"""The result of a tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Self

import attrs

from ..annotations import AnnotationsLike
from ..content import (
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
    optional_mapping,
)
from ..encoding import dumps

UNSET: Final = object()


@attrs.frozen
class ToolResponse:
    """The result of a tool: content for the model, and a structured value beside it."""

    blocks: tuple[ContentBlock, ...] = ()
    structured_content: Any = UNSET
    is_error: bool = False
    meta: Mapping[str, Any] | None = attrs.field(default=None, validator=optional_mapping)

    def content(self, *blocks: str | ContentBlock | Mapping[str, Any]) -> Self:
        """Append blocks, as values, texts or mappings in wire form."""
        return self._with(*map(as_block, blocks))

    def _with(self, *blocks: ContentBlock) -> Self:
        added = (*self.blocks, *blocks)
        return type(self)(added, self.structured_content, self.is_error, self.meta)

    def text(self, text: str, *, annotations: AnnotationsLike = None) -> Self:
        return self._with(TextContent(text, annotations=annotations))

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


def _contents(
    uri: str, text: str | None, blob: bytes | None, mime_type: str | None
) -> ResourceContents:
    if (text is None) == (blob is None):
        raise ValueError("give exactly one of text and blob")
    if text is not None:
        return TextResourceContents(uri, text, mime_type)
    assert blob is not None
    return BlobResourceContents(uri, blob, mime_type)

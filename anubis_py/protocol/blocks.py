"""Content blocks in the words of a revision."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from ..encoding import dumps
from .vocabulary import Vocabulary

_SHAPES: Final = ("ContentBlock", "ResourceLink", "ResourceContents", "Annotations")


def each(values: Any, write: Callable[[Mapping[str, Any]], Any]) -> Any:
    """A list of objects, each written. Anything else stays: it is for whoever made it to mend."""
    if not isinstance(values, list | tuple):
        return values
    return [write(value) if isinstance(value, Mapping) else value for value in values]


def is_object(value: Any) -> bool:
    """Whether a value is an object once it is JSON. Raises TypeError where JSON has no form."""
    return type(value) is dict or dumps(value).startswith(b"{")


@cache
def same_blocks(words: Vocabulary) -> bool:
    """Whether the revision has every block as it is. Asked for every result: it is known of each
    of the few revisions."""
    return words.complete(*_SHAPES) and words.has("resource_link")


def block(words: Vocabulary, wire: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a block in wire form."""
    if wire.get("type") == "resource_link" and not words.has("resource_link"):
        wire = _as_text(wire)
    written = annotated(words, dict(words.known("ContentBlock", wire)))
    if wire.get("type") == "resource_link":
        return dict(words.known("ResourceLink", written))
    if wire.get("type") == "resource" and isinstance(written.get("resource"), Mapping):
        written["resource"] = words.known("ResourceContents", written["resource"])
    return written


def annotated(words: Vocabulary, written: dict[str, Any]) -> dict[str, Any]:
    """With the annotations that the revision has. `written` is the caller's own, and changes."""
    if isinstance(written.get("annotations"), Mapping):
        written["annotations"] = words.known("Annotations", written["annotations"])
    return written


def _as_text(link: Mapping[str, Any]) -> dict[str, Any]:
    """What a link says, where there are none: a model can still read the URI."""
    text = {"type": "text", "text": f"{link.get('name')}: {link.get('uri')}"}
    return text | {member: link[member] for member in ("annotations",) if member in link}

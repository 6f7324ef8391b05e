"""A member of an object: what `field()` and `embeds_*()` return."""

from __future__ import annotations

from typing import Any, Final

import attrs

from anubis_py.schema.shape import Definitions, Document, Shape


class _Unset:
    """No default, where None is one. (attrs keeps its own NOTHING to itself.)"""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = _Unset()


@attrs.frozen(eq=False)
class Field:
    """A named member. `default` is a JSON value that `shape` accepts, or UNSET."""

    name: str
    shape: Shape
    required: bool = False
    default: Any = UNSET
    title: str | None = None
    description: str | None = None
    examples: tuple[Any, ...] | None = None
    deprecated: bool = False
    header: str | None = None
    """Clients repeat the argument in the HTTP header `Mcp-Param-{header}`."""

    def json_schema(self, definitions: Definitions) -> Document:
        notes = {
            "title": self.title,
            "description": self.description,
            "examples": None if self.examples is None else list(self.examples),
            "deprecated": self.deprecated or None,
            "x-mcp-header": self.header,
        }
        document = self.shape.json_schema(definitions)
        document = document | {key: note for key, note in notes.items() if note is not None}
        return document if self.default is UNSET else document | {"default": self.default}

    def prompt_argument(self) -> dict[str, Any]:
        """The entry in a prompt's `arguments`; the specification knows these four members."""
        argument: dict[str, Any] = {"name": self.name}
        if self.title is not None:
            argument["title"] = self.title
        if self.description is not None:
            argument["description"] = self.description
        return argument | {"required": self.required}

"""A declared schema: a shape, written as JSON Schema and compiled by voluptuous."""

from __future__ import annotations

from typing import Any

import attrs
import voluptuous as vol

from anubis_py.schema.faults import Fault, Invalid, faults_of
from anubis_py.schema.member import Field
from anubis_py.schema.objects import ObjectShape
from anubis_py.schema.shape import Check, Definitions, Reference, Shape, compile_shape


@attrs.frozen(eq=False, repr=False)
class Compiled:
    json_schema: dict[str, Any]
    names: tuple[str, ...]
    _members: dict[str, Field]
    _check: Check

    @classmethod
    def of(cls, shape: Shape) -> Compiled:
        root = shape.definition.shape if isinstance(shape, Reference) else shape
        assert isinstance(root, ObjectShape)
        members = {member.name: member for member in root.members}
        return cls(_document(root), tuple(members), members, compile_shape(shape, vol.Schema({})))

    def validate(self, value: Any) -> Any:
        try:
            return self._check([], value)
        except vol.Invalid as error:
            raise Invalid(faults_of(error)) from None
        except RecursionError:
            raise Invalid([Fault((), "nested too deeply")]) from None

    def from_text(self, name: str, text: str) -> Any:
        member = self._members.get(name)
        return text if member is None else member.shape.from_text(text)

    def expects(self, name: str) -> str:
        shape = self._members[name].shape
        json_text = "JSON text of " if shape.json_types & {"array", "object"} else ""
        return json_text + shape.expects

    def prompt_arguments(self) -> list[dict[str, Any]]:
        return [member.prompt_argument() for member in self._members.values()]


def _document(root: ObjectShape) -> dict[str, Any]:
    """The root in full, since it must say `"type": "object"` itself, and `$defs` beside it."""
    definitions = Definitions()
    document = root.json_schema(definitions)
    return document | {"$defs": definitions.documents} if definitions.documents else document

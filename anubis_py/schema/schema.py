"""A schema: one document that is advertised, and the check that means the same."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, Protocol

import attrs

from anubis_py.schema.compiled import Compiled
from anubis_py.schema.declaration import Declaration, object_shape
from anubis_py.schema.faults import Fault, Invalid
from anubis_py.schema.options import naming


class _Form(Protocol):
    """How a schema is held: compiled from a declaration, or raw."""

    @property
    def json_schema(self) -> dict[str, Any]: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    def validate(self, value: Any) -> Any: ...
    def from_text(self, name: str, text: str) -> Any: ...
    def expects(self, name: str) -> str: ...
    def prompt_arguments(self) -> list[dict[str, Any]]: ...


@attrs.frozen(eq=False, repr=False)
class Schema:
    """What a value must look like. Made when a class is created, used for every request.

    `json_schema` is the document to advertise, `names` are the members it names, and
    `owner` is who declared it, for error messages.
    """

    owner: str
    json_schema: dict[str, Any]
    names: tuple[str, ...]
    _form: _Form

    @classmethod
    def of(cls, declaration: Schema | Declaration, *, owner: str, extra: bool = False) -> Schema:
        """Compile a declaration: fields, a voluptuous mapping, or an attrs class.

        None or an empty list is an object without members, and a Schema is returned as it
        is. `extra` lets members pass that the declaration does not name. Raises
        ConfigurationError, naming the owner.
        """
        if isinstance(declaration, Schema):
            return declaration
        with naming(owner):
            return cls._holding(Compiled.of(object_shape(declaration, extra=extra)), owner)

    @classmethod
    def from_json_schema(
        cls, document: Mapping[str, Any], *, owner: str, object_root: bool = True
    ) -> Schema:
        """Take raw JSON Schema, which is advertised word for word.

        It is read as 2020-12, or as the dialect that its `$schema` names. `format` is not
        checked, defaults are not filled in, and no `$ref` is ever fetched. Raises
        ConfigurationError if the document is invalid or refers to another one, and, with
        `object_root`, unless its root says `"type": "object"`.
        """
        # Imported by those who use it: most declare fields.
        from anubis_py.schema.raw import Raw

        with naming(owner):
            return cls._holding(Raw.of(document, object_root=object_root), owner)

    @classmethod
    def _holding(cls, form: _Form, owner: str) -> Schema:
        return cls(owner, form.json_schema, form.names, form)

    def validate(self, value: Any) -> Any:
        """The valid value, with defaults: a dict, or an instance of the declared class.

        Raises Invalid, with all faults at every depth.
        """
        return self._form.validate(value)

    def validate_strings(self, value: Mapping[str, Any]) -> Any:
        """Like `validate`, for a prompt's arguments, which are strings on the wire.

        A member of another type is read from its string: "3", "true", "2024-02-29", JSON
        text of an array or object. Members of type str take the string untouched.
        """
        read: dict[str, Any] = {}
        unreadable: dict[tuple[Hashable, ...], Fault] = {}
        for name, text in value.items():
            try:
                read[name] = self._form.from_text(name, text) if isinstance(text, str) else text
            except ValueError:
                expected = self._form.expects(name)
                unreadable[name,] = Fault(
                    (name,), f"expected {expected}, got a string that is none"
                )
        if not unreadable:
            return self._form.validate(read)
        # What could not be read is missing from the rest, which is no fault of the caller's.
        others = [fault for fault in self._faults(read) if fault.path[:1] not in unreadable]
        raise Invalid([*unreadable.values(), *others])

    def _faults(self, value: Any) -> tuple[Fault, ...]:
        try:
            self._form.validate(value)
        except Invalid as error:
            return error.faults
        return ()

    def check(self, value: Any) -> None:
        """Raise Invalid if the value does not meet the schema."""
        self._form.validate(value)

    def prompt_arguments(self) -> list[dict[str, Any]]:
        """The `arguments` of a prompt in prompts/list."""
        return self._form.prompt_arguments()

    def __repr__(self) -> str:
        return f"<Schema of {self.owner}: {', '.join(self.names) or 'no members'}>"

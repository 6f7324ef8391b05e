"""Shapes of values without parts: any value, null, boolean, string."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

import attrs
import voluptuous as vol

from anubis_py.schema.faults import json_type, mismatch
from anubis_py.schema.lengths import FREE, Lengths
from anubis_py.schema.patterns import portable
from anubis_py.schema.shape import Check, Definitions, Document, Shape

EVERY_TYPE = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})


class AnyShape(Shape):
    expects: ClassVar[str] = "any value"
    json_types: ClassVar[frozenset[str]] = EVERY_TYPE

    def json_schema(self, definitions: Definitions) -> Document:
        return {}

    def __voluptuous_compile__(self, schema: vol.Schema) -> Check:
        return lambda path, value: value


ANY = AnyShape()


class NullShape(Shape):
    expects: ClassVar[str] = "null"
    json_types: ClassVar[frozenset[str]] = frozenset({"null"})

    def json_schema(self, definitions: Definitions) -> Document:
        return {"type": "null"}

    def __voluptuous_compile__(self, schema: vol.Schema) -> Check:
        def check(path: list[Any], value: Any) -> None:
            if value is not None:
                raise mismatch(path, "null", json_type(value))

        return check

    def from_text(self, text: str) -> Any:
        if text.strip() != "null":
            raise ValueError
        return None


class BooleanShape(Shape):
    expects: ClassVar[str] = "boolean"
    json_types: ClassVar[frozenset[str]] = frozenset({"boolean"})

    def json_schema(self, definitions: Definitions) -> Document:
        return {"type": "boolean"}

    def __voluptuous_compile__(self, schema: vol.Schema) -> Check:
        def check(path: list[Any], value: Any) -> bool:
            if isinstance(value, bool):
                return value
            raise mismatch(path, "boolean", json_type(value))

        return check

    def from_text(self, text: str) -> Any:
        match text.strip().lower():
            case "true":
                return True
            case "false":
                return False
        raise ValueError


@attrs.frozen(eq=False, repr=False)
class StringShape(Shape):
    """Lengths count code points, as JSON Schema does. `pattern` is searched, not anchored.

    Patterns are ECMA-262 in JSON Schema. They are run by Python's `re.search` here, as the
    stock Python validator does, and what only Python understands is refused when declared
    (patterns.py).
    """

    takes: ClassVar[frozenset[str]] = frozenset(
        {"min", "max", "min_length", "max_length", "regex", "format"}
    )
    json_types: ClassVar[frozenset[str]] = frozenset({"string"})

    lengths: Lengths = FREE
    pattern: str | None = None
    format: str | None = None

    @property
    def expects(self) -> str:
        matching = f" matching {self.pattern}" if self.pattern is not None else ""
        return f"string{self.lengths.phrase('character')}{matching}"

    def json_schema(self, definitions: Definitions) -> Document:
        document = {"type": "string", **self.lengths.json_schema("minLength", "maxLength")}
        if self.pattern is not None:
            document["pattern"] = self.pattern
        if self.format is not None:
            document["format"] = self.format
        return document

    def __voluptuous_compile__(self, schema: vol.Schema) -> Check:
        expects, lengths = self.expects, self.lengths
        if self.pattern is None and not lengths:
            return _any_string
        search = re.compile(self.pattern or "").search

        def check(path: list[Any], value: Any) -> str:
            if isinstance(value, str):
                if lengths.fit(len(value)) and search(value):
                    return value
                raise mismatch(path, expects, lengths.found("string", len(value), "character"))
            raise mismatch(path, expects, json_type(value))

        return check

    def constrained(self, options: Mapping[str, Any]) -> Shape:
        lengths = Lengths.of(options, ("min", "min_length"), ("max", "max_length"))
        pattern = portable(options["regex"]) if "regex" in options else self.pattern
        return attrs.evolve(
            self, lengths=lengths, pattern=pattern, format=options.get("format", self.format)
        )


def _any_string(path: list[Any], value: Any) -> str:
    if isinstance(value, str):
        return value
    raise mismatch(path, "string", json_type(value))

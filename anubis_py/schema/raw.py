"""Raw JSON Schema, validated by jsonschema-rs under the dialect that it declares.

Integers of any size are compared exactly, and patterns are read as ECMA-262.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Final, NoReturn

import attrs

from anubis_py.errors import ConfigurationError, near_miss
from anubis_py.schema.faults import Fault, Invalid
from anubis_py.schema.raw_faults import Validator, faults_in
from anubis_py.schema.values import from_json_text

# The classes of jsonschema-rs, by `$schema`. MCP: without one, a schema is 2020-12.
_DIALECTS: Final = {
    "https://json-schema.org/draft/2020-12/schema": "Draft202012Validator",
    "https://json-schema.org/draft/2019-09/schema": "Draft201909Validator",
    "http://json-schema.org/draft-07/schema": "Draft7Validator",
    "http://json-schema.org/draft-06/schema": "Draft6Validator",
    "http://json-schema.org/draft-04/schema": "Draft4Validator",
}
_DEFAULT: Final = "https://json-schema.org/draft/2020-12/schema"


@attrs.frozen(eq=False, repr=False)
class Raw:
    json_schema: dict[str, Any]
    names: tuple[str, ...]
    _validator: Validator

    @classmethod
    def of(cls, document: Mapping[str, Any], *, object_root: bool) -> Raw:
        if not isinstance(document, Mapping):
            raise ConfigurationError(
                f"JSON Schema must be a mapping here, not {type(document).__name__}"
            )
        # A copy: what is advertised and what is checked must not come apart later.
        own = copy.deepcopy(dict(document))
        if object_root and own.get("type") != "object":
            raise ConfigurationError(
                'the root of the schema must say "type": "object", because arguments are'
                f" an object. It says {own.get('type', 'nothing')!r}"
            )
        validator = _validator(own)
        properties = own.get("properties")
        return cls(own, tuple(properties) if isinstance(properties, dict) else (), validator)

    def validate(self, value: Any) -> Any:
        """The value itself: to fill in defaults is no business of JSON Schema."""
        try:
            if self._validator.is_valid(value):
                return value
            faults = faults_in(self._validator, self.json_schema, value)
        except (ValueError, RecursionError):  # what jsonschema-rs says of non-JSON
            faults = [Fault((), "expected JSON, got a value that JSON cannot say")]
        raise Invalid(faults)

    def from_text(self, name: str, text: str) -> Any:
        """JSON, if the property's own `type` rules a string out; else the text itself."""
        types = self._types(name)
        if not types or "string" in types:
            return text
        return from_json_text(text)

    def expects(self, name: str) -> str:
        types = self._types(name)
        json_text = "JSON text of " if {"array", "object"} & set(types) else ""
        return json_text + " or ".join(types)

    def _types(self, name: str) -> list[str]:
        schema = self.json_schema.get("properties", {}).get(name)
        types = schema.get("type", []) if isinstance(schema, dict) else []
        return [types] if isinstance(types, str) else types

    def prompt_arguments(self) -> list[dict[str, Any]]:
        return [self._prompt_argument(name) for name in self.names]

    def _prompt_argument(self, name: str) -> dict[str, Any]:
        schema = self.json_schema["properties"][name]
        notes = schema if isinstance(schema, dict) else {}
        said = {key: notes[key] for key in ("title", "description") if key in notes}
        return {"name": name, **said, "required": name in self.json_schema.get("required", ())}


def _validator(document: dict[str, Any]) -> Validator:
    # Imported when the first raw schema is used: most servers have none.
    import jsonschema_rs

    wanted: list[str] = []

    def refuse(uri: str) -> NoReturn:
        wanted.append(uri)
        raise ValueError("never fetched")

    make = getattr(jsonschema_rs, _dialect(document))
    try:
        # A retriever of our own, because the default one fetches. `format` is an annotation
        # to stock validators, whatever the dialect.
        validator: Validator = make(document, retriever=refuse, validate_formats=False)
    except (ValueError, TypeError, jsonschema_rs.ReferencingError) as error:
        if wanted:
            raise ConfigurationError(
                f"$ref to {wanted[0]!r} is outside of the schema, and is never fetched. Copy what"
                " it names under $defs, and refer to that"
            ) from None
        raise ConfigurationError(f"invalid JSON Schema{_where(error)}") from None
    return validator


def _dialect(document: dict[str, Any]) -> str:
    declared = document.get("$schema", _DEFAULT)
    # draft-07 and older end in an empty fragment, which says nothing.
    name = _DIALECTS.get(declared.removesuffix("#")) if isinstance(declared, str) else None
    if name is None:
        hint = near_miss(declared, _DIALECTS) if isinstance(declared, str) else ""
        raise ConfigurationError(
            f"$schema names an unsupported dialect: {declared!r}.{hint}"
            f" Supported: {', '.join(_DIALECTS)}"
        )
    return name


def _where(error: Exception) -> str:
    path = getattr(error, "instance_path", [])
    message = getattr(error, "message", str(error))
    return f" at {'/'.join(map(str, path))}: {message}" if path else f": {message}"

"""Shapes of a value out of a fixed set: enumerations and literals."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping
from functools import cached_property
from typing import Any, Final

import attrs
import voluptuous as vol

from anubis_py.errors import ConfigurationError
from anubis_py.schema.faults import json_type, mismatch
from anubis_py.schema.shape import Check, Definitions, Document, Shape
from anubis_py.schema.values import Scalar, from_json_text, identity, is_scalar

# A sentence is not the place for a list of countries; the schema has them all.
_SHOWN: Final = 20
_SCALARS: Final = frozenset({"string", "integer", "number", "boolean", "null"})


@attrs.frozen(eq=False, repr=False)
class Either:
    """What `enum("a") | None` is: a declared type, like the `X | Y` of two classes."""

    members: tuple[Any, ...]

    def __or__(self, other: Any) -> Either:
        return Either((*self.members, other))

    def __ror__(self, other: Any) -> Either:
        return Either((other, *self.members))


@attrs.frozen(eq=False, repr=False)
class ChoiceShape(Shape):
    """`options` as JSON says them; `results` is what the callback gets for each of them.

    `titles` are what people are shown instead, one for each option, or none at all.
    """

    options: tuple[Scalar, ...]
    results: tuple[Any, ...]
    titles: tuple[str, ...] = ()

    @classmethod
    def of(cls, options: Iterable[object], results: Iterable[Any] | None = None) -> ChoiceShape:
        """Raises ConfigurationError for no options, equal ones, and what is not scalar JSON."""
        options = tuple(options)
        checked = [option for option in options if is_scalar(option)]
        if wrong := [option for option in options if json_type(option) not in _SCALARS]:
            raise ConfigurationError(
                f"options must be strings, numbers, booleans or None, and {wrong[0]!r} is none"
            )
        if not options:
            raise ConfigurationError("there are no options to choose from. Give one or more")
        if len(set(map(identity, options))) < len(options):
            raise ConfigurationError("the same option is there twice. Remove one")
        return cls(tuple(checked), options if results is None else tuple(results))

    @classmethod
    def titled(cls, titles: Mapping[Any, Any]) -> ChoiceShape:
        """Options and the title of each. Raises ConfigurationError as `of` does."""
        for option, title in titles.items():
            if not isinstance(title, str) or not title:
                raise ConfigurationError(
                    f"the title of option {option!r} must be a str that is not empty, not {title!r}"
                )
        return attrs.evolve(cls.of(titles), titles=tuple(titles.values()))

    def __or__(self, other: Any) -> Either:
        return Either((self, other))

    def __ror__(self, other: Any) -> Either:
        return Either((other, self))

    @property
    def expects(self) -> str:
        shown = [json.dumps(option, ensure_ascii=False) for option in self.options[:_SHOWN]]
        if len(self.options) == 1:
            return shown[0]
        hidden = len(self.options) - _SHOWN
        return f"one of {', '.join(shown)}" + (f" and {hidden} more" if hidden > 0 else "")

    @property
    def json_types(self) -> frozenset[str]:
        types = {json_type(option) for option in self.options}
        return frozenset(types | {"integer", "number"} if types & {"integer", "number"} else types)

    def json_schema(self, definitions: Definitions) -> Document:
        types = {json_type(option) for option in self.options}
        # Redundant beside `enum`, but some clients build their forms from `type` alone.
        document: Document = {"type": types.pop()} if len(types) == 1 else {}
        if self.titles:
            return {**document, "oneOf": self.titled_options()}
        if self.options == (None,):
            return document
        if len(self.options) == 1:
            return {**document, "const": self.options[0]}
        return {**document, "enum": list(self.options)}

    def titled_options(self) -> list[Document]:
        """JSON Schema has no word for a title beside an option: it is a schema of its own."""
        pairs = zip(self.options, self.titles, strict=True)
        return [{"const": option, "title": title} for option, title in pairs]

    @cached_property
    def _found(self) -> dict[Hashable, Any]:
        return dict(zip(map(identity, self.options), self.results, strict=True))

    def accepts(self, value: Any) -> bool:
        # Lists and objects are no options, and big ones would be slow to look up.
        return is_scalar(value) and identity(value) in self._found

    def __voluptuous_compile__(self, schema: vol.Schema) -> Check:
        expects, found, accepts = self.expects, self._found, self.accepts

        def check(path: list[Any], value: Any) -> Any:
            if accepts(value):
                return found[identity(value)]
            raise mismatch(path, expects, json_type(value))

        return check

    def from_text(self, text: str) -> Any:
        if text in self.options:
            return text
        try:
            value = from_json_text(text)
        except ValueError:
            return text
        return value if is_scalar(value) else text

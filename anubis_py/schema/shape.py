"""What a value must look like, as a tree of shapes.

Every way to declare a schema ends in such a tree, and everything is derived from it: the
JSON Schema that is advertised and the voluptuous validator that is run. A shape states both
side by side, so that neither can drift from the other: a shape accepts exactly what a stock
validator accepts under `json_schema`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import attrs
import voluptuous as vol

from anubis_py.errors import ConfigurationError

# What voluptuous compiles a validator to: (path, value) -> validated value, or vol.Invalid.
Check = Callable[[list[Any], Any], Any]
Document = dict[str, Any]


class Shape:
    """One node of the tree. It is a voluptuous validator: `vol.Schema(shape)` compiles it."""

    # Names of the options of field() that say something about this shape.
    takes: ClassVar[frozenset[str]] = frozenset()

    @property
    def expects(self) -> str:
        """What a value must be, to follow "expected" in a sentence."""
        raise NotImplementedError

    @property
    def json_types(self) -> frozenset[str]:
        """The JSON types of the values that may be accepted."""
        raise NotImplementedError

    def json_schema(self, definitions: Definitions) -> Document:
        raise NotImplementedError

    def __voluptuous_compile__(self, schema: vol.Schema) -> Check:
        # voluptuous' own protocol: it passes the path along, and so must we.
        raise NotImplementedError

    def glance(self, value: Any) -> int:
        """How many faults a value of the right JSON type shows without a look inside.

        Unions choose by it. More than 0 only if the value is refused.
        """
        return 0

    def from_text(self, text: str) -> Any:
        """The JSON value that a prompt argument's string stands for.

        What comes back is validated afterwards. Raises ValueError if the string is none.
        """
        return text

    def constrained(self, options: Mapping[str, Any]) -> Shape:
        """This shape with options that are all in `takes`. Raises ConfigurationError."""
        return self


def compile_shape(shape: Shape, schema: vol.Schema) -> Check:
    check: Check = schema._compile(shape)  # type: ignore[no-untyped-call]
    return check


@attrs.define(eq=False, repr=False)
class Definition:
    """A class that fields refer to, perhaps its own. `shape` is set once the class is read."""

    cls: type
    shape: Shape | None = None
    recursive: bool = False
    _check: Check | None = None

    def read(self) -> Shape:
        if self.shape is None:
            raise ConfigurationError(
                f"a default holds a {self.cls.__name__}, which is only being declared."
                " Leave the default out"
            )
        return self.shape

    def check(self, path: list[Any], value: Any) -> Any:
        return self.compiled()(path, value)

    def compiled(self) -> Check:
        if self._check is None:
            shape = self.read()
            # The stand-in ends the recursion: parts of the shape compile to it.
            self._check = self.check
            self._check = compile_shape(shape, vol.Schema(object))
        return self._check


@attrs.define(eq=False, repr=False)
class Definitions:
    """The `$defs` of one document, filled while the document is written."""

    documents: dict[str, Document] = attrs.field(factory=dict)
    _names: dict[type, str] = attrs.field(factory=dict)

    def reference(self, definition: Definition) -> Document:
        name = self._names.get(definition.cls)
        if name is None:
            name = self._names[definition.cls] = self._free_name(definition.cls.__name__)
            self.documents[name] = {}  # holds the place: writing it may refer to itself
            self.documents[name] = definition.read().json_schema(self)
        return {"$ref": f"#/$defs/{name}"}

    def _free_name(self, wanted: str) -> str:
        taken = self._names.values()
        names = (wanted if n == 1 else f"{wanted}{n}" for n in range(1, len(taken) + 2))
        return next(name for name in names if name not in taken)


@attrs.frozen(eq=False, repr=False)
class Reference(Shape):
    """The shape of a class. Only one that contains itself is written as `$ref`."""

    definition: Definition

    @property
    def expects(self) -> str:
        return "object"

    @property
    def json_types(self) -> frozenset[str]:
        return frozenset({"object"})

    def json_schema(self, definitions: Definitions) -> Document:
        if self.definition.recursive:
            return definitions.reference(self.definition)
        return self.definition.read().json_schema(definitions)

    def __voluptuous_compile__(self, schema: vol.Schema) -> Check:
        # A class that is still being read cannot be compiled yet.
        ready = self.definition.shape is not None
        return self.definition.compiled() if ready else self.definition.check

    def glance(self, value: Any) -> int:
        return self.definition.read().glance(value)

    def from_text(self, text: str) -> Any:
        return self.definition.read().from_text(text)


def at_most_one(options: Mapping[str, Any], *names: str) -> str | None:
    """The name of the one option given out of several that say the same."""
    given = [name for name in names if name in options]
    if len(given) > 1:
        raise ConfigurationError(f"{' and '.join(given)} say the same. Keep one of them")
    return given[0] if given else None

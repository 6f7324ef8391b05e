"""attrs classes as declarations: a member for every attribute that `__init__` takes.

`attrs.field(metadata={"description": …, "min": …})` takes the options of `field()`. The
callback gets an instance, so its editor and its type checker know what it was given.
"""

from __future__ import annotations

import enum
import logging
import re
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import voluptuous as vol

from anubis_py.errors import ConfigurationError
from anubis_py.schema.member import UNSET, Field
from anubis_py.schema.objects import Build, ObjectShape
from anubis_py.schema.options import make_field, naming
from anubis_py.schema.shape import Definition, Reference, Shape
from anubis_py.schema.values import plain

logger = logging.getLogger(__name__)

Known = dict[type, Definition]
ShapeOf = Callable[[Any, Known], Shape]


def read_class(cls: type, known: Known, shape_of: ShapeOf) -> Reference:
    """A reference to the shape of `cls`, which may contain itself. Raises ConfigurationError."""
    definition = known.get(cls)
    if definition is None:
        definition = known[cls] = Definition(cls)
        with naming(cls.__qualname__):
            members = tuple(_members(cls, known, shape_of))
            definition.shape = ObjectShape(members, build=_builder(cls))
    elif definition.shape is None:
        definition.recursive = True
    return Reference(definition)


def _members(cls: type, known: Known, shape_of: ShapeOf) -> Iterator[Field]:
    for attribute in attrs.fields(_resolved(cls)):
        if attribute.init:
            with naming(f"attribute {attribute.name!r}"):
                yield _member(attribute, shape_of(attribute.type or Any, known))


def _resolved(cls: type) -> Any:
    """The class, with annotations that were strings resolved."""
    try:
        # Its own name is unknown to its module while it is created, or if a function does so.
        return attrs.resolve_types(cls, localns={cls.__name__: cls})
    except (NameError, TypeError, SyntaxError) as error:
        raise ConfigurationError(
            f"an annotation cannot be resolved: {error}. Define what it names at the top of the"
            " module, and import it there (not under TYPE_CHECKING)"
        ) from None


def _member(attribute: attrs.Attribute[Any], shape: Shape) -> Field:
    assert attribute.alias is not None
    options = {key: value for key, value in attribute.metadata.items() if isinstance(key, str)}
    return make_field(
        attribute.alias,
        shape,
        options,
        required=attribute.default is attrs.NOTHING,
        default=_advertised(attribute.default),
    )


def _advertised(default: Any) -> Any:
    """The default, unless it is another one every time. attrs itself fills it in."""
    if not isinstance(default, attrs.Factory):  # type: ignore[arg-type]
        return UNSET if default is attrs.NOTHING else default
    if default.takes_self:
        return UNSET
    first, second = default.factory(), default.factory()
    try:
        return first if plain(first) == plain(second) else UNSET
    except TypeError:
        return first  # refused where it can be named


def _builder(cls: type) -> Build:
    structure: Callable[[dict[str, Any], Any], Any] | None = None

    def build(members: dict[str, Any]) -> Any:
        nonlocal structure
        if structure is None:
            structure = _structure(cls)
        try:
            return structure(members, cls)
        except RecursionError:
            raise
        except Exception as error:
            raise _fault(cls, members, error) from error

    return build


def _structure(cls: type) -> Callable[[dict[str, Any], Any], Any]:
    """cattrs' generated code for `cls(**members)`: aliases, keyword-only, left-out members."""
    # Imported when the first class is used: it costs as much as the rest of the package.
    from cattrs import Converter
    from cattrs.gen import make_dict_structure_fn

    converter = Converter()
    # The members have been validated and converted one by one: there is nothing to do to them.
    converter.register_structure_hook_func(lambda _: True, lambda value, _: value)
    return make_dict_structure_fn(
        cls, converter, _cattrs_detailed_validation=False, _cattrs_use_alias=True
    )


def _fault(cls: type, members: dict[str, Any], error: Exception) -> vol.Invalid:
    """What the class itself has against valid members, without showing one of them.

    A ValueError with a sentence is how a class speaks to its caller, so the sentence is told
    if it repeats nothing that was sent. Anything else is not meant for a reader.
    """
    text = error.args[0] if error.args and isinstance(error.args[0], str) else ""
    if not isinstance(error, ValueError | TypeError):
        logger.warning("%s raised %s for members", cls.__qualname__, type(error).__name__)
    # Exactly ValueError: its subclasses come from libraries, and speak of their own affairs.
    told = type(error) is ValueError and len(error.args) == 1 and not _shows(text, members)
    return vol.Invalid(text if told else f"not accepted by {cls.__name__}", _blamed(cls, text))


def _blamed(cls: Any, text: str) -> list[Any]:
    """The path to the attribute with which attrs' own validators begin their sentences."""
    named = re.match(r"'(\w+)' ", text)
    return [each.alias for each in attrs.fields(cls) if named and each.name == named[1]]


def _shows(text: str, members: dict[str, Any]) -> bool:
    return any(_shown(value, text) for value in members.values())


def _shown(value: Any, text: str) -> bool:
    """Whether any part of the value can be read in the text."""
    if isinstance(value, enum.Enum):
        return _shown(value.value, text)
    if isinstance(value, str):
        return value != "" and value in text
    if isinstance(value, dict):
        return any(_shown(part, text) for item in value.items() for part in item)
    if isinstance(value, list | tuple):
        return any(_shown(item, text) for item in value)
    if attrs.has(type(value)):
        return any(_shown(getattr(value, each.name), text) for each in attrs.fields(type(value)))
    return re.search(rf"(?<!\w){re.escape(str(value))}(?!\w)", text) is not None

"""The one converter from the wire to typed params."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, TypeVar, Union, get_args, get_origin

import attrs
from cattrs import AttributeValidationNote, ClassValidationError, Converter
from cattrs.gen import make_dict_structure_fn, override

from ..errors import McpError, invalid_params

T = TypeVar("T")

JsonObject = dict[str, Any]
StringMap = dict[str, str]


class WrongShape(Exception):
    """A value is not what its place asks for; the text completes "expected …"."""


_JSON_TYPES: Final = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def json_type(value: Any) -> str:
    return _JSON_TYPES.get(type(value), type(value).__name__)


def _string(value: Any, _: Any) -> str:
    if type(value) is not str:
        raise WrongShape(f"expected a string, got {json_type(value)}")
    return value


def json_object(value: Any, _: Any = None) -> JsonObject:
    if type(value) is not dict:
        raise WrongShape(f"expected an object, got {json_type(value)}")
    return value


def _string_map(value: Any, _: Any) -> StringMap:
    for name, member in json_object(value).items():
        if type(member) is not str:
            raise WrongShape(f"expected {name!r} to be a string, got {json_type(member)}")
    return value  # type: ignore[no-any-return]


def _boolean(value: Any, _: Any) -> bool:
    if type(value) is not bool:
        raise WrongShape(f"expected a boolean, got {json_type(value)}")
    return value


def _strings(value: Any, _: Any) -> list[str]:
    if type(value) is not list or not all(type(member) is str for member in value):
        raise WrongShape("expected an array of strings")
    return value


def _configured(converter: Converter) -> Converter:
    converter.register_structure_hook(str, _string)
    converter.register_structure_hook(bool, _boolean)
    converter.register_structure_hook_func(lambda kind: kind == list[str], _strings)
    converter.register_structure_hook_func(lambda kind: kind == JsonObject, json_object)
    converter.register_structure_hook_func(lambda kind: kind == StringMap, _string_map)

    def params(cls: type[Any]) -> Any:
        structure = _members(cls, converter)

        def checked(value: Any, kind: Any) -> Any:
            return structure(json_object(value), kind)

        return checked

    def optional(kind: Any) -> Any:
        (of,) = (argument for argument in get_args(kind) if argument is not NoneType)
        structure = converter.get_structure_hook(of)

        def checked(value: Any, _: Any) -> Any:
            return None if value is None else structure(value, of)

        return checked

    converter.register_structure_hook_factory(attrs.has, params)
    # cattrs' own looks its hook up anew for every value.
    converter.register_structure_hook_factory(_is_optional, optional)
    return converter


def _members(cls: type[Any], converter: Converter) -> Callable[[Any, Any], Any]:
    """Reads a class from a mapping; what is none has to be refused before."""
    names = {a.name: override(rename=wire_name(a)) for a in attrs.fields(cls)}
    return make_dict_structure_fn(cls, converter, **names)  # type: ignore[arg-type]


def _is_optional(kind: Any) -> bool:
    arguments = get_args(kind)
    union = get_origin(kind) in (Union, UnionType)
    return union and len(arguments) == 2 and NoneType in arguments


def wire_name(attribute: attrs.Attribute[Any]) -> str:
    """The name on the wire: the metadata's, or the attribute's in camel case."""
    head, *tail = attribute.name.split("_")
    name: str = attribute.metadata.get("wire", head + "".join(map(str.capitalize, tail)))
    return name


converter: Final = _configured(Converter(detailed_validation=True))
"""Collects every fault there is."""

# Says only that there is one. It takes half the time, and most params have none.
_quick: Final = _configured(Converter(detailed_validation=False))


@cache
def _quick_hook(shape: Any) -> Callable[[Any, Any], Any]:
    """Asking the converter takes a quarter of the time of most params."""
    return _members(shape, _quick) if attrs.has(shape) else _quick.get_structure_hook(shape)


def register(kind: Any, hook: Callable[[Any, Any], Any]) -> None:
    """Have values of a kind read by a hook, which raises WrongShape."""
    for each in (converter, _quick):
        each.register_structure_hook_func(lambda found: found == kind, hook)


def read(value: Any, shape: type[T], path: str = "params", *, http_status: int = 400) -> T:
    """Read a value as `shape`. Raises McpError (-32602) that names every fault by its path."""
    if type(value) is dict:
        try:
            # A class is hashable, though mypy sees none in type[T].
            structured: T = _quick_hook(shape)(value, shape)  # type: ignore[arg-type]
            return structured
        except Exception:  # noqa: S110 - whatever it was, it is found again, and explained
            pass
    try:
        return converter.structure(value, shape)
    except (ClassValidationError, WrongShape) as error:
        faults = "; ".join(_faults(error, path))
        raise _invalid(faults, http_status) from None


def _invalid(faults: str, http_status: int) -> McpError:
    return invalid_params(f"Invalid params: {faults}", http_status=http_status)


def _faults(error: BaseException, path: str) -> Iterator[str]:
    if not isinstance(error, ClassValidationError):
        missing = isinstance(error, KeyError)
        yield f"{path}: " + ("required, missing" if missing else str(error))
        return
    names = {a.name: wire_name(a) for a in attrs.fields(error.cl)}
    for member in error.exceptions:
        notes = getattr(member, "__notes__", [])
        name = next((n.name for n in notes if isinstance(n, AttributeValidationNote)), None)
        yield from _faults(member, path if name is None else _join(path, names[name]))


def _join(path: str, name: str) -> str:
    return f"{path}[{name!r}]" if "/" in name else f"{path}.{name}"

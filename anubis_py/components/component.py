"""What tools, prompts and resources have in common."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final, cast

import attrs

from ..annotations import Icon
from ..errors import ConfigurationError, near_miss


def snake_case(name: str) -> str:
    """`HTTPServerError2` -> `http_server_error2`."""
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


class _DerivedName:
    def __get__(self, instance: object, owner: type) -> str:
        return snake_case(owner.__name__)


class _OwnDoc:
    def __get__(self, instance: object, owner: type) -> str | None:
        for base in owner.__mro__:
            if _is_ours(base):
                break
            if base.__doc__:
                return inspect.cleandoc(base.__doc__)
        return None


def _is_ours(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == __name__.partition(".")[0]


class Component:
    """The descriptive attributes of a component.

    Each is a class attribute or, where it depends on something, a property or a method without
    arguments. The computed ones are read again whenever a list is built (the name, the URI and
    the schema are read once); they must be quick, for they run on the event loop.
    """

    name: str = cast(str, _DerivedName())
    """The class name in snake_case unless given."""
    title: str | None = None
    description: str | None = cast("str | None", _OwnDoc())
    """The docstring unless given."""
    icons: Iterable[Icon] = ()
    meta: Mapping[str, Any] | None = None
    """Sent as `_meta` of the entry in the list."""
    scopes: Iterable[str] = ()
    """What the caller's token must grant: without them the component is not listed, and its
    use is refused."""
    timeout: float | None = None
    """Seconds that one call may take; None: the server's `timeout`."""

    _callback: ClassVar[str] = ""
    _parameters: ClassVar[tuple[str, ...]] = ()
    _abstract: ClassVar[bool] = True

    def __init_subclass__(cls, *, abstract: bool = False, **kwargs: Any) -> None:
        """`class Base(ToolComponent, abstract=True)` declares a base that is no tool itself."""
        super().__init_subclass__(**kwargs)
        cls._abstract = abstract
        if not abstract and not _is_ours(cls):
            require_callback(cls, cls._callback, cls._parameters)

    def definition(self, name: str | None = None) -> Any:
        """What a list shows of it now, under its own name or the one given."""
        raise NotImplementedError

    def _describe(self) -> dict[str, Any]:
        return {
            name: declared(self, name)
            for name in ("title", "description", "icons", "meta", "scopes", "timeout")
        }


def declared(component: Any, name: str) -> Any:
    """The value of a descriptive attribute: plain, a property's, or a method's."""
    value = getattr(component, name)
    if inspect.iscoroutinefunction(value):
        owner = type(component).__name__
        raise ConfigurationError(
            f"{owner}.{name} is async: it runs inline, declare it with plain def."
        )
    return value() if inspect.ismethod(value) else value


_DESCRIPTIVE: Final = (
    *("title", "description", "icons", "meta", "annotations", "arguments"),
    *("mime_type", "size"),
)


def varies(component: Any) -> bool:
    """Whether the author computes a descriptive attribute, so that a list must be built anew."""
    return any(_is_computed(type(component), name) for name in _DESCRIPTIVE)


def _is_computed(cls: type, name: str) -> bool:
    for base in cls.__mro__:
        if _is_ours(base):
            return False
        if name in vars(base):
            return hasattr(vars(base)[name], "__get__")
    return False


def require_callback(cls: type, name: str, parameters: Iterable[str]) -> None:
    """Refuse a class whose callback is missing, misspelt or of the wrong arity."""
    definer = next(base for base in cls.__mro__ if name in vars(base))
    signature = f"{name}({', '.join(('self', *parameters))})"
    if _is_ours(definer):
        hint = near_miss(name, [n for n in vars(cls) if not n.startswith("_")])
        raise ConfigurationError(
            f"{cls.__name__} has no {name} method: define `def {signature}`."
            + hint.replace("Did you mean", "Is it misspelt as")
        )
    check_signature(cls, name, parameters)


def check_signature(cls: type, name: str, parameters: Iterable[str]) -> None:
    function = getattr(cls, name)
    declare = f"declare it as `def {name}({', '.join(('self', *parameters))})`."
    if not callable(function):
        raise ConfigurationError(f"{cls.__name__}.{name} is {function!r}: {declare}")
    try:
        inspect.signature(function).bind("self", *parameters)
    except TypeError:
        raise ConfigurationError(
            f"{cls.__name__}.{name} is declared with {inspect.signature(function)}: {declare}"
        ) from None


def check_timeout(owner: str, value: Any) -> None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if value is not None and not (number and value > 0):
        raise ConfigurationError(
            f"{owner}: timeout must be a number of seconds above 0, or None, got {value!r}."
        )


def scope_set(scopes: Any) -> frozenset[str]:
    several = isinstance(scopes, Iterable) and not isinstance(scopes, str)
    if not several or not all(isinstance(scope, str) for scope in scopes):
        raise ConfigurationError(f"scopes must be a collection of strings, got {scopes!r}.")
    return frozenset(scopes)


@attrs.frozen(eq=False, repr=False)
class Registration:
    """A component, provider or class under the name it is to be known by."""

    component: Any
    name: str


def component(component: Any, *, name: str) -> Registration:
    """Register a component under another name: `components = [component(Add, name="sum")]`."""
    if not isinstance(name, str) or not name:
        raise ConfigurationError(f"component(…, name=…) needs a name, got {name!r}.")
    return Registration(component, name)

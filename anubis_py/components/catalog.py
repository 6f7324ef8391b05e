"""The catalog: everything that a server class declares, compiled once, by kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import ModuleType
from typing import Any, TypeVar

import attrs

from ..errors import ConfigurationError
from .component import Component, Registration, varies
from .definition import Definition
from .page import Cursors, order
from .prompt import Prompt
from .provider import PromptProvider, Provider, ResourceProvider, ToolProvider
from .resource import Resource, ResourceTemplate
from .shelf import Shelf
from .tool import Tool

D = TypeVar("D", bound=Definition)


@attrs.frozen(eq=False, repr=False)
class Catalog:
    tools: Shelf[Tool]
    prompts: Shelf[Prompt]
    resources: Shelf[Resource]
    templates: Shelf[ResourceTemplate]

    @classmethod
    def of(cls, server: str, declared: Iterable[Any]) -> Catalog:
        """Compile what a class lists as its `components`. Raises ConfigurationError."""
        if not isinstance(declared, Iterable):
            raise ConfigurationError(f"{server}: components must be a list, got {declared!r}.")
        sources = [source for entry in declared for source in _sources(entry, server)]
        offers = [(source, d) for source in sources for d in source.define()]

        def shelf(kind: str, cls: type[D], provider: type[Provider]) -> Shelf[D]:
            providers = [s for s in sources if isinstance(s.instance, provider)]
            return _shelf(Cursors(server, kind), cls, offers, providers)

        return cls(
            tools=shelf("tools", Tool, ToolProvider),
            prompts=shelf("prompts", Prompt, PromptProvider),
            resources=shelf("resources", Resource, ResourceProvider),
            templates=shelf("resources/templates", ResourceTemplate, ResourceProvider),
        )

    @property
    def completes(self) -> bool:
        """Whether a prompt or a template suggests values by itself."""
        shelves: tuple[Shelf[Any], ...] = (self.prompts, self.templates)
        return any(d.completer for shelf in shelves for d in shelf.items({}))


@attrs.frozen(eq=False, repr=False)
class _Source:
    """An instance to be asked for its definitions, and the name given at registration."""

    instance: Component | Provider
    name: str | None = None

    def define(self) -> Sequence[Definition]:
        if isinstance(self.instance, Provider):
            return tuple(self.instance.definitions())
        return (self.instance.definition(self.name),)


def instance_of(target: Any, server: str) -> Any:
    """A component or provider, from itself or from its class."""
    if isinstance(target, type) and issubclass(target, Component | Provider):
        if target._abstract:
            raise ConfigurationError(
                f"{server}: {target.__name__} is abstract; register a subclass."
            )
        try:
            return target()
        except TypeError as error:
            raise ConfigurationError(
                f"{server}: {target.__name__} cannot be made without arguments ({error}); "
                f"register an instance instead of the class."
            ) from None
    if not isinstance(target, Component | Provider):
        found = target.__name__ if isinstance(target, type) else f"a {type(target).__name__}"
        raise ConfigurationError(
            f"{server}: {found} is no component. List subclasses of PromptComponent, "
            f"ToolComponent or ResourceComponent, their instances, providers, or modules."
        )
    return target


def _sources(entry: Any, server: str) -> Iterable[_Source]:
    if isinstance(entry, ModuleType):
        for value in vars(entry).values():
            if _is_own_class(value, entry):
                yield _Source(instance_of(value, server))
    elif isinstance(entry, Registration):
        yield _Source(instance_of(entry.component, server), entry.name)
    else:
        yield _Source(instance_of(entry, server))


def _is_own_class(value: Any, module: ModuleType) -> bool:
    return (
        isinstance(value, type)
        and issubclass(value, Component | Provider)
        and value.__module__ == module.__name__
        and not value._abstract
    )


Offer = tuple[_Source, Definition]


def _shelf(
    cursors: Cursors, cls: type[D], offers: Sequence[Offer], providers: Sequence[_Source]
) -> Shelf[D]:
    own = [(source, d) for source, d in offers if isinstance(d, cls)]
    _refuse_twins(cursors.server, [d for _, d in own])
    fixed = [(source, d) for source, d in own if isinstance(source.instance, Component)]
    return Shelf(
        fixed=tuple(sorted((d for _, d in fixed), key=order)),
        varying={d.key: partial(_define, source) for source, d in fixed if varies(source.instance)},
        provided=_provided(cls, providers) if providers else None,
        cursors=cursors,
    )


def _refuse_twins(server: str, definitions: Sequence[Definition]) -> None:
    seen: set[str] = set()
    for definition in definitions:
        if definition.key in seen:
            raise ConfigurationError(
                f"{server} has two components for {definition.label}: rename one, "
                f"with component(…, name=…)."
            )
        seen.add(definition.key)


def _define(source: _Source) -> Any:
    (definition,) = source.define()
    return definition


def _provided(cls: type[D], sources: Sequence[_Source]) -> Callable[[], Iterable[D]]:
    return lambda: (d for source in sources for d in source.define() if isinstance(d, cls))

"""The frame: an author's state, carried through every callback. It never changes in place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sized
from types import MappingProxyType
from typing import Any, Final, Self, TypeVar

import attrs

from .components.catalog import instance_of
from .components.component import Component, Registration
from .components.definition import Definition
from .components.prompt import Prompt
from .components.resource import Resource, ResourceTemplate
from .components.tool import Tool
from .context import Context
from .errors import ConfigurationError, near_miss

_NONE: Final[Mapping[str, Any]] = MappingProxyType({})
_MISSING: Final = object()

D = TypeVar("D", bound=Definition)


def _immutable(value: Mapping[str, Any]) -> Mapping[str, Any]:
    return value if isinstance(value, MappingProxyType) else MappingProxyType(dict(value))


def _count(things: Sized) -> str:
    return str(len(things))


# With a __dict__: frozen and slotted, it takes twice the time to make one.
@attrs.frozen(slots=False)
class Frame:
    """State of the author's (`assigns` and runtime components) and a read-only `context`.

    Every method returns a new frame; nothing sticks unless a callback returns it. In the
    stateless era a frame lives for one request, so what `init` sets up is there in every
    callback of that request, and gone after it.
    """

    assigns: Mapping[str, Any] = attrs.field(
        default=_NONE, converter=_immutable, repr=lambda assigns: repr(sorted(assigns))
    )
    context: Context = attrs.field(factory=Context, repr=False)
    tools: Mapping[str, Tool] = attrs.field(default=_NONE, repr=_count)
    prompts: Mapping[str, Prompt] = attrs.field(default=_NONE, repr=_count)
    resources: Mapping[str, Resource] = attrs.field(default=_NONE, repr=_count)
    resource_templates: Mapping[str, ResourceTemplate] = attrs.field(default=_NONE, repr=_count)
    resource_subscriptions: frozenset[str] = attrs.field(default=frozenset(), repr=_count)
    pagination_limit: int | None = None

    # -- assigns

    def assign(
        self, key: str | Mapping[str, Any] = _NONE, value: Any = _MISSING, /, **kw: Any
    ) -> Self:
        """Set assigns: `assign(plan="free")`, `assign({"plan": "free"})`, `assign("plan", x)`."""
        if isinstance(key, str):
            if value is _MISSING:
                raise TypeError(f"assign({key!r}) needs a value")
            key = {key: value}
        added = {**key, **kw}
        for name in added:
            if not isinstance(name, str):
                raise TypeError(f"the key of an assign is a str, got {type(name).__name__}")
        # Spelt out: attrs.evolve takes three times as long, and callbacks assign all the time.
        return type(self)(
            MappingProxyType({**self.assigns, **added}),
            self.context,
            self.tools,
            self.prompts,
            self.resources,
            self.resource_templates,
            self.resource_subscriptions,
            self.pagination_limit,
        )

    def with_context(self, context: Context) -> Self:
        """This state under another context: what an engine does before every callback."""
        return type(self)(
            self.assigns,
            context,
            self.tools,
            self.prompts,
            self.resources,
            self.resource_templates,
            self.resource_subscriptions,
            self.pagination_limit,
        )

    def same_state(self, other: Frame) -> bool:
        """Whether nothing but the context may differ. Quick, as state is never changed in place."""
        return (
            self.assigns is other.assigns
            and self.resource_subscriptions is other.resource_subscriptions
            and self.pagination_limit == other.pagination_limit
            and self.tools is other.tools
            and self.prompts is other.prompts
            and self.resources is other.resources
            and self.resource_templates is other.resource_templates
        )

    def assign_new(self, key: str, factory: Callable[[], Any]) -> Self:
        """Set an assign unless it is set; `factory` is called only if it is needed."""
        return self if key in self.assigns else self.assign(key, factory())

    # -- lists

    def put_pagination_limit(self, limit: int) -> Self:
        """Show at most `limit` entries on a page of a list."""
        if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
            raise ValueError(f"a pagination limit is an integer above 0, got {limit!r}")
        return attrs.evolve(self, pagination_limit=limit)

    # -- runtime components

    @property
    def components(self) -> tuple[Definition, ...]:
        """Everything that is registered on the frame."""
        return (
            *self.tools.values(),
            *self.prompts.values(),
            *self.resources.values(),
            *self.resource_templates.values(),
        )

    def register_tool(self, tool: Any, /, **options: Any) -> Self:
        """Offer a tool from now on: a component, a `Tool`, or a name and the fields of `Tool`.

        Without a handler of its own, calls reach the server's `handle_tool_call`. It shadows a
        declared tool of its name. A mistake raises ConfigurationError here.
        """
        made = _make(Tool, tool, "name", options)
        return attrs.evolve(self, tools={**self.tools, made.key: made})

    def register_prompt(self, prompt: Any, /, **options: Any) -> Self:
        """As `register_tool`, with the fields of `Prompt` and `handle_prompt_get`."""
        made = _make(Prompt, prompt, "name", options)
        return attrs.evolve(self, prompts={**self.prompts, made.key: made})

    def register_resource(self, resource: Any, /, **options: Any) -> Self:
        """As `register_tool`, with a URI, the fields of `Resource` and `handle_resource_read`.

        The name is the last part of the URI unless given.
        """
        if isinstance(resource, str):
            options.setdefault("name", resource.rstrip("/").rpartition("/")[2] or resource)
        made = _make(Resource, resource, "uri", options)
        return attrs.evolve(self, resources={**self.resources, made.key: made})

    def register_resource_template(self, template: Any, /, **options: Any) -> Self:
        """As `register_resource`, with a URI template; `name` is required."""
        if isinstance(template, str):
            options.setdefault("name", None)
        made = _make(ResourceTemplate, template, "uri_template", options)
        templates = {**self.resource_templates, made.key: made}
        return attrs.evolve(self, resource_templates=templates)

    def clear_components(self) -> Self:
        """Drop every runtime component; declared ones stay."""
        return attrs.evolve(
            self, tools=_NONE, prompts=_NONE, resources=_NONE, resource_templates=_NONE
        )

    # -- subscriptions

    def subscribe_resource(self, uri: str) -> Self:
        """Note that the client wants to hear of changes; the resource need not exist yet."""
        subscriptions = self.resource_subscriptions | {uri}
        return attrs.evolve(self, resource_subscriptions=subscriptions)

    def unsubscribe_resource(self, uri: str) -> Self:
        subscriptions = self.resource_subscriptions - {uri}
        return attrs.evolve(self, resource_subscriptions=subscriptions)

    def resource_subscribed(self, uri: str) -> bool:
        return uri in self.resource_subscriptions

    # -- who is asking

    @property
    def authorization(self) -> Mapping[str, Any] | None:
        """The claims of the caller's token, verified, or None."""
        return self.context.auth

    @property
    def authenticated(self) -> bool:
        return self.context.auth is not None

    @property
    def subject(self) -> str | None:
        return self.context.auth.get("sub") if self.context.auth else None

    @property
    def scopes(self) -> frozenset[str]:
        """What the token grants: its `scopes`, or its `scope` split at spaces."""
        auth = self.context.auth or {}
        scopes = auth.get("scopes")
        return frozenset(str(auth.get("scope", "")).split() if scopes is None else scopes)

    def has_scope(self, scope: str) -> bool:
        return scope in self.scopes

    def has_all_scopes(self, scopes: Iterable[str]) -> bool:
        wanted = frozenset(scopes)
        return not wanted or wanted <= self.scopes

    # -- persistence

    def to_saved(self) -> dict[str, Any]:
        """What a session store keeps: plain data. Runtime components and context are not kept."""
        return {
            "assigns": dict(self.assigns),
            "pagination_limit": self.pagination_limit,
            "resource_subscriptions": sorted(self.resource_subscriptions),
        }

    @classmethod
    def from_saved(cls, saved: Any) -> Self:
        """A frame from what a store gives back; what is missing or odd in it is left at its
        default."""
        saved = saved if isinstance(saved, Mapping) else {}
        assigns, limit = saved.get("assigns"), saved.get("pagination_limit")
        subscriptions = saved.get("resource_subscriptions")
        uris = subscriptions if isinstance(subscriptions, list | tuple) else ()
        return cls(
            assigns=assigns if isinstance(assigns, Mapping) else _NONE,
            pagination_limit=limit if type(limit) is int and limit > 0 else None,
            resource_subscriptions=frozenset(uri for uri in uris if isinstance(uri, str)),
        )


def _make(kind: type[D], target: Any, identity: str, options: dict[str, Any]) -> D:
    if isinstance(target, kind):
        return attrs.evolve(target, **options)
    if isinstance(target, str):
        known = [a.alias or a.name for a in attrs.fields(kind) if a.init]
        for option in options:
            if option not in known:
                raise ConfigurationError(
                    f"{kind.__name__} {target!r} has no option {option!r}."
                    + near_miss(option, known)
                )
        return kind(**{identity: target, **options})
    return _defined(kind, target, options)


def _defined(kind: type[D], target: Any, options: dict[str, Any]) -> D:
    name = options.pop("name", None)
    if isinstance(target, Registration):
        target, name = target.component, target.name
    component = instance_of(target, "The frame")
    definition = component.definition(name) if isinstance(component, Component) else None
    if not isinstance(definition, kind) or options:
        raise ConfigurationError(
            f"The frame cannot register {type(component).__name__} as a {kind.__name__}"
            + (f" with the options {sorted(options)}." if options else ".")
        )
    return definition

"""What clients send: the params of each method, and the `_meta` beside them.

Only those that callbacks are given are frozen: there are several values in every request, and
freezing doubles what it takes to make one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NewType

import attrs

from ..errors import LOG_LEVELS
from .wire import (
    JsonObject,
    StringMap,
    WrongShape,
    converter,
    json_object,
    json_type,
    register,
    wire_name,
)

LogLevel = NewType("LogLevel", str)
Token = NewType("Token", str)
Capabilities = NewType("Capabilities", JsonObject)
ClientInfo = NewType("ClientInfo", JsonObject)


def _reserved(name: str) -> dict[str, str]:
    return {"wire": f"io.modelcontextprotocol/{name}"}


@attrs.define(eq=False, repr=False)
class RequestMeta:
    """The reserved keys of a stateless request's `_meta` (basic/index, "Per-request protocol
    fields"). Other keys are the client's own and pass through."""

    protocol_version: str = attrs.field(metadata=_reserved("protocolVersion"))
    client_capabilities: Capabilities = attrs.field(metadata=_reserved("clientCapabilities"))
    client_info: ClientInfo | None = attrs.field(default=None, metadata=_reserved("clientInfo"))
    log_level: LogLevel | None = attrs.field(default=None, metadata=_reserved("logLevel"))
    progress_token: Token | None = None


@attrs.define(eq=False, repr=False)
class InitializeParams:
    protocol_version: str
    capabilities: JsonObject
    client_info: ClientInfo


@attrs.define(eq=False, repr=False)
class SetLevelParams:
    level: LogLevel


@attrs.define(eq=False, repr=False)
class ListParams:
    cursor: str | None = None


@attrs.define(eq=False, repr=False)
class CallToolParams:
    name: str
    arguments: JsonObject | None = None


@attrs.define(eq=False, repr=False)
class GetPromptParams:
    name: str
    arguments: StringMap | None = None


@attrs.define(eq=False, repr=False)
class ReadResourceParams:
    uri: str


@attrs.define(eq=False, repr=False)
class SubscribeParams:
    """Of resources/subscribe and resources/unsubscribe."""

    uri: str


@attrs.frozen
class PromptReference:
    name: str


@attrs.frozen
class ResourceTemplateReference:
    uri: str


Reference = PromptReference | ResourceTemplateReference
_REFERENCES: Final[Mapping[str, type[Reference]]] = {
    "ref/prompt": PromptReference,
    "ref/resource": ResourceTemplateReference,
}


@attrs.frozen
class CompletionArgument:
    """The argument that a user is typing."""

    name: str
    value: str
    """What is typed so far."""
    context: Mapping[str, str]
    """The arguments that are resolved already, by name."""


@attrs.define(eq=False, repr=False)
class ArgumentParams:
    name: str
    value: str


@attrs.define(eq=False, repr=False)
class CompletionContext:
    arguments: StringMap | None = None


@attrs.define(eq=False, repr=False)
class CompleteParams:
    ref: Reference
    argument: ArgumentParams
    context: CompletionContext | None = None


@attrs.define
class SubscriptionFilter:
    """What a subscription is to hear of; in a request, what the client would like to."""

    tools_list_changed: bool | None = None
    prompts_list_changed: bool | None = None
    resources_list_changed: bool | None = None
    resource_subscriptions: list[str] | None = None

    def to_wire(self) -> dict[str, Any]:
        members = {wire_name(a): getattr(self, a.name) for a in attrs.fields(type(self))}
        return {name: value for name, value in members.items() if value}


@attrs.define(eq=False, repr=False)
class ListenParams:
    notifications: SubscriptionFilter


def _log_level(value: Any, _: Any) -> LogLevel:
    if value not in LOG_LEVELS:
        raise WrongShape(f"expected one of {', '.join(LOG_LEVELS)}")
    return LogLevel(value)


def _token(value: Any, _: Any) -> Any:
    if type(value) not in (str, int):
        raise WrongShape(f"expected a string or an integer, got {json_type(value)}")
    return value


def _capabilities(value: Any, _: Any) -> Any:
    for name, settings in json_object(value).items():
        if type(settings) is not dict:
            raise WrongShape(f"expected {name!r} to be an object, got {json_type(settings)}")
    return value


def _client_info(value: Any, _: Any) -> Any:
    info = json_object(value)
    for name in ("name", "version"):
        if type(info.get(name)) is not str:
            raise WrongShape(f"expected {name!r} to be a string, got {json_type(info.get(name))}")
    return value


def _reference(value: Any, _: Any) -> Any:
    kind = json_object(value).get("type")
    if type(kind) is not str or kind not in _REFERENCES:
        raise WrongShape(f"expected a type of {' or '.join(_REFERENCES)}")
    return converter.structure(value, _REFERENCES[kind])


register(LogLevel, _log_level)
register(Token, _token)
register(Capabilities, _capabilities)
register(ClientInfo, _client_info)
register(Reference, _reference)

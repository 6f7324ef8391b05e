"""From a request's method to the handler that serves it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

from ..components.definition import Definition
from ..errors import method_not_found
from ..frame import Frame
from ..protocol.jsonrpc import Request
from ..protocol.revisions import REVISIONS
from . import completion, discovery, prompts, resources, tools
from .invoke import Settled

if TYPE_CHECKING:
    from .behaviour import Behaviour

Handler: TypeAlias = Callable[["Behaviour", Request, Frame], Awaitable[Settled]]

HANDLERS: Final[Mapping[str, Handler]] = {
    "server/discover": discovery.discover,
    "tools/list": tools.list_tools,
    "tools/call": tools.call_tool,
    "prompts/list": prompts.list_prompts,
    "prompts/get": prompts.get_prompt,
    "resources/list": resources.list_resources,
    "resources/templates/list": resources.list_templates,
    "resources/read": resources.read_resource,
    "resources/subscribe": resources.subscribe,
    "resources/unsubscribe": resources.unsubscribe,
    "completion/complete": completion.complete,
}


def patience(server: Behaviour, request: Request, frame: Frame) -> float | None:
    """Seconds for a whole request that may end in the router: the time of its component too."""
    own = [d.timeout for d in _targets(server, request, frame) if d.timeout is not None]
    return None if server.timeout is None else max([server.timeout, *own])


def _targets(server: Behaviour, request: Request, frame: Frame) -> Iterable[Definition]:
    name, uri = request.params.get("name"), request.params.get("uri")
    if request.method == "resources/read" and isinstance(uri, str):
        return (definition for definition, _ in resources.candidates(server, uri, frame))
    found: Definition | None = None
    if request.method == "tools/call" and isinstance(name, str):
        found = server.catalog.tools.find(name, frame.tools)
    elif request.method == "prompts/get" and isinstance(name, str):
        found = server.catalog.prompts.find(name, frame.prompts)
    return () if found is None else (found,)


def route(server: Behaviour, request: Request, frame: Frame) -> Awaitable[Settled]:
    """Serve a request. Raises McpError; the outcome carries the frame that the callback left.

    A method whose capability is not there does not exist: what is advertised is what is served.
    """
    method = REVISIONS[frame.context.protocol_version].methods.get(request.method)
    if method is None:
        raise method_not_found(request.method)
    if method.capability is not None and not server.has_capability(method.capability, frame):
        raise method_not_found(request.method)
    if method.flag is not None and not _has_flag(server, method.capability, method.flag, frame):
        raise method_not_found(request.method)
    handler = HANDLERS.get(request.method)
    if handler is None:
        raise method_not_found(request.method)
    return handler(server, request, frame)


def _has_flag(server: Behaviour, capability: str | None, flag: str, frame: Frame) -> bool:
    return bool(server.capabilities_for(frame).get(capability or "", {}).get(flag))

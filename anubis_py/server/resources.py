"""resources/list, resources/templates/list and resources/read."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from ..components.resource import ReadParams, Resource, ResourceTemplate
from ..errors import McpError, ResourceNotFound, insufficient_scope, invalid_params
from ..frame import Frame
from ..outcome import Failure, Reply
from ..protocol.jsonrpc import Request
from ..protocol.params import ReadResourceParams, SubscribeParams
from ..protocol.wire import read
from ..response import ResourceResponse
from .invoke import Call, Contract, Settled
from .listing import list_page

if TYPE_CHECKING:
    from .behaviour import Behaviour


def _respond(value: Any) -> ResourceResponse:
    if not isinstance(value, ResourceResponse):
        raise TypeError("not a response of a resource")
    # "MUST NOT return an empty contents array for a non-existent resource" (server/resources).
    if not value.contents:
        raise ValueError("no contents were set")
    return value


# Every URI costs memory for as long as the session is there. Clients watch the resources that
# they show, which are tens.
MAX_SUBSCRIPTIONS: Final = 1000

READ: Final = Contract(
    "resources/read",
    "Reply, NoReply, InputRequired, Failure or a bare Response.resource()…",
    _respond,
    nothing=ResourceResponse().text(""),
    asks=True,
)


async def list_resources(server: Behaviour, request: Request, frame: Frame) -> Settled:
    shelf = server.catalog.resources
    return list_page("resources", shelf, shelf.items(frame.resources), request, frame)


async def list_templates(server: Behaviour, request: Request, frame: Frame) -> Settled:
    shelf = server.catalog.templates
    items = shelf.items(frame.resource_templates)
    return list_page("resourceTemplates", shelf, items, request, frame)


async def read_resource(server: Behaviour, request: Request, frame: Frame) -> Settled:
    """An exact match is final; of the templates, the first that has the resource answers.

    A template whose scopes are not granted is passed over, and its refusal kept for the case
    that nothing else answers.
    """
    uri = read(request.params, ReadResourceParams).uri
    refused: McpError = ResourceNotFound(uri)
    for definition, params in candidates(server, uri, frame):
        if not frame.has_all_scopes(definition.scopes):
            refused = insufficient_scope(definition.scopes)
            continue
        settled = await _read(server, definition, params, frame)
        if not (isinstance(settled, Failure) and isinstance(settled.error, ResourceNotFound)):
            return settled
    raise refused


async def subscribe(server: Behaviour, request: Request, frame: Frame) -> Settled:
    """Note a URI, of which nothing need be there yet. Twice is as good as once."""
    uri = read(request.params, SubscribeParams).uri
    for definition in _withheld(server, uri, frame):
        raise insufficient_scope(definition.scopes)
    noted = frame.resource_subscriptions
    if uri not in noted and len(noted) >= MAX_SUBSCRIPTIONS:
        raise invalid_params(f"Invalid params: more than {MAX_SUBSCRIPTIONS} subscriptions")
    return Reply({}, frame.subscribe_resource(uri))


async def unsubscribe(server: Behaviour, request: Request, frame: Frame) -> Settled:
    uri = read(request.params, SubscribeParams).uri
    return Reply({}, frame.unsubscribe_resource(uri))


def may_read(server: Behaviour, uri: str, frame: Frame) -> bool:
    """Whether no scope is missing; the resource itself need not exist yet."""
    return not any(_withheld(server, uri, frame))


def _withheld(server: Behaviour, uri: str, frame: Frame) -> Iterator[Resource | ResourceTemplate]:
    """What would be read first, if scopes for it are missing."""
    for definition, _ in islice(candidates(server, uri, frame), 1):
        if not frame.has_all_scopes(definition.scopes):
            yield definition


def candidates(
    server: Behaviour, uri: str, frame: Frame
) -> Iterator[tuple[Resource | ResourceTemplate, ReadParams]]:
    exact = server.catalog.resources.find(uri, frame.resources)
    if exact is not None:
        yield exact, ReadParams(uri, {})
        return
    for template in server.catalog.templates.items(frame.resource_templates):
        variables = template.uri_template.match(uri)
        if variables is not None:
            yield template, ReadParams(uri, variables)


async def _read(
    server: Behaviour, definition: Resource | ResourceTemplate, params: ReadParams, frame: Frame
) -> Settled:
    def form(response: ResourceResponse) -> dict[str, Any]:
        return response.to_wire(params.uri, definition.mime_type)

    call = Call(READ, definition.label, definition.timeout or server.timeout, form)
    if definition.handler is not None:
        return await call(definition.handler, params, frame=frame)
    return await call(server.handle_resource_read, params.uri, frame=frame)

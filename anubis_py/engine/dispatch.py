"""A request handed to the author's server: to its own `handle_request`, or to the router."""

from __future__ import annotations

from collections.abc import Awaitable

from ..frame import Frame
from ..protocol.jsonrpc import Request
from ..server.behaviour import Behaviour
from ..server.invoke import Call, Settled
from ..server.router import patience, route
from .contracts import REQUEST, ROUNDS


def dispatch(
    server: Behaviour, request: Request, frame: Frame, *, rounds: bool
) -> Awaitable[Settled]:
    """`rounds`: whether the client may be asked first. Raises McpError."""
    if "handle_request" not in server.overrides:
        return route(server, request, frame)
    contract = ROUNDS if rounds else REQUEST
    call = Call(contract, request.method, patience(server, request, frame))
    return call(server.handle_request, request, frame=frame)

"""Rounds in the stateless era: what a callback asks the client goes out as a result, and the
client sends the request again, with its answers (basic/patterns/mrtr).

Nothing is kept here in between. All there is to know of a round travels through the client as
its `requestState`, sealed: what was asked, what has been answered, the author's state, and when
it is over.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from inspect import isfunction
from typing import Any, Final

from ..asks.capabilities import merged
from ..components.shelf import Shelf
from ..encoding import dumps, loads
from ..errors import (
    ConfigurationError,
    McpError,
    internal_error,
    invalid_params,
    missing_capability,
)
from ..frame import Frame
from ..outcome import InputRequired
from ..protocol.jsonrpc import Request
from ..protocol.wire import JsonObject, read
from ..server.behaviour import Behaviour
from ..server.state_keys import state_keys
from .round import RESPONSES, Round
from .sealing import NoKey, Purpose, Refused, Sealer

logger = logging.getLogger("anubis_py.engine")

Clock = Callable[[], float]

STATE: Final = "requestState"

# What makes no difference to what a request asks for.
_CARRIED: Final = ("_meta", RESPONSES, STATE)


class Rounds:
    """Asks the client on behalf of the callbacks of one server."""

    def __init__(self, server: Behaviour, clock: Clock = time.time) -> None:
        """`clock` gives seconds since the epoch. Raises ConfigurationError for a bad key."""
        self._server = server
        self._clock = clock
        self._sealer = Sealer(state_keys(type(server).__name__, server.state_keys))

    def check(self) -> None:
        """Raises NoKey for a server that asks, as far as its code tells, and has no key: better
        when it starts than when the first client is asked."""
        if any(map(_names_the_outcome, _authors(self._server))):
            self._sealer.check()

    def begin(self, request: Request, frame: Frame, required: InputRequired) -> dict[str, Any]:
        """The result that asks what a callback wants to know. Raises McpError."""
        return self.ask(request, frame, self._new(required))

    def answered(self, request: Request, required: InputRequired) -> Round:
        """The round that asks what a callback wants to know, with the answers that the request
        brings along already.

        A client may know what it will be asked. What it says is as good, or as bad, as what it
        would say in the next round. Raises McpError (-32602).
        """
        responses = read(request.params.get(RESPONSES, {}), JsonObject, f"params.{RESPONSES}")
        return self._new(required).answered(responses)

    def _new(self, required: InputRequired) -> Round:
        expires = self._clock() + self._server.round_timeout
        return Round(required.state, dict(required.requests), {}, expires)

    def ask(self, request: Request, frame: Frame, round_: Round) -> dict[str, Any]:
        """The result that asks what is open. Raises McpError: -32021 where the client has not
        declared that it can be asked.

        Asking again does not make a round last longer.
        """
        asks = round_.open
        declared = frame.context.client_capabilities
        if missing := merged(ask.lacking(declared) for ask in asks.values()):
            raise missing_capability(missing)
        result: dict[str, Any] = {"resultType": "input_required"}
        if asks:
            result["inputRequests"] = {key: ask.to_wire() for key, ask in asks.items()}
        result[STATE] = self._sealed(request, frame, round_)
        return result

    def resume(self, request: Request, frame: Frame) -> Round | None:
        """The round that a request goes on with, with the answers that it brings. None: it names
        none. Raises McpError (-32602)."""
        params = request.params
        responses = read(params.get(RESPONSES, {}), JsonObject, f"params.{RESPONSES}")
        if STATE not in params:
            return None
        seal = read(params[STATE], str, f"params.{STATE}")
        try:
            round_ = self._opened(seal, self._purpose(request, frame))
        except Refused as cause:
            logger.warning("%s %r: %s refused: %s", request.method, request.id, STATE, cause)
            raise _not_valid() from None
        return round_.answered(responses)

    def _sealed(self, request: Request, frame: Frame, round_: Round) -> str:
        try:
            return self._sealer.seal(dumps(round_.to_wire()), self._purpose(request, frame))
        except NoKey as error:
            logger.error("%s %r: the client was not asked: %s", request.method, request.id, error)
            raise internal_error() from None

    def _opened(self, seal: str, purpose: Purpose) -> Round:
        content = loads(self._sealer.open(seal, purpose))
        if content["expires"] <= self._clock():
            raise Refused("it has expired")
        try:
            return Round.from_wire(content)
        except ConfigurationError:
            raise Refused("it holds an ask in a form that this version does not know") from None

    def _purpose(self, request: Request, frame: Frame) -> Purpose:
        return Purpose(self._server.name, request.method, _digest(request.params), frame.subject)


def _digest(params: Mapping[str, Any]) -> str:
    # Imported when a client is asked for the first time.
    from hashlib import sha256

    salient = {name: value for name, value in params.items() if name not in _CARRIED}
    return sha256(json.dumps(salient, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _not_valid() -> McpError:
    # The same words for every cause: whoever tries states out learns nothing from them.
    return invalid_params(
        f"Invalid params: params.{STATE} is not, or no longer, valid for this request. "
        "Send the request without it to begin again"
    )


def _authors(server: Behaviour) -> Iterator[type]:
    """The classes whose methods serve the requests that may ask."""
    yield type(server)
    catalog = server.catalog
    shelves: tuple[Shelf[Any], ...] = (catalog.tools, catalog.prompts, catalog.resources)
    for shelf in (*shelves, catalog.templates):
        for definition in shelf.items({}):
            handler = getattr(definition.handler, "func", definition.handler)
            yield type(getattr(handler, "__self__", None))


def _names_the_outcome(cls: type) -> bool:
    return any(
        InputRequired.__name__ in function.__code__.co_names
        for base in cls.__mro__
        for function in vars(base).values()
        if isfunction(function)
    )

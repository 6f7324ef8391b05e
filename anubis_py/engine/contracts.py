"""What is owed by the callbacks that take a message whole, whatever it asks for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import attrs

from ..server.invoke import Contract


def _respond(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "to_wire"):
        result: dict[str, Any] = value.to_wire()
        return result
    raise TypeError("not a mapping")


REQUEST: Final = Contract("handle_request", "Reply with a mapping, NoReply or Failure", _respond)

# What the router gives may be a callback's, which has to ask the client first.
ROUNDS: Final = attrs.evolve(
    REQUEST, may_return="Reply with a mapping, NoReply, InputRequired or Failure", asks=True
)


def _ignore(value: Any) -> Any:
    raise TypeError("nothing is answered to a notification")


NOTIFICATION: Final = Contract("handle_notification", "NoReply or Failure", _ignore)


@cache
def taking(callback: str) -> Contract:
    """Of a callback that takes something, and answers nobody."""
    return Contract(callback, "NoReply or Failure", _ignore)

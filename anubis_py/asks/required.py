"""What an `InputRequired` has to hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..outcome import InputRequired
from .ask import Ask
from .json_values import json_fault


def fault_in(required: InputRequired) -> str | None:
    """What is wrong with what a callback asks for; None: it can be sent."""
    requests: Any = required.requests
    if not isinstance(requests, Mapping):
        return f"its requests are a {type(requests).__name__} and must be a mapping of keys to asks"
    for key, ask in requests.items():
        if not isinstance(key, str):
            return f"the key {key!r} must be a str"
        if not isinstance(ask, Ask):
            return (
                f"the request {key!r} is a {type(ask).__name__} and must be what ask_form, "
                "ask_url, ask_sampling or ask_roots gives"
            )
    # basic/patterns/mrtr, "Server Requirements": with neither, there is nothing to come back for.
    if not requests and required.state is None:
        return "it has neither requests nor a state"
    return json_fault(required.state, "its state")

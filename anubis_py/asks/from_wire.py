"""An ask, from the form in which it was sent."""

from __future__ import annotations

from typing import Any

from ..errors import ConfigurationError
from .ask import Ask
from .form import FormAsk
from .roots import RootsAsk
from .sampling import SamplingAsk
from .url import UrlAsk


def ask_from_wire(wire: Any) -> Ask:
    """The inverse of `Ask.to_wire`. Raises ConfigurationError for what is no ask of ours."""
    match wire:
        case {"method": "roots/list"}:
            return RootsAsk()
        case {"method": "sampling/createMessage", "params": params}:
            return SamplingAsk(params)
        case {
            "method": "elicitation/create",
            "params": {"mode": "url", "message": message, "url": url},
        }:
            return UrlAsk(message, url)
        case {
            "method": "elicitation/create",
            "params": {"mode": "form", "message": message, "requestedSchema": schema},
        }:
            return FormAsk(message, schema)
    raise ConfigurationError("what was asked is in a form that this version does not know.")

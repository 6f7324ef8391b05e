"""One round: what was asked in it, and what is known of the answers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import attrs

from ..asks.ask import Ask
from ..errors import invalid_params
from ..schema.faults import Fault, Invalid, Path

RESPONSES: Final = "inputResponses"


@attrs.frozen(eq=False, repr=False)
class Round:
    """All of it is plain data, so that it can travel."""

    state: Any
    """The author's."""
    asked: Mapping[str, Ask]
    answers: Mapping[str, Any]
    """Those that have come, in wire form."""
    expires: float

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Round:
        """The inverse of `to_wire`. Raises ConfigurationError for an ask of another version's."""
        # Imported by those who ask, with every kind of ask.
        from ..asks.from_wire import ask_from_wire

        asked = {key: ask_from_wire(ask) for key, ask in wire["asked"].items()}
        return cls(wire["state"], asked, wire["answers"], wire["expires"])

    def to_wire(self) -> dict[str, Any]:
        return {
            "state": self.state,
            "asked": {key: ask.to_wire() for key, ask in self.asked.items()},
            "answers": dict(self.answers),
            "expires": self.expires,
        }

    @property
    def open(self) -> dict[str, Ask]:
        """What still has to be answered."""
        return {key: ask for key, ask in self.asked.items() if key not in self.answers}

    def answered(self, responses: Mapping[str, Any]) -> Round:
        """With more answers. What was not asked is left out, whatever it looks like."""
        known = {key: responses[key] for key in self.asked if key in responses}
        return attrs.evolve(self, answers={**self.answers, **known})

    def values(self, place: Path = ("params", RESPONSES)) -> Mapping[str, Any]:
        """The answers as values, by their keys. Raises McpError (-32602) for a malformed one.
        `place` is where in the client's message they were."""
        return MappingProxyType(
            {
                key: _read((*place, key), self.asked[key], answer)
                for key, answer in self.answers.items()
            }
        )


def _read(place: Path, ask: Ask, answer: Any) -> Any:
    try:
        return ask.read(answer)
    except Invalid as invalid:
        faults = Invalid(Fault((*place, *each.path), each.message) for each in invalid.faults)
        raise invalid_params(f"Invalid params: {faults}", http_status=400) from None

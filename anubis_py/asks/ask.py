"""The base of everything that a client can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from .capabilities import Capabilities, lacking


class Ask:
    """A question to the client. `ask_form` and its like make them; they never change."""

    method: ClassVar[str]
    """The request of the protocol that carries it."""

    def params(self) -> dict[str, Any]:
        raise NotImplementedError

    @property
    def needs(self) -> Capabilities:
        """What the client must have declared, shaped like its capabilities."""
        raise NotImplementedError

    def read(self, answer: Any) -> Any:
        """The client's result as a value. Raises Invalid (schema.faults), with every fault."""
        raise NotImplementedError

    def to_wire(self) -> dict[str, Any]:
        return {"method": self.method, "params": self.params()}

    def lacking(self, declared: Mapping[str, Any]) -> Capabilities:
        """What of `needs` the client has not declared; empty: it may be asked.

        A callback finds what is declared in `frame.context.client_capabilities`.
        """
        return lacking(self.needs, declared)

"""How a revision writes the values that a server works with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ..errors import McpError

if TYPE_CHECKING:
    from ..asks.ask import Ask


class Dialect:
    """That of the newest revision: everything is written as it is.

    The others override what they write differently. No method changes what it is given, since
    lists, results of an author's and asks are shared; what needs no change is given back.
    """

    @property
    def bad_arguments_are_results(self) -> bool:
        """Whether a model is to read what is wrong with the arguments of a tool, in a result;
        otherwise that is a protocol error (server/tools, "Error Handling")."""
        return True

    def implementation(self, info: dict[str, Any]) -> dict[str, Any]:
        """The name card of the server."""
        return info

    def capabilities(self, capabilities: dict[str, Any]) -> dict[str, Any]:
        """What the server can do."""
        return capabilities

    def client_capabilities(self, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        """What a client has declared, in the words of the newest revision, in which an `Ask`
        says what it needs. Twice is as good as once."""
        return declared

    def entry(self, shape: str, wire: dict[str, Any]) -> dict[str, Any]:
        """An entry of a list: a Tool, Prompt, Resource or ResourceTemplate."""
        return wire

    def result(self, method: str, result: dict[str, Any]) -> dict[str, Any]:
        """The complete result of a method, whose lists may be in this dialect already. Raises
        TypeError for what JSON has no form for, as encoding it does."""
        return result

    def error(self, error: McpError) -> McpError:
        """The error that answers a request."""
        return error

    def ask(self, ask: Ask) -> dict[str, Any]:
        """The method and params that put an ask, of which `unaskable` finds nothing to say."""
        return ask.to_wire()

    def unaskable(self, ask: Ask) -> str | None:
        """Why the revision has no words for an ask, in a sentence; None: it can be put to a
        client that has declared what the ask needs."""
        return None


AS_IS: Final = Dialect()

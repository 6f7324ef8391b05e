"""The dialect of a handshake revision: what the newest one writes, in older words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import attrs

from ..errors import McpError, ResourceNotFound
from . import legacy_asks, legacy_results
from .dialect import Dialect
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from ..asks.ask import Ask

# All three of them, server/resources, "Error Handling".
RESOURCE_NOT_FOUND: Final = -32002

_WHO_MAY_ASK: Final = (401, 403)

# A capability for which there were no flags yet stands for these.
_UNFLAGGED: Final[Mapping[str, Mapping[str, Any]]] = {
    "elicitation": {"form": {}},
    "sampling": {"context": {}},
}


@attrs.frozen(eq=False, repr=False)
class LegacyDialect(Dialect):
    words: Vocabulary

    @property
    def bad_arguments_are_results(self) -> bool:
        return self.words.version >= "2025-11-25"  # Versions are dates, and sort as texts.

    def implementation(self, info: dict[str, Any]) -> dict[str, Any]:
        return self.words.known("Implementation", info)

    def capabilities(self, capabilities: dict[str, Any]) -> dict[str, Any]:
        return self.words.known("ServerCapabilities", capabilities)

    def client_capabilities(self, declared: Mapping[str, Any]) -> Mapping[str, Any]:
        if self.words.has("flags of client capabilities"):
            return declared
        return {
            name: {**settings, **_UNFLAGGED[name]}
            if name in _UNFLAGGED and isinstance(settings, Mapping)
            else settings
            for name, settings in declared.items()
        }

    def entry(self, shape: str, wire: dict[str, Any]) -> dict[str, Any]:
        return legacy_results.entry(self.words, shape, wire)

    def result(self, method: str, result: dict[str, Any]) -> dict[str, Any]:
        return legacy_results.result(self.words, method, result)

    def error(self, error: McpError) -> McpError:
        """A client of these revisions takes the status of an answer for the transport's word: 404
        would end its session. So an answer is 200, whatever it says; but for who may ask, which
        is the transport's word in every revision."""
        code = RESOURCE_NOT_FOUND if isinstance(error, ResourceNotFound) else error.code
        status = error.http_status if error.http_status in _WHO_MAY_ASK else 200
        if (code, status) == (error.code, error.http_status):
            return error
        return McpError(code, error.message, error.data, http_status=status)

    def ask(self, ask: Ask) -> dict[str, Any]:
        return legacy_asks.write(self.words, ask.method, ask.params())

    def unaskable(self, ask: Ask) -> str | None:
        return legacy_asks.unaskable(self.words, ask.method, ask.params())

"""`anubis_py.testing.Client` for either era, with every message held against the schema of the
revision that is spoken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Self

from revisions.closed_schema import check

from anubis_py.context import NOTHING
from anubis_py.protocol.revisions import REVISIONS
from anubis_py.testing import Answers, Client

from .client import CheckedClient
from .legacy_schema import RESULTS, check_legacy

VERSIONS: Final = tuple(REVISIONS)
LEGACY: Final = VERSIONS[1:]
NEWEST: Final = LEGACY[0]

ALL: Final[Mapping[str, Any]] = {
    "elicitation": {"form": {}, "url": {}},
    "sampling": {"tools": {}, "context": {}},
    "roots": {},
}
"""The capabilities of a client that can be asked anything."""


class EitherEra(CheckedClient):
    """Without a version it speaks the newest one that has a handshake."""

    def __init__(self, server: Any, *, protocol_version: str | None = NEWEST, **kw: Any) -> None:
        if kw.get("session_id") is not None and protocol_version == NEWEST:
            protocol_version = None
        super().__init__(server, protocol_version=protocol_version, **kw)

    def receive(self, body: bytes) -> dict[str, Any]:
        if self.era == "stateless":
            return super().receive(body)
        message = Client.receive(self, body)
        if "error" in message:
            # An author may choose any code.
            check(self.protocol_version, _ERRORS[self.protocol_version], message)
        elif "method" in message:
            check_legacy(self.protocol_version, message, None)
        return message

    async def request(
        self,
        method: str,
        params: Mapping[str, Any] = NOTHING,
        *,
        meta: Mapping[str, Any] = NOTHING,
        answers: Answers | None = None,
    ) -> dict[str, Any]:
        if self.era == "stateless":
            return await super().request(method, params, meta=meta, answers=answers)
        result = await Client.request(self, method, params, meta=meta, answers=answers)
        if result or RESULTS.get(method) == "EmptyResult":
            check(self.protocol_version, RESULTS.get(method, "Result"), result)
        return result

    async def begun(self) -> Self:
        """The handshake, for a test that does not care how the session ends."""
        return await self.__aenter__()


_ERRORS: Final = dict.fromkeys(LEGACY, "JSONRPCError") | {"2025-11-25": "JSONRPCErrorResponse"}


def text_of(result: Mapping[str, Any]) -> str:
    """The text of a tool's result, which is no failure."""
    assert not result.get("isError"), result
    [block] = result["content"]
    text: str = block["text"]
    return text

"""Asking a client of the handshake revisions, while its request is open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import anyio
import attrs

from ...asks.capabilities import merged
from ...caller import Gone
from ...encoding import dumps, loads
from ...errors import McpError, internal_error, invalid_request, missing_capability
from ...outcome import InputRequired
from ...protocol.jsonrpc import Request, encode_notification, encode_request
from ...protocol.revisions import REVISIONS
from ...server.deadline import cancel_scope
from ...sessions.record import Record
from ..exchange import Peer
from ..outbox import Outbox
from ..round import Round
from .questions import Question, Questions

# Seconds until a callback is called again that wanted to be, and asked nothing.
PAUSE: Final = 1.0


@attrs.frozen(eq=False, repr=False)
class Conversation:
    """A request whose callback wants to know something first. Nobody holds its session."""

    session_id: str
    record: Record
    request: Request
    peer: Peer
    required: InputRequired

    async def ask(
        self, questions: Questions, outbox: Outbox | None, timeout: float
    ) -> Mapping[str, Any]:
        """Put what the callback wants to know to the client, and wait for the answers: as values,
        by the callback's keys.

        Raises McpError where the client cannot be asked, does not answer within `timeout`
        seconds, or answers with an error or with what is no answer; Gone when it does not want
        to know any more.
        """
        asks = self.required.requests
        self._require_askable()
        if not asks:
            await self._wait(anyio.sleep_forever(), PAUSE)
            return {}
        if outbox is None:
            raise invalid_request(
                "The client has to be asked first, and takes no streams: Accept must admit "
                "text/event-stream",
                http_status=406,
            )
        asked = {key: questions.ask(self.session_id) for key in asks}
        try:
            self._send(asked, outbox)
            await self._wait(_all_answered(asked), timeout)
        finally:
            _withdraw(questions, asked, outbox)
        return self._values(asked)

    @property
    def state(self) -> Any:
        """The author's state, as it would come back from any client."""
        return loads(dumps(self.required.state))

    def _require_askable(self) -> None:
        asks = self.required.requests.values()
        dialect = REVISIONS[self.record.protocol_version].dialect
        for ask in asks:
            if reason := dialect.unaskable(ask):
                raise internal_error(reason)
        declared = self.record.client_capabilities
        if missing := merged(ask.lacking(declared) for ask in asks):
            raise missing_capability(missing)

    def _send(self, asked: Mapping[str, Question], outbox: Outbox) -> None:
        dialect = REVISIONS[self.record.protocol_version].dialect
        for key, question in asked.items():
            wire = dialect.ask(self.required.requests[key])
            outbox.put(encode_request(question.id, wire["method"], wire["params"]))

    async def _wait(self, awaited: Any, timeout: float) -> None:
        caller = self.peer.caller
        if caller.gone:
            awaited.close()
            raise Gone
        with cancel_scope(timeout) as caller.scope:
            try:
                await awaited
                return
            finally:
                caller.scope = None
        if caller.gone:
            raise Gone
        if self.required.requests:
            raise internal_error(f"The client did not answer within {timeout:g} s")

    def _values(self, asked: Mapping[str, Question]) -> Mapping[str, Any]:
        answers: dict[str, Any] = {}
        for key, question in asked.items():
            response = question.response or {}
            if "error" in response:
                raise internal_error(_failure(self.required.requests[key].method, response))
            answers[key] = response.get("result")
        return Round(None, self.required.requests, answers, 0.0).values(place=("answers",))


async def _all_answered(asked: Mapping[str, Question]) -> None:
    for question in asked.values():
        await question.answered.wait()


def _withdraw(questions: Questions, asked: Mapping[str, Question], outbox: Outbox) -> None:
    for question in asked.values():
        questions.close(question)
        if not question.answered.is_set():
            params = {"requestId": question.id, "reason": "The answer is not needed any more"}
            outbox.put(encode_notification("notifications/cancelled", params))


def client_error(response: Mapping[str, Any]) -> McpError:
    """The error that a client has answered with."""
    error = response.get("error")
    error = error if isinstance(error, dict) else {}
    code, message = error.get("code"), error.get("message")
    return McpError(
        code if type(code) is int else internal_error().code, str(message)[:1000], error.get("data")
    )


def _failure(method: str, response: Mapping[str, Any]) -> str:
    return f"The client answered {method} with an error: {client_error(response)}"

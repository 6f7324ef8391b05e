"""What a test answers to a server that asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from ..errors import McpError

Answers: TypeAlias = Mapping[str, Any] | Callable[[str, dict[str, Any]], Any]
"""By the keys of the callback that asks, or from a function of the key and the request."""

# A server that has asked so often will not stop asking.
MAX_ROUNDS: Final = 20


def answer_to(answers: Answers, key: str, request: dict[str, Any]) -> Any:
    """The answer to one request, of the members `method` and `params`."""
    if callable(answers):
        return answers(key, request)
    assert key in answers, f"the server asks for {key!r}, which answers does not have: {request}"
    return answers[key]


def to_wire(answer: Any) -> Any:
    if isinstance(answer, tuple):
        return {"roots": [root.to_wire() for root in answer]}
    return answer.to_wire() if hasattr(answer, "to_wire") else answer


def carried(responses: Mapping[str, Any] | None, state: str | None) -> dict[str, Any]:
    """What a request of the stateless era carries from the round before."""
    found: dict[str, Any] = {}
    if responses is not None:
        given = {key: answer for key, answer in responses.items() if answer is not None}
        found["inputResponses"] = {key: to_wire(answer) for key, answer in given.items()}
    if state is not None:
        found["requestState"] = state
    return found


def response(id_: Any, answer: Any) -> dict[str, Any]:
    """The message that answers a request of the server's; a McpError is an error."""
    given = {"error" if isinstance(answer, McpError) else "result": to_wire(answer)}
    return {"jsonrpc": "2.0", "id": id_, **given}

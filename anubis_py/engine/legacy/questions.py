"""Requests to clients that somebody in this process waits for."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

import anyio
import attrs

from .tokens import token


@attrs.define(eq=False, repr=False)
class Question:
    """One request to a client, and in time its response."""

    id: str
    session_id: str
    response: Mapping[str, Any] | None = attrs.field(default=None, init=False)
    """With the member `result` or `error`."""
    answered: anyio.Event = attrs.field(factory=anyio.Event, init=False)

    def answer(self, response: Mapping[str, Any]) -> None:
        self.response = response
        self.answered.set()


class Questions:
    """Those that are open. Their ids tell which process has asked."""

    def __init__(self) -> None:
        self.node = token(9)
        """A name of this process's own."""
        self._open: dict[str, Question] = {}
        self._numbers = count(1)

    def ask(self, session_id: str) -> Question:
        question = Question(f"{self.node}.{next(self._numbers)}", session_id)
        self._open[question.id] = question
        return question

    def close(self, question: Question) -> None:
        self._open.pop(question.id, None)

    def find(self, session_id: str, request_id: object) -> Question | None:
        """None: nobody here waits for it. No session answers the questions of another one."""
        question = self._open.get(request_id) if isinstance(request_id, str) else None
        return question if question is not None and question.session_id == session_id else None

    def of_another(self, request_id: object) -> bool:
        """Whether the id looks like one of another process."""
        if not isinstance(request_id, str) or "." not in request_id:
            return False
        return request_id.partition(".")[0] not in (self.node, UNATTENDED)


UNATTENDED = "unattended"
"""Where the name of the process would be: whichever process takes the answer handles it."""


def unattended_id() -> str:
    return f"{UNATTENDED}.{token(9)}"

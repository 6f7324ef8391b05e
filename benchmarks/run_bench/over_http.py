"""The workloads over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import attrs
from http_bench.post import Post

from .answers import Check, check, greets, has_blob, lists, messages, says, streams
from .comparison import Budget
from .frameworks import ALL, ECHO, OFFICIAL, OURS, TYPESCRIPT_SDK, Framework
from .messages import legacy, modern, open_session
from .rates import Job, Runner
from .servers import inputs

SESSIONS: Final = 32
FEW: Final = 4
"""Connections, where an answer takes long: with many, each would wait for all others."""
_UVICORN_BUDGETS: Final = {OFFICIAL.name: Budget(6), TYPESCRIPT_SDK.name: Budget(5)}


@attrs.frozen
class _Ask:
    method: str
    params: Mapping[str, Any]
    is_right: Check

    def prepare(self, port: int) -> Sequence[Post]:
        return [modern(self.method, self.params)]


def _tool(name: str, is_right: Check, **arguments: Any) -> _Ask:
    return _Ask("tools/call", {"name": name, "arguments": arguments}, is_right)


_GREET: Final = _Ask("prompts/get", {"name": "greet", "arguments": {"who": "Ada"}}, greets)
_ADD: Final = _tool("add", says("42"), a=2, b=40)
_ADDRESS: Final = {"street": "Carrer de Mallorca 401", "city": "Barcelona", "country": "Spain"}
_ORDER: Final = _tool(
    "order",
    says("1100"),
    customer={"name": "Ada", "address": _ADDRESS},
    items=[{"sku": f"sku-{n}", "quantity": n, "price": 20} for n in range(1, 11)],
)


_STREAM: Final = _Ask(
    "tools/call",
    {"name": "stream", "arguments": {}, "_meta": {"progressToken": "bench"}},
    streams,
)


def _everybody(app: str) -> list[Runner]:
    return [Runner(one, _worker(one), app, one.name) for one in ALL]


def _worker(framework: Framework) -> str:
    return "node" if framework is TYPESCRIPT_SDK else "uvicorn"


def _job(
    title: str,
    app: str,
    ask: _Ask,
    budgets: Mapping[str, Budget] | None = None,
    connections: int | None = None,
) -> Job:
    return Job(title, _everybody(app), ask.prepare, ask.is_right, budgets or {}, connections)


def requests() -> Mapping[str, Callable[[], Job]]:
    """By the names that `--only` takes."""
    return {
        "prompts": lambda: _job("prompts/get", "bench", _GREET, _UVICORN_BUDGETS),
        "tools": lambda: _job("tools/call, small", "bench", _ADD, _UVICORN_BUDGETS),
        "text": lambda: _job(
            "tools/call, 100 KB of text", "bench", _tool("text", says(inputs.TEXT))
        ),
        "nested": lambda: _job("tools/call, nested schema", "bench", _ORDER),
        "list-10": lambda: _job("tools/list of 10", "list-10", _Ask("tools/list", {}, lists(10))),
        "list-1000": lambda: _job(
            "tools/list of 1,000",
            "list-1000",
            _Ask("tools/list", {}, lists(1000)),
            {OFFICIAL.name: Budget(10)},
            FEW,
        ),
        "blob": lambda: _job(
            "resources/read, 1 MB",
            "bench",
            _Ask("resources/read", {"uri": inputs.BLOB}, has_blob),
            connections=FEW,
        ),
        "progress": lambda: _job("100 notifications", "stream", _STREAM, connections=FEW),
        "session": _session,
    }


def _session() -> Job:
    """Many sessions, in turn, with ids that none has in flight twice."""
    budgets = {OFFICIAL.name: Budget(4)}
    title = "tools/call, legacy session"
    return Job(title, _everybody("session"), _calls_in_sessions, says("42"), budgets)


def _calls_in_sessions(port: int) -> list[Post]:
    sessions = [open_session(port) for _ in range(SESSIONS)]
    return [
        legacy({"id": number, "method": "tools/call", "params": _ADD.params}, session)
        for number in range(8)
        for session in sessions
    ]


def hypercorn() -> list[Job]:
    runners = [Runner(one, "hypercorn-trio", "bench", one.name) for one in (OURS, ECHO)]
    budgets = {ECHO.name: Budget(0.85)}
    return [
        Job(title, runners, ask.prepare, ask.is_right, budgets)
        for title, ask in (("prompts/get", _GREET), ("tools/call, small", _ADD))
    ]


def pages() -> Job:
    """One in the middle of a short list, and one in the middle of a long one.

    The ratio of the rates, short to long, is that of the costs, long to short.
    """
    short = Runner(OURS, "uvicorn", "page-500", "50 of 500")
    long = Runner(OURS, "uvicorn", "page-10000", "50 of 10,000")
    budgets = {long.name: Budget(1.1, at_most=True)}
    return Job("a page", [short, long], _middle, lists(inputs.PAGE), budgets)


def _middle(port: int) -> list[Post]:
    cursors: list[str] = []
    params: dict[str, Any] = {}
    while True:
        answer = modern("tools/list", params).ask(port)
        check(answer, lists(inputs.PAGE))
        cursor = messages(answer)[-1]["result"].get("nextCursor")
        if cursor is None:
            return [modern("tools/list", {"cursor": cursors[len(cursors) // 2]})]
        cursors.append(cursor)
        params = {"cursor": cursor}

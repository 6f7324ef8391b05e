"""1,000 listeners: what each weighs, and how soon the last one hears of a change."""

from __future__ import annotations

import resource
from collections.abc import Iterable
from contextlib import ExitStack
from time import perf_counter
from typing import Final

import attrs
from http_bench.machine import cores
from http_bench.server import Server, pinned
from listeners_bench.client import ACKNOWLEDGED, UPDATED, Listener

from .answers import check, says
from .comparison import Comparison, Contender, in_turn
from .frameworks import FASTMCP, OFFICIAL, OURS, TYPESCRIPT_SDK, Framework
from .messages import modern
from .servers import inputs

_LISTENING: Final = {
    "anubis_py, uvicorn": (OURS, "uvicorn"),
    "anubis_py, hypercorn": (OURS, "run"),
    OFFICIAL.name: (OFFICIAL, "uvicorn"),
    TYPESCRIPT_SDK.name: (TYPESCRIPT_SDK, "node"),
}
_ABSENT: Final = Contender(FASTMCP.name, absent="does not serve `subscriptions/listen`")
_TOUCH: Final = modern("tools/call", {"name": "touch", "arguments": {}})
_WARM_UP: Final = 10
_KIB_LIMIT: Final = 30
_MS_LIMIT: Final = 500


@attrs.define
class _Audience:
    server: Server
    listeners: list[Listener] = attrs.field(factory=list)

    def open(self, count: int) -> float:
        """KiB that the server has grown by for each."""
        self._listen(_WARM_UP)
        self.change()
        before = self.server.resident()
        self._listen(count - _WARM_UP)
        return (self.server.resident() - before) / (count - _WARM_UP) / 1024

    def _listen(self, count: int) -> None:
        opened = [Listener(self.server.port, [inputs.NOTE]) for _ in range(count)]
        for listener in opened:
            listener.wait_for(ACKNOWLEDGED)
        self.listeners += opened

    def change(self) -> float:
        """Milliseconds until everybody has heard of it."""
        start = perf_counter()
        answer = _TOUCH.ask(self.server.port)
        for listener in self.listeners:
            listener.wait_for(UPDATED)
        taken = perf_counter() - start
        check(answer, says("touched"))
        return taken * 1e3

    def close(self) -> None:
        for listener in self.listeners:
            listener.close()


def compare(rounds: int, count: int, changes: int) -> Iterable[Comparison]:
    _allow_sockets(len(_LISTENING) * count + 200)
    weights: dict[str, list[float]] = {name: [] for name in _LISTENING}
    delays: dict[str, list[float]] = {name: [] for name in _LISTENING}
    for _ in range(rounds):
        _one_round(count, changes, weights, delays)
    yield _comparison(f"memory for each of {count:,}, KiB", weights, _KIB_LIMIT)
    yield _comparison("a change reaches the last, ms", delays, _MS_LIMIT)


def _one_round(
    count: int, changes: int, weights: dict[str, list[float]], delays: dict[str, list[float]]
) -> None:
    server_core, load_core = cores()
    with ExitStack() as stack:
        audiences = {
            name: _Audience(stack.enter_context(_server(*place, server_core)))
            for name, place in _LISTENING.items()
        }
        with pinned(load_core):
            for name, audience in audiences.items():
                stack.callback(audience.close)
                weights[name].append(audience.open(count))
            measures = {name: audience.change for name, audience in audiences.items()}
            for name, taken in in_turn(changes, measures).items():
                delays[name] += taken


def _server(framework: Framework, worker: str, core: int | None) -> Server:
    return Server(framework.over_http("notes", worker), core, quiet=True)


def _comparison(title: str, taken: dict[str, list[float]], limit: float) -> Comparison:
    found = [
        Contender(name, values, limit=limit if _LISTENING[name][0] is OURS else None)
        for name, values in taken.items()
    ]
    return Comparison(title, [*found, _ABSENT])


def _allow_sockets(count: int) -> None:
    """For this process and the servers, which inherit it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, hard), hard))

"""Resident memory: after a start and one request, and after 10,000."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from http_bench.load import run
from http_bench.machine import cores
from http_bench.post import Post
from http_bench.server import Server, pinned, resident

from .answers import check, says
from .comparison import Budget, Comparison, Contender
from .frameworks import ALL, OFFICIAL, TYPESCRIPT_SDK, Framework
from .messages import modern
from .over_stdio import ADD, EXPECTED, process

REQUESTS: Final = 10_000
_CONNECTIONS: Final = 32
_POST: Final = modern("tools/call", {"name": "add", "arguments": {"a": 2, "b": 40}})
_MIB: Final = 1024 * 1024
_IDLE_BUDGET: Final = {OFFICIAL.name: Budget(0.5, at_most=True)}


def compare(rounds: int, requests: int) -> Iterable[Comparison]:
    """MiB, every time of a new process."""
    measures = {"uvicorn, Node": _over_http, "stdio": _over_stdio}
    for place, measure in measures.items():
        taken: dict[str, list[tuple[float, float]]] = {one.name: [] for one in ALL}
        for _ in range(rounds):
            for one in ALL:
                taken[one.name].append(measure(one, requests))
        for title, which in (("idle", 0), (f"after {requests:,} requests", 1)):
            yield Comparison(
                f"{place}: {title}",
                [Contender(name, [pair[which] for pair in pairs]) for name, pairs in taken.items()],
                {} if which else _IDLE_BUDGET,
            )


def _over_http(framework: Framework, requests: int) -> tuple[float, float]:
    worker = "node" if framework is TYPESCRIPT_SDK else "uvicorn"
    server_core, load_core = cores()
    with Server(framework.over_http("bench", worker), server_core) as server, pinned(load_core):
        check(_POST.ask(server.port), says("42"))
        idle = server.resident()
        _send(server.port, _POST, requests)
        return idle / _MIB, server.resident() / _MIB


def _send(port: int, post: Post, requests: int) -> None:
    run(port, [post.encoded(port)], _CONNECTIONS, 600, requests)


def _over_stdio(framework: Framework, requests: int) -> tuple[float, float]:
    _, load_core = cores()
    with process(framework) as server, pinned(load_core):
        server.calls(ADD, 1, EXPECTED)
        idle = resident(server.process)
        server.calls(ADD, requests, EXPECTED)
        return idle / _MIB, resident(server.process) / _MIB

"""Calls over stdio, one after another and all at once, and the start of a server."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from typing import Final

from http_bench.machine import cores
from http_bench.server import FOLDER, pinned
from stdio_bench.process import Server, first_answer

from .comparison import Budget, Comparison, contenders, in_turn
from .frameworks import ALL, OFFICIAL, Framework
from .messages import line

PIPELINED: Final = 100
_CALL: Final = {"name": "add", "arguments": {"a": 1, "b": 2}}
ADD: Final = line("tools/call", _CALL).encode() + b"\n"
EXPECTED: Final = b'"text":"3"'


def process(framework: Framework) -> Server:
    server_core, _ = cores()
    return Server(framework.over_stdio(), os.environ, FOLDER, server_core)


def sequential(rounds: int, calls: int) -> Comparison:
    def rate(server: Server) -> float:
        return calls / server.calls(ADD, calls, EXPECTED)

    return _rates("sequential", rounds, rate, {OFFICIAL.name: Budget(8)})


def pipelined(rounds: int, times: int) -> Comparison:
    asked = [
        line("tools/call", _CALL, number).encode() + b"\n" for number in range(1, PIPELINED + 1)
    ]

    def rate(server: Server) -> float:
        seconds = 0.0
        for _ in range(times):
            taken, answers = server.pipelined(asked)
            seconds += taken
            _check(answers)
        return times * PIPELINED / seconds

    return _rates(f"{PIPELINED} at once", rounds, rate, {})


def _check(answers: list[bytes]) -> None:
    ids = sorted(json.loads(answer)["id"] for answer in answers)
    if ids != list(range(1, PIPELINED + 1)) or not all(EXPECTED in answer for answer in answers):
        raise RuntimeError(f"wrong answers: {answers[0]!r}")


def _rates(
    title: str,
    rounds: int,
    rate: Callable[[Server], float],
    budgets: Mapping[str, Budget],
) -> Comparison:
    _, load_core = cores()
    absent: dict[str, str] = {}
    with ExitStack() as stack:
        servers = {one.name: stack.enter_context(process(one)) for one in ALL}
        stack.enter_context(pinned(load_core))
        measures = {name: partial(rate, server) for name, server in servers.items()}
        _drop_those_that_fail(measures, absent)
        taken = in_turn(rounds, measures)
    return Comparison(title, contenders(taken, absent, servers), budgets)


def _drop_those_that_fail(measures: dict[str, partial[float]], absent: dict[str, str]) -> None:
    """Each is done once, which warms it up, too."""
    for name in list(measures):
        try:
            measures[name]()
        except (RuntimeError, OSError) as error:
            absent[name] = str(error)
            del measures[name]


def starts(rounds: int) -> Comparison:
    """Milliseconds to the first answer."""
    _, load_core = cores()
    measures = {one.name: partial(_start, process(one)) for one in ALL}
    absent: dict[str, str] = {}
    with pinned(load_core):
        _drop_those_that_fail(measures, absent)
        taken = in_turn(rounds, measures)
    budgets = {OFFICIAL.name: Budget(0.25, at_most=True)}
    names = [one.name for one in ALL]
    return Comparison("start to first answer", contenders(taken, absent, names), budgets)


def _start(server: Server) -> float:
    return first_answer(server, ADD) * 1e3

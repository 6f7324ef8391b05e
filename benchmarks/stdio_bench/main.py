"""Both servers in turn, round after round, so that what slows one slows the other; medians."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

from .process import SERVERS, call, first_answer, own

TOOLS: Final = {"async def": "add", "def": "add_def"}
CALLS_BUDGET: Final = 8.0
START_BUDGET: Final = 4.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000, help="to each server and tool")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--starts", type=int, default=7)
    given = parser.parse_args()
    print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}")
    with TemporaryDirectory() as compiled:
        _starts(compiled, given.starts)
        _calls(compiled, given.calls // given.rounds, given.rounds)


def _starts(compiled: str, count: int) -> None:
    starts = {name: partial(first_answer, own(name, compiled), call("add")) for name in SERVERS}
    for warm_up in starts.values():
        warm_up()
    _report("start to first answer, ms", _in_turn(count, starts), 1e3, START_BUDGET)


def _calls(compiled: str, count: int, rounds: int) -> None:
    with ExitStack() as stack:
        servers = {name: stack.enter_context(own(name, compiled)) for name in SERVERS}
        for handler, tool in TOOLS.items():
            calls = {
                name: partial(server.calls, call(tool), count) for name, server in servers.items()
            }
            for warm_up in calls.values():
                warm_up()
            title = f"sequential calls, {handler}, us"
            budget = CALLS_BUDGET if handler == "async def" else None
            _report(title, _in_turn(rounds, calls), 1e6 / count, budget)


def _in_turn(rounds: int, measures: Mapping[str, Callable[[], float]]) -> dict[str, list[float]]:
    taken: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            taken[name].append(measure())
    return taken


def _report(title: str, taken: dict[str, list[float]], unit: float, budget: float | None) -> None:
    print(f"\n{title:<32} median   least    most")
    for name, values in taken.items():
        middle, least, most = median(values), min(values), max(values)
        print(f"  {name:<28} {middle * unit:>8.0f} {least * unit:>7.0f} {most * unit:>7.0f}")
    ours, theirs = taken["anubis_py"], taken["sdk"]
    ratio = median(b / a for a, b in zip(ours, theirs, strict=True))
    verdict = (
        "" if budget is None else f"  budget {budget:g}: {'met' if ratio >= budget else 'MISSED'}"
    )
    print(f"  {'sdk / anubis_py, in a round':<28} {ratio:>8.1f}{verdict}")

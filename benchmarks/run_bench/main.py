"""All workloads, and the page that tells of them. `benchmarks/run` installs what this needs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Final

import attrs
from http_bench.generator import choose

from . import listening, memory, over_http, over_stdio, report
from .comparison import Comparison, Group
from .machine import describe
from .messages import MODERN
from .rates import BUSY, STARVED, Job, Plan, compare

RESULTS: Final = Path(__file__).parent.parent / "RESULTS.md"

_HOW: Final = f"""\
Every server is one process on one core, the client or load generator is on another. The servers
of a workload take turns, round after round; a ratio is taken within a round. Medians, with the
least and the most. Everybody is asked the same, as a request of {MODERN} unless a session of
the older revision is named, and one answer of each is checked before it is timed. "generator" is
the most that it took of its core: above {BUSY:.0%}, it may be what was measured. "server" is the
least that it got of its own: below {STARVED:.0%}, the machine was not quiet.
"""


@attrs.frozen
class Extent:
    plan: Plan
    calls: int
    rounds: int
    starts: int
    processes: int
    requests: int
    changes: int


def main() -> None:
    known = workloads()
    given = _parser(known).parse_args()
    extent = _extent(given)
    began, heading = perf_counter(), _heading(extent)
    taken: dict[str, list[Comparison]] = {}
    for name in given.only or known:
        group, measure = known[name]
        print(f"{name} …", flush=True)
        taken.setdefault(group, []).extend(measure(extent))
    groups = [
        attrs.evolve(group, comparisons=taken[name])
        for name, group in GROUPS.items()
        if name in taken
    ]
    page = report.page(f"{heading}\n\nIt took {(perf_counter() - began) / 60:.0f} min.", groups)
    print(f"\n{page}")
    output = given.output or (None if given.quick or given.only else RESULTS)
    if output is not None:
        output.write_text(page)
        print(f"written to {output}")


GROUPS: Final = {
    "http": Group("HTTP: uvicorn and Node", "requests/s", ()),
    "hypercorn": Group("HTTP: hypercorn's trio worker", "requests/s", ()),
    "pages": Group(
        "A page of a long list",
        "pages/s",
        (),
        text="The ratio is what a page of 10,000 costs, in pages of 500.",
    ),
    "stdio": Group("stdio", "calls/s", ()),
    "starts": Group("Cold start, stdio", "ms", ()),
    "memory": Group("Resident memory", "MiB", (), digits=1),
    "listeners": Group("Listeners", "median", (), digits=1),
}

Measure = Callable[[Extent], Iterable[Comparison]]


def workloads() -> dict[str, tuple[str, Measure]]:
    """By the names that `--only` takes: the group, and what measures it."""

    def http(make: Callable[[], Job]) -> Measure:
        return lambda extent: [compare(extent.plan, make())]

    return {
        **{name: ("http", http(make)) for name, make in over_http.requests().items()},
        "hypercorn": (
            "hypercorn",
            lambda extent: [compare(extent.plan, job) for job in over_http.hypercorn()],
        ),
        "pages": ("pages", lambda extent: [compare(extent.plan, over_http.pages())]),
        "sequential": (
            "stdio",
            lambda extent: [over_stdio.sequential(extent.rounds, extent.calls)],
        ),
        "pipelined": (
            "stdio",
            lambda extent: [over_stdio.pipelined(extent.rounds, max(1, extent.calls // 100))],
        ),
        "start": ("starts", lambda extent: [over_stdio.starts(extent.starts)]),
        "memory": ("memory", lambda extent: memory.compare(extent.processes, extent.requests)),
        "listeners": (
            "listeners",
            lambda extent: listening.compare(extent.processes, 1000, extent.changes),
        ),
    }


def _parser(known: Iterable[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks/run", description=__doc__)
    parser.add_argument("--folder", help="where to install; has to come first")
    parser.add_argument("--installed", action="store_true", help="install nothing anew")
    parser.add_argument("--quick", action="store_true", help="a short run, to see that it works")
    parser.add_argument("--only", nargs="+", metavar="WORKLOAD", choices=list(known))
    parser.add_argument("--generator", choices=("auto", "wrk", "built-in"), default="auto")
    whole = "RESULTS.md, for a whole run that is not quick"
    parser.add_argument("--output", type=Path, help=f"a file for the tables (default: {whole})")
    return parser


def _extent(given: argparse.Namespace) -> Extent:
    generator = choose(given.generator)
    if given.quick:
        return Extent(Plan(1, 2, 32, generator), 200, 3, 3, 1, 2000, 3)
    return Extent(Plan(3, 4, 32, generator), 500, 15, 9, 3, memory.REQUESTS, 10)


def _heading(extent: Extent) -> str:
    plan = extent.plan
    load = f"{plan.generator.name}, {plan.connections} connections, "
    load += f"{plan.rounds} rounds of {plan.seconds:g} s for each server"
    command = " ".join(["benchmarks/run", *sys.argv[1:]])
    when = datetime.now(UTC).date()
    return "\n\n".join(
        ["# Results", f"`{command}`, {when}", describe(), f"HTTP load: {load}.", _HOW.rstrip()]
    )


if __name__ == "__main__":
    main()

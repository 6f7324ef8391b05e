"""One run: every server up, rounds through all targets in turn, then medians and ratios."""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from statistics import median
from typing import Final

import attrs

from .generator import Generator, choose, processor_seconds
from .machine import cores, describe
from .requests import REQUESTS, Request
from .server import Server, pinned
from .target import Ratio, Spread, Target, ratios, targets

_WARM_UP: Final = 1.0
"""Seconds for every target before the first round."""
_LABEL: Final = 58
_BUSY: Final = 0.9
"""Of its core: above it, the generator may be what was measured."""


@attrs.frozen
class Plan:
    seconds: float
    rounds: int
    connections: int
    generator: Generator


@attrs.frozen
class Sample:
    rate: float
    cost: float
    """Microseconds of its core that the server took for a request."""
    busy: float
    """How much of a core the generator took."""


Samples = Mapping[Target, list[Sample]]


def main() -> None:
    plan = _plan()
    print(describe())
    print(
        f"{plan.generator.name}, {plan.connections} connections, "
        f"{plan.rounds} rounds of {plan.seconds:g} s a target\n"
    )
    samples = _measure(plan)
    print(_rates(samples))
    print(_ratios(samples))


def _plan() -> Plan:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=4, help="of load, a target and round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--generator", choices=("auto", "wrk", "built-in"), default="auto")
    given = parser.parse_args()
    return Plan(given.seconds, given.rounds, given.connections, choose(given.generator))


def _measure(plan: Plan) -> Samples:
    server_core, load_core = cores()
    samples: dict[Target, list[Sample]] = defaultdict(list)
    with ExitStack() as stack:
        served = {
            place: stack.enter_context(Server.module(server_core, "http_bench.serve", *place))
            for place in dict.fromkeys((t.app, t.worker) for t in targets())
        }
        stack.enter_context(pinned(load_core))
        for target in targets():
            server = served[target.app, target.worker]
            _request(target).check(server.port, target.app)
            _sample(plan, target, server, _WARM_UP)
        for _ in range(plan.rounds):
            for target in targets():
                server = served[target.app, target.worker]
                samples[target].append(_sample(plan, target, server, plan.seconds))
    return samples


def _request(target: Target) -> Request:
    return REQUESTS[target.method, target.handler]


def _sample(plan: Plan, target: Target, server: Server, seconds: float) -> Sample:
    before, server_before = processor_seconds(), server.processor_seconds()
    tally = plan.generator(server.port, [_request(target).post], plan.connections, seconds)
    taken, server_taken = processor_seconds() - before, server.processor_seconds() - server_before
    return Sample(
        rate=tally.requests / tally.seconds,
        cost=server_taken / tally.requests * 1e6,
        busy=taken / tally.seconds,
    )


def _rates(samples: Samples) -> str:
    title = "requests/s, one process on one core"
    lines = [f"{title:<{_LABEL}} median      least-most  CPU us  generator"]
    for target, taken in samples.items():
        spread = Spread.of(sample.rate for sample in taken)
        cost = median(sample.cost for sample in taken)
        busy = max(sample.busy for sample in taken)
        warning = "  TOO BUSY TO TELL" if busy > _BUSY else ""
        lines.append(
            f"{target!s:<{_LABEL}} {spread.middle:>6,.0f} "
            f"{spread.least:>9,.0f}-{spread.most:<7,.0f}{cost:>5,.0f}  {busy:>6.0%}{warning}"
        )
    return "\n".join(lines) + "\n"


def _ratios(samples: Samples) -> str:
    lines = [f"{'ratios, each within a round':<{_LABEL}} median      least-most"]
    lines += (_line(ratio, samples) for ratio in ratios())
    return "\n".join(lines)


def _line(ratio: Ratio, samples: Samples) -> str:
    spread = Spread.of(_paired(samples[ratio.of], samples[ratio.to]))
    line = f"{ratio!s:<{_LABEL}} {spread.middle:>6.2f} {spread.least:>9.2f}-{spread.most:<7.2f}"
    if ratio.budget is None:
        return line.rstrip()
    verdict = "met" if spread.middle >= ratio.budget else "MISSED"
    return f"{line} budget {ratio.budget:g}: {verdict}"


def _paired(of: Iterable[Sample], to: Iterable[Sample]) -> Iterable[float]:
    """Taken seconds apart, so that what slowed one down slowed the other, too."""
    return (mine.rate / other.rate for mine, other in zip(of, to, strict=True))

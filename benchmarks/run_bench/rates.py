"""Requests a second over HTTP of several servers, in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from statistics import median
from typing import Final

import attrs
from http_bench.generator import Generator, processor_seconds
from http_bench.load import Unexpected
from http_bench.machine import cores
from http_bench.post import Post
from http_bench.server import Server, pinned

from .answers import Check, check
from .comparison import Budget, Comparison, Contender
from .frameworks import ECHO, Framework
from .messages import WrongAnswer

BUSY: Final = 0.9
"""Of its core: above it, the generator may be what was measured."""
STARVED: Final = 0.8
"""Of its core: a server that got less had to share it, and its rate says little."""
_WARM_UP: Final = 2.0


@attrs.frozen
class Plan:
    seconds: float
    rounds: int
    connections: int
    generator: Generator


@attrs.frozen
class Runner:
    """A framework under a server. Its name tells it from the others of a comparison."""

    framework: Framework
    worker: str
    app: str
    name: str


@attrs.frozen
class Job:
    """What each runner is asked, and has to answer."""

    title: str
    runners: Sequence[Runner]
    prepare: Callable[[int], Sequence[Post]]
    """Given the port: what is sent. It may ask first."""
    is_right: Check
    budgets: Mapping[str, Budget] = attrs.field(factory=dict)
    connections: int | None = None
    """Other than those of the plan."""


@attrs.frozen
class _Sample:
    rate: float
    cost: float
    """Microseconds of its core that the server took for a request."""
    share: float
    """How much of its core the server got."""
    busy: float
    """How much of a core the generator took."""


@attrs.define
class _Running:
    runner: Runner
    server: Server
    posts: Sequence[Post] = ()
    size: int = 0
    """Bytes of an answer."""
    samples: list[_Sample] = attrs.field(factory=list)
    wrong: str = ""

    def try_out(self, plan: Plan, job: Job) -> None:
        try:
            self.posts = job.prepare(self.server.port)
            for _ in range(2):
                answer = self.posts[0].ask(self.server.port)
                if self.runner.framework != ECHO:
                    check(answer, job.is_right)
            self.size = len(answer.body)
            self._load(plan, _WARM_UP)
        except (WrongAnswer, Unexpected, OSError) as error:
            self.wrong = f"{type(error).__name__}: {error}"

    def sample(self, plan: Plan) -> None:
        if not self.wrong:
            try:
                self.samples.append(self._load(plan, plan.seconds))
            except Unexpected as error:
                self.wrong = f"under load: {error}"

    def _load(self, plan: Plan, seconds: float) -> _Sample:
        before, server_before = processor_seconds(), self.server.processor_seconds()
        tally = plan.generator(self.server.port, self.posts, plan.connections, seconds)
        taken = processor_seconds() - before
        server_taken = self.server.processor_seconds() - server_before
        if not tally.requests:
            raise Unexpected(f"no answer in {seconds} s")
        if tally.received < tally.requests * self.size:
            raise Unexpected("answers are shorter than the one that was checked")
        return _Sample(
            rate=tally.requests / tally.seconds,
            cost=server_taken / tally.requests * 1e6,
            share=server_taken / tally.seconds,
            busy=taken / tally.seconds,
        )

    def contender(self) -> Contender:
        if self.wrong:
            return Contender(self.runner.name, absent=self.wrong)
        busy = max(sample.busy for sample in self.samples)
        share = min(sample.share for sample in self.samples)
        extras = {
            "CPU µs": f"{median(sample.cost for sample in self.samples):,.0f}",
            "server": f"{share:.0%}" + (" **not quiet**" if share < STARVED else ""),
            "generator": f"{busy:.0%}" + (" **too busy to tell**" if busy > BUSY else ""),
        }
        return Contender(self.runner.name, [sample.rate for sample in self.samples], extras)


def compare(plan: Plan, job: Job) -> Comparison:
    if job.connections is not None:
        plan = attrs.evolve(plan, connections=job.connections)
    server_core, load_core = cores()
    with ExitStack() as stack:
        running = [
            _Running(runner, stack.enter_context(Server(_command(runner), server_core)))
            for runner in job.runners
        ]
        stack.enter_context(pinned(load_core))
        for one in running:
            one.try_out(plan, job)
        for _ in range(plan.rounds):
            for one in running:
                one.sample(plan)
    return Comparison(job.title, [one.contender() for one in running], job.budgets)


def _command(runner: Runner) -> tuple[str, ...]:
    return runner.framework.over_http(runner.app, runner.worker)

"""What was measured of several servers that did the same, in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs
from http_bench.target import Spread


@attrs.frozen
class Budget:
    """What a ratio has to be."""

    bound: float
    at_most: bool = False

    def verdict(self, value: float) -> str:
        met = value <= self.bound if self.at_most else value >= self.bound
        return f"{'≤' if self.at_most else '≥'} {self.bound:g}: {'met' if met else '**MISSED**'}"


@attrs.frozen
class Contender:
    name: str
    values: Sequence[float] = ()
    """One for each round."""
    extras: Mapping[str, str] = attrs.field(factory=dict)
    """By the headings of their columns."""
    absent: str = ""
    """Why there are no values."""
    limit: float | None = None
    """That none of its values may reach."""


@attrs.frozen
class Comparison:
    """The first contender is compared with each of the others."""

    title: str
    contenders: Sequence[Contender]
    budgets: Mapping[str, Budget] = attrs.field(factory=dict)
    """By the name of the other."""

    def ratio(self, other: Contender) -> Spread:
        """Taken within a round, so that what slowed one slowed the other, too."""
        pairs = zip(self.contenders[0].values, other.values, strict=True)
        return Spread.of(ours / theirs for ours, theirs in pairs)


@attrs.frozen
class Group:
    title: str
    unit: str
    comparisons: Sequence[Comparison]
    digits: int = 0
    text: str = ""


def in_turn(rounds: int, measures: Mapping[str, Callable[[], float]]) -> dict[str, list[float]]:
    """A B A B …"""
    taken: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            taken[name].append(measure())
    return taken


def contenders(
    taken: Mapping[str, list[float]], absent: Mapping[str, str], order: Iterable[str]
) -> list[Contender]:
    return [
        Contender(name, taken.get(name, ()), absent=absent.get(name, ""))
        for name in order
        if name in taken or name in absent
    ]

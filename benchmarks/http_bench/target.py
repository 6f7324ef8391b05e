"""What is measured: an app under an ASGI server, asked for something."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import Final

import attrs

METHODS: Final = ("tools/call", "prompts/get")


@attrs.frozen
class Target:
    app: str
    worker: str
    method: str
    handler: str
    """`async def`, or `def`, which runs in a worker thread; the echo has neither."""

    def __str__(self) -> str:
        handler = "" if self.app == "echo" else self.handler
        return f"{self.method:<12} {self.worker:<15} {self.app:<10} {handler:<10}"


def targets() -> list[Target]:
    """In the order of one round: what is to be compared stands next to each other."""
    return [
        Target(app, worker, method, handler)
        for method in METHODS
        for worker in ("uvicorn", "hypercorn-trio")
        for handler in ("async def", "def")
        for app in ("anubis_py", "sdk", "echo")
        if _is_of_interest(app, worker, handler)
    ]


def _is_of_interest(app: str, worker: str, handler: str) -> bool:
    if app == "echo":
        return handler == "async def"
    return app != "sdk" or worker == "uvicorn"


@attrs.frozen
class Ratio:
    """One target's requests a second, as a multiple of another's."""

    of: Target
    to: Target
    budget: float | None = None

    def __str__(self) -> str:
        apps = f"{self.of.app} / {self.to.app}"
        return f"{self.of.method:<12} {self.of.worker:<15} {apps:<17} {self.of.handler}"


_BUDGETS: Final = {("uvicorn", "sdk"): 6.0, ("hypercorn-trio", "echo"): 0.85}


def ratios() -> list[Ratio]:
    known = targets()
    return [
        Ratio(of, to, _BUDGETS.get((of.worker, to.app)) if _has_budget(of) else None)
        for of in known
        for to in (_rival(of, "sdk"), _rival(of, "echo"))
        if to in known and of.app != "sdk" and to != of
    ]


def _rival(of: Target, app: str) -> Target:
    handler = "async def" if app == "echo" else of.handler
    return attrs.evolve(of, app=app, handler=handler)


def _has_budget(of: Target) -> bool:
    return of.app == "anubis_py" and of.handler == "async def"


@attrs.frozen
class Spread:
    """The median, between the least and the most."""

    middle: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        known = list(values)
        return cls(median(known), min(known), max(known))

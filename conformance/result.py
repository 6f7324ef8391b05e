"""What the suite found out about a scenario, and what is made of it here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Self

# What the suite writes down of the traffic; and lists are answered without a stream.
_NOTES: Final = {
    "outgoing-request",
    "incoming-response",
    "incoming-sse-event",
    "stream-closed",
    "server-sse-streams-functional",
}


@dataclass(frozen=True)
class Check:
    name: str
    status: str
    """SUCCESS, FAILURE, WARNING, SKIPPED or INFO."""
    message: str

    @property
    def held(self) -> bool:
        """Otherwise INFO says that the server gave nothing to check."""
        return self.status == "SUCCESS" or (self.status == "INFO" and self.name in _NOTES)


@dataclass(frozen=True)
class Result:
    scenario: str
    checks: tuple[Check, ...]

    @classmethod
    def of(cls, scenario: str, checks: Iterable[Mapping[str, Any]]) -> Self:
        """From the contents of checks.json."""
        return cls(scenario, tuple(Check(c["id"], c["status"], _message(c)) for c in checks))

    def count(self, status: str) -> int:
        return sum(check.status == status for check in self.checks)

    @property
    def passed(self) -> bool:
        """Whether everything was checked and held. The suite calls a scenario with warnings
        passed, and one whose checks were all skipped too; both hide what is missing."""
        return self.count("SUCCESS") > 0 and all(check.held for check in self.checks)

    @property
    def faults(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if not check.held)


def _message(check: Mapping[str, Any]) -> str:
    return check.get("errorMessage") or (check.get("details") or {}).get("message") or ""


class Verdict(Enum):
    PASSED = "passed"
    LEFT_OUT = "left out"
    FAILED = "FAILED"
    STALE = "STALE: it passes, take it off the list in left_out.py"
    DID_NOT_RUN = "DID NOT RUN"

    @property
    def acceptable(self) -> bool:
        return self in (Verdict.PASSED, Verdict.LEFT_OUT)


def judge(result: Result, left_out: Mapping[str, str]) -> Verdict:
    listed = result.scenario in left_out
    if not result.checks:
        return Verdict.DID_NOT_RUN
    if result.passed:
        return Verdict.STALE if listed else Verdict.PASSED
    return Verdict.LEFT_OUT if listed else Verdict.FAILED


def complete(results: Iterable[Result], scenarios: Iterable[str]) -> Iterator[Result]:
    """The results in the order of `scenarios`; one that did not run is a result without checks."""
    found = {result.scenario: result for result in results}
    for scenario in scenarios:
        yield found.get(scenario, Result(scenario, ()))

"""The table of a run, and the details of what went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from .result import Result, Verdict, judge

_COLUMNS: Final = {
    "passed": "SUCCESS",
    "failed": "FAILURE",
    "warnings": "WARNING",
    "skipped": "SKIPPED",
}


def table(results: Sequence[Result], left_out: Mapping[str, str]) -> Iterator[str]:
    width = max(len(result.scenario) for result in results)
    yield "  ".join(("scenario".ljust(width), *_COLUMNS, "verdict"))
    for result in results:
        counts = (str(result.count(s)).rjust(len(name)) for name, s in _COLUMNS.items())
        verdict = judge(result, left_out).value
        yield "  ".join((result.scenario.ljust(width), *counts, verdict))


def details(result: Result) -> Iterator[str]:
    """Every check of a scenario that did not hold."""
    yield f"\n{result.scenario}"
    for check in result.faults:
        yield f"  {check.status} {check.name}: {check.message or 'no message'}"


def summary(verdicts: Sequence[Verdict]) -> str:
    counts = ((verdicts.count(verdict), verdict.name) for verdict in Verdict)
    said = ", ".join(f"{count} {name.lower().replace('_', ' ')}" for count, name in counts if count)
    return f"\n{len(verdicts)} scenarios: {said}"

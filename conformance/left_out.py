"""The one place that says which scenarios need not pass for now, and why.

A scenario that is listed here and passes all the same makes the run fail: take it off.
`input-required-result-validate-input` is not listed although it needs rounds: the suite is
content with any error there, and "unknown tool" is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_STREAM: Final = "notifications on the stream of a request are not there yet"
_ROUNDS: Final = "InputRequired is not there yet"
_TASKS: Final = "the tasks extension is not there yet"

_AT_2026_07_28: Final = {
    "tools-call-with-progress": _STREAM,
    "server-stateless": f"{_STREAM}; {_ROUNDS}; subscriptions/listen is not there yet",
    "input-required-result-basic-elicitation": _ROUNDS,
    "input-required-result-basic-sampling": _ROUNDS,
    "input-required-result-basic-list-roots": _ROUNDS,
    "input-required-result-request-state": _ROUNDS,
    "input-required-result-multiple-input-requests": _ROUNDS,
    "input-required-result-multi-round": _ROUNDS,
    "input-required-result-missing-input-response": _ROUNDS,
    "input-required-result-non-tool-request": _ROUNDS,
    "input-required-result-result-type": _ROUNDS,
    "input-required-result-tampered-state": _ROUNDS,
    "input-required-result-capability-check": _ROUNDS,
    "input-required-result-ignore-extra-params": _ROUNDS,
    "tasks-lifecycle": _TASKS,
    "tasks-capability-negotiation": _TASKS,
    "tasks-wire-fields": _TASKS,
    "tasks-request-state-removal": _TASKS,
    "tasks-mrtr-input": _TASKS,
    "tasks-request-headers": _TASKS,
    "tasks-dispatch-and-envelope": _TASKS,
    "tasks-status-notifications": "the suite itself always skips it",
    "tasks-required-task-error": _TASKS,
    "tasks-mrtr-composition": _TASKS,
    "http-custom-header-server-validation": "Mcp-Param-* headers are not compared yet",
}

LEFT_OUT: Final[Mapping[str, Mapping[str, str]]] = {
    "2025-11-25": {},
    "2026-07-28": _AT_2026_07_28,
}
"""By revision: scenario -> reason."""

"""The one place that says which scenarios need not pass, and why.

A scenario that is listed here and passes all the same makes the run fail: take it off.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_TASKS: Final = "the tasks extension is left out by decision"

_AT_2026_07_28: Final = {
    "tasks-lifecycle": _TASKS,
    "tasks-capability-negotiation": _TASKS,
    "tasks-wire-fields": _TASKS,
    "tasks-request-state-removal": _TASKS,
    "tasks-mrtr-input": _TASKS,
    "tasks-request-headers": _TASKS,
    "tasks-dispatch-and-envelope": _TASKS,
    "tasks-status-notifications": f"{_TASKS}; the suite itself always skips it",
    "tasks-required-task-error": _TASKS,
    "tasks-mrtr-composition": _TASKS,
}

LEFT_OUT: Final[Mapping[str, Mapping[str, str]]] = {
    "2025-11-25": {},
    "2026-07-28": _AT_2026_07_28,
}
"""By revision: scenario -> reason."""

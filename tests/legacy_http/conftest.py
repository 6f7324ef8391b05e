from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.legacy import LEGACY
from support.log import ServerLog
from support.miniature import MARKS


@pytest.fixture(autouse=True)
def _quiet(server_log: ServerLog) -> None:
    """An error in the log that a test does not expect fails it."""


@pytest.fixture(autouse=True)
def _no_marks() -> Iterator[None]:
    MARKS.clear()
    yield
    MARKS.clear()


@pytest.fixture(params=LEGACY)
def version(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found

"""Fixtures for every test: both event loops, a clock that jumps, and the server's log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from support.log import ServerLog, server_log_of
from trio.testing import MockClock


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    """Every `@pytest.mark.anyio` test runs on both loops; with `autojump_clock` on trio."""
    if "autojump_clock" in request.fixturenames:
        return request.param, {"clock": request.getfixturevalue("autojump_clock")}
    return request.param


@pytest.fixture
def autojump_clock() -> MockClock:
    """Time that jumps to the next deadline as soon as every task waits: time-outs, at once.

    It does not see threads: while one works, the clock jumps all the same.
    """
    return MockClock(autojump_threshold=0)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "one_loop: a table of rules about data, which one event loop shows well enough"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items[:] = [item for item in items if not _is_spare(item)]


def _is_spare(item: pytest.Item) -> bool:
    """Whether it is the second loop's run of a test that needs one loop only."""
    loop = item.callspec.params.get("anyio_backend") if hasattr(item, "callspec") else None
    one = item.get_closest_marker("one_loop") or "autojump_clock" in getattr(
        item, "fixturenames", ()
    )
    return bool(one) and loop == "asyncio"


@pytest.fixture
def server_log() -> Iterator[ServerLog]:
    """What the server has logged. Whatever the test leaves in it must be no error."""
    with server_log_of() as log:
        yield log
        log.check_quiet()

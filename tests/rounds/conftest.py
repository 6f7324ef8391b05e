from __future__ import annotations

from typing import Any

import pytest

from anubis_py.server.state_keys import VARIABLE


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(autouse=True)
def _no_keys_around(monkeypatch: pytest.MonkeyPatch) -> None:
    """The keys of whoever runs the tests are none of their business."""
    monkeypatch.delenv(VARIABLE, raising=False)

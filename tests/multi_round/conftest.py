from __future__ import annotations

import pytest

from anubis_py.server.state_keys import VARIABLE


@pytest.fixture(autouse=True)
def _no_keys_around(monkeypatch: pytest.MonkeyPatch) -> None:
    """The keys of whoever runs the tests are none of their business."""
    monkeypatch.delenv(VARIABLE, raising=False)

from __future__ import annotations

import pytest
from support.log import ServerLog


@pytest.fixture(autouse=True)
def _quiet(server_log: ServerLog) -> None:
    """An error in the log that a test does not expect fails it."""

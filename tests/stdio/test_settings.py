from __future__ import annotations

import subprocess
import sys

import pytest

from anubis_py import ConfigurationError
from anubis_py.transports.stdio.settings import StdioSettings

from .process import PATIENCE, environment


def test_settings_are_strict() -> None:
    assert StdioSettings.of({"max_line": 10}) == StdioSettings(max_line=10)
    with pytest.raises(
        ConfigurationError, match=r"^There is no setting 'max_lines'\. Did you mean"
    ):
        StdioSettings.of({"max_lines": 10})


def test_nothing_is_imported_that_a_start_can_do_without() -> None:
    script = "import sys, anubis_py.transports.stdio.run; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=PATIENCE,
        env=environment(),
    )
    assert not {"asyncio", "hypercorn", "cryptography", "httpx"} & set(done.stdout.split())

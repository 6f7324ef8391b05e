"""The miniature of the tests in process."""

from __future__ import annotations

from anubis_py.transports.stdio.run import run_stdio

from ..servers import Miniature

run_stdio(Miniature())

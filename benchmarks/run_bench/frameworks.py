"""Who is compared, and how each is started."""

from __future__ import annotations

import os
import sys
from typing import Final

import attrs

NODE: Final = "BENCH_NODE"
TYPESCRIPT: Final = "BENCH_TYPESCRIPT"
"""Variables that `install` sets: the program, and the server beside its packages."""


@attrs.frozen
class Framework:
    name: str
    module: str
    """Of `servers`; none is for the one in TypeScript."""

    def over_http(self, app: str, worker: str) -> tuple[str, ...]:
        """The command, but for the descriptor."""
        return self._command(app, worker)

    def over_stdio(self, app: str = "bench") -> tuple[str, ...]:
        return self._command(app, "stdio")

    def _command(self, app: str, worker: str) -> tuple[str, ...]:
        if self.module:
            return (sys.executable, "-m", "run_bench.serve", self.module, app, worker)
        return (os.environ[NODE], os.environ[TYPESCRIPT], app, worker)


OURS: Final = Framework("anubis_py", "anubis")
OFFICIAL: Final = Framework("mcp", "official")
FASTMCP: Final = Framework("fastmcp", "fast")
TYPESCRIPT_SDK: Final = Framework("TypeScript SDK", "")
ECHO: Final = Framework("bare echo", "echo")

ALL: Final = (OURS, OFFICIAL, FASTMCP, TYPESCRIPT_SDK)

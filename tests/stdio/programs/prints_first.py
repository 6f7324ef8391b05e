"""As an author does it, whose module has printed already when the server is run."""

from __future__ import annotations

from anubis_py.transports.stdio.run import run_stdio

from ..servers import Miniature

print("stray: import")  # noqa: T201
run_stdio(Miniature())
print("stray: afterwards")  # noqa: T201

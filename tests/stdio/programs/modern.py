"""A server that serves no handshake."""

from __future__ import annotations

from anubis_py.transports.stdio.run import run_stdio

from ..servers import Miniature


class Modern(Miniature):
    protocol_versions = ("2026-07-28",)


run_stdio(Modern())

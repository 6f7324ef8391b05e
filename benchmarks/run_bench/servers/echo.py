"""Sends the body back: what the ASGI server itself can do."""

from __future__ import annotations

from typing import Any

from http_bench.echo import echo


def over_http(app: str) -> Any:
    return echo()

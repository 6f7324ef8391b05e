"""What all servers answer with. `typescript/server.mjs` has its own copy."""

from __future__ import annotations

from typing import Final

TEXT: Final = ('The quick "brown" fox jumps over the lazy dog.\n' * 2200)[:100_000]
BYTES: Final = bytes(range(256)) * 4096
BLOB: Final = "bench:///blob"
STEPS: Final = 100
NOTE: Final = "note:///shared"
PAGE: Final = 50


def tool_name(number: int) -> str:
    return f"search_{number:05}"


def count(app: str) -> int:
    """Of tools: `list-1000` has so many."""
    return int(app.partition("-")[2])

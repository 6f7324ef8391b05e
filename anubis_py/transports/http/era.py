"""Which era a message belongs to: it follows from the version that it names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...engine.stateless import is_modern
from ...protocol import jsonrpc
from ...protocol.revisions import REVISIONS

VERSION_HEADER: Final = "mcp-protocol-version"
SESSION_ID: Final = "mcp-session-id"

# The oldest revision is not served, but a client that opens with it may agree to a newer one.
HANDSHAKES: Final = frozenset(
    {"2024-11-05", *(v for v, revision in REVISIONS.items() if revision.era == "legacy")}
)


def is_legacy(message: jsonrpc.Message | None, fields: Mapping[str, str]) -> bool:
    """Whether a message, None: a batch, speaks a handshake revision. Which headers are there
    decides only where no version is named."""
    if isinstance(message, (jsonrpc.Request, jsonrpc.Notification)) and is_modern(message.params):
        return False
    version = fields.get(VERSION_HEADER)
    if version:
        return version in HANDSHAKES
    opens = isinstance(message, jsonrpc.Request) and message.method == "initialize"
    return opens or SESSION_ID in fields

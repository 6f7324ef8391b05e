"""Whose mistake it was: the author's (ConfigurationError), the peer's or ours (McpError),
or nobody's, because a tool has something to say about its own failure (ToolError)."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

logger = logging.getLogger("anubis_py.sessions")

# JSON-RPC 2.0, section 5.1.
PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603

# MCP 2026-07-28, basic/index, "Error Codes".
HEADER_MISMATCH: Final = -32020
MISSING_REQUIRED_CLIENT_CAPABILITY: Final = -32021
UNSUPPORTED_PROTOCOL_VERSION: Final = -32022

# The specification has no code for this one, and asks that new codes stay outside of the
# range that JSON-RPC reserves. The HTTP status of the same meaning says it best.
INSUFFICIENT_SCOPE: Final = 403


# RFC 5424, section 6.2.1, from the least severe to the most.
LOG_LEVELS: Final = (
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
)


class ConfigurationError(Exception):
    """A server or component is declared wrongly.

    Raised while the class is created, or by the call that declares the thing, never while a
    request is served. The message names the thing, what was found, and the fix.
    """


class ToolError(Exception):
    """Raise it in a tool to fail in words that the model may read.

    The call is answered with a result that has `isError: true` and the text, word for word.
    """


class McpError(Exception):
    """A JSON-RPC error for the peer.

    Raise it, or return `Failure(error)`, from any callback: code, message and data reach the
    client as they are. `http_status` is the status that the answer takes over HTTP if nothing
    was sent before.
    """

    def __init__(
        self, code: int, message: str, data: Any = None, *, http_status: int = 200
    ) -> None:
        super().__init__(code, message, data)
        self.code = code
        self.message = message
        self.data = data
        self.http_status = http_status

    def __str__(self) -> str:
        return f"{self.message} ({self.code})"

    def to_wire(self) -> dict[str, Any]:
        wire: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            wire["data"] = self.data
        return wire


class ResourceNotFound(McpError):
    """Raise it from a resource's `read` when the URI names nothing. Each revision has its own
    code for it; the URI travels in `data.uri`."""

    def __init__(self, uri: str) -> None:
        super().__init__(INVALID_PARAMS, "Resource not found", {"uri": uri})
        self.uri = uri


def parse_error(message: str) -> McpError:
    return McpError(PARSE_ERROR, message, http_status=400)


def invalid_request(message: str, *, http_status: int = 400) -> McpError:
    return McpError(INVALID_REQUEST, message, http_status=http_status)


def method_not_found(method: str) -> McpError:
    return McpError(METHOD_NOT_FOUND, f"Method not found: {method}", http_status=404)


def invalid_params(message: str, data: Any = None, *, http_status: int = 200) -> McpError:
    return McpError(INVALID_PARAMS, message, data, http_status=http_status)


def internal_error(message: str = "Internal error") -> McpError:
    return McpError(INTERNAL_ERROR, message)


def header_mismatch(message: str) -> McpError:
    return McpError(HEADER_MISMATCH, f"Header mismatch: {message}", http_status=400)


def missing_capability(required: Mapping[str, Any]) -> McpError:
    """`required` is shaped like the client capabilities that the request did not declare."""
    return McpError(
        MISSING_REQUIRED_CLIENT_CAPABILITY,
        f"The client has not declared: {', '.join(required)}",
        {"requiredCapabilities": dict(required)},
        http_status=400,
    )


def unsupported_version(requested: str, supported: Sequence[str]) -> McpError:
    return McpError(
        UNSUPPORTED_PROTOCOL_VERSION,
        f"Unsupported protocol version. This server speaks {', '.join(supported)}",
        {"supported": list(supported), "requested": requested},
        http_status=400,
    )


def store_down(error: Exception) -> McpError:
    """What keeps sessions is not there: nothing was done, and it may be tried again."""
    logger.error("the session store is down: %s", error)
    return McpError(INTERNAL_ERROR, "The session store cannot be reached", http_status=503)


def insufficient_scope(required: Iterable[str]) -> McpError:
    return McpError(
        INSUFFICIENT_SCOPE,
        "Insufficient scope",
        {"required": sorted(required)},
        http_status=403,
    )


# Comparing is slow: a peer must not be able to make us do it at length.
_COMPARABLE: Final = 128
_CANDIDATES: Final = 1000


def near_miss(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """A sentence to append to an error: the known name closest to the one given, if any is."""
    from difflib import get_close_matches

    if len(name) > _COMPARABLE:
        return ""
    close = get_close_matches(name, list(islice(known, _CANDIDATES)), n=1, cutoff=cutoff)
    return f" Did you mean {close[0]!r}?" if close else ""

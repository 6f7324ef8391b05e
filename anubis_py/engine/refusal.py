"""An error as the message that answers a request."""

from __future__ import annotations

import logging

from ..errors import McpError
from ..protocol.jsonrpc import RequestId, encode_error
from .exchange import Served

logger = logging.getLogger("anubis_py.engine")


def refuse(id_: RequestId | None, error: McpError) -> Served:
    """The error as a message. Data that JSON has no form for is left out, and logged."""
    try:
        return Served(error.http_status, encode_error(id_, error))
    except TypeError:
        logger.exception("the data of error %d has no JSON form", error.code)
        return Served(error.http_status, encode_error(id_, McpError(error.code, error.message)))

"""What all lists share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from ..components.definition import Definition
from ..components.shelf import Shelf
from ..frame import Frame
from ..outcome import Reply
from ..protocol.jsonrpc import Request
from ..protocol.params import ListParams
from ..protocol.revisions import REVISIONS
from ..protocol.wire import read

D = TypeVar("D", bound=Definition)


def list_page(
    member: str, shelf: Shelf[D], items: Sequence[D], request: Request, frame: Frame
) -> Reply:
    """The page of `items` that a list request asks for. Raises McpError for a bad cursor."""
    cursor = read(request.params, ListParams).cursor
    dialect = REVISIONS[frame.context.protocol_version].dialect
    page = shelf.page(items, cursor, frame.pagination_limit, frame.has_all_scopes, dialect)
    result: dict[str, Any] = {member: page.entries}
    if page.next_cursor is not None:
        result["nextCursor"] = page.next_cursor
    return Reply(result, frame)

"""What the results of all lists share."""

from __future__ import annotations

from typing import Any

from ..components.page import Page


def list_result(member: str, page: Page[Any]) -> dict[str, Any]:
    result: dict[str, Any] = {member: page.entries}
    if page.next_cursor is not None:
        result["nextCursor"] = page.next_cursor
    return result

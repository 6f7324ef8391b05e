"""A stream of server-sent events of the handshake revisions, read strictly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import attrs

from .events import EventReader
from .legacy_schema import check_legacy


@attrs.frozen
class Event:
    id: str
    message: Any
    """None: there is only the id. A list: the answers to a batch."""


@attrs.define(eq=False)
class LegacyReader(EventReader):
    """Takes bytes as they come. Every event has an id, and every message is checked.

    A stream tells how long to wait before coming back, once and before everything else.
    """

    version: str = "2025-11-25"
    methods: dict[Any, str] = attrs.field(factory=dict)
    """What each id stands for, on streams that carry the answers to several requests."""
    events: list[Event] = attrs.field(factory=list)
    retries: list[int] = attrs.field(factory=list)

    @property
    def ids(self) -> list[str]:
        return [event.id for event in self.events]

    @property
    def primed(self) -> bool:
        """Whether the first event has no message."""
        return bool(self.events) and self.events[0].message is None

    def _messages(self, block: bytes) -> Iterator[dict[str, Any]]:
        lines = block.split(b"\n")
        if all(line.startswith(b":") for line in lines):
            self.comments += len(lines)
            return
        fields = [line.decode().partition(": ")[::2] for line in lines]
        names = [name for name, _ in fields]
        assert len(set(names)) == len(names), f"a field twice: {block[:200]!r}"
        found = dict(fields)
        assert found.keys() <= {"id", "retry", "data"}, f"no event: {block[:200]!r}"
        if "retry" in found:
            assert not self.events, "a late retry"
            assert not self.retries, "a second retry"
            self.retries.append(int(found["retry"]))
        if "data" not in found:
            assert "id" not in found, "an id without data is lost on parsers"
            return
        id_ = found["id"]
        assert id_.isascii()
        assert id_.isprintable()
        assert " " not in id_
        assert id_ not in self.ids, "an id twice"
        message = json.loads(found["data"]) if found["data"] else None
        self.events.append(Event(id_, message))
        for each in message if isinstance(message, list) else [message] if message else []:
            assert self.answer is None or isinstance(message, list), "something follows the answer"
            method = self.methods.get(each.get("id"), self.method)
            check_legacy(self.version, each, method)
            if "method" not in each:
                self.answer = each
            yield each

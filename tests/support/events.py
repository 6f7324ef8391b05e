"""A stream of server-sent events, read strictly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import attrs

from .schema import check_message


@attrs.define(eq=False)
class EventReader:
    """Takes bytes as they come, and gives the messages that they complete.

    Every one is a single JSON-RPC message in UTF-8, in `data:` lines with a blank line behind,
    and is held against the schema. A comment stands by itself, never inside of an event.
    """

    method: str | None
    """What the stream answers; its last message is that answer."""
    comments: int = 0
    answer: dict[str, Any] | None = None
    _kept: bytes = b""

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        assert b"\r" not in data, "one kind of line break is enough"
        *blocks, self._kept = (self._kept + data).split(b"\n\n")
        return [message for block in blocks for message in self._messages(block)]

    def whole(self, body: bytes) -> list[dict[str, Any]]:
        """A stream from its beginning to its end."""
        messages = self.feed(body)
        self.end()
        assert self.answer is not None, "the stream ends without an answer"
        return messages

    def end(self) -> None:
        assert not self._kept, f"the stream ends within an event: {self._kept[:200]!r}"

    def _messages(self, block: bytes) -> Iterator[dict[str, Any]]:
        lines = block.split(b"\n")
        if all(line.startswith(b":") for line in lines):
            self.comments += len(lines)
            return
        assert all(line.startswith(b"data:") for line in lines), f"no event: {block[:200]!r}"
        text = b"\n".join(line.removeprefix(b"data:").removeprefix(b" ") for line in lines)
        message = json.loads(text.decode())
        assert isinstance(message, dict)
        assert self.answer is None, "something follows the answer"
        check_message(message, self.method)
        if "method" not in message:
            self.answer = message
        yield message

"""What an app says reaches the client that it serves on stdio, of either era."""

from __future__ import annotations

from . import messages as modern
from .legacy import initialize
from .messages import listen
from .process import started


def test_changes_and_events() -> None:
    with started("app") as server:
        server.send(initialize(0), listen(1, toolsListChanged=True))
        assert {server.receive().get("id", "acknowledged") for _ in range(2)} == {0, "acknowledged"}
        server.send(modern.call(2, "happen"))
        messages = [server.receive() for _ in range(4)]
        assert [message["id"] for message in messages if "id" in message] == [2]
        assert sorted(message["method"] for message in messages if "method" in message) == [
            "notifications/message",
            "notifications/tools/list_changed",
            "notifications/tools/list_changed",
        ]
        server.end()
        assert [message["id"] for message in server.rest()] == [1]
        assert server.code() == 0
        assert server.log() == ""

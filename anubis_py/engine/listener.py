"""One open subscription (basic/patterns/subscriptions)."""

from __future__ import annotations

from typing import Any, Final

import anyio
import attrs

from ..change import Change
from ..errors import invalid_params
from ..frame import Frame
from ..protocol.jsonrpc import RequestId, encode_notification, encode_result
from ..protocol.params import SubscriptionFilter
from ..server.behaviour import Behaviour
from ..server.resources import MAX_SUBSCRIPTIONS, may_read

SUBSCRIPTION_ID: Final = "io.modelcontextprotocol/subscriptionId"

_LISTS: Final = {
    "tools_list_changed": "notifications/tools/list_changed",
    "prompts_list_changed": "notifications/prompts/list_changed",
    "resources_list_changed": "notifications/resources/list_changed",
}


@attrs.define(eq=False, repr=False)
class Listener:
    """Its state, and the messages of its stream.

    What is waiting for its writer is a set: two changes of one thing are one notification. So a
    client that does not read costs no more than its filter is large.
    """

    id: RequestId
    honoured: SubscriptionFilter
    _wanted: frozenset[Change] = attrs.field(init=False)
    _waiting: dict[Change, None] = attrs.field(factory=dict, init=False)
    _news: anyio.Event = attrs.field(factory=anyio.Event, init=False)
    closed: bool = attrs.field(default=False, init=False)

    @_wanted.default
    def _changes(self) -> frozenset[Change]:
        lists = (Change(m) for name, m in _LISTS.items() if getattr(self.honoured, name))
        uris = self.honoured.resource_subscriptions or ()
        return frozenset(
            [*lists, *(Change("notifications/resources/updated", uri) for uri in uris)]
        )

    def hear(self, change: Change) -> None:
        if change in self._wanted:
            self._waiting[change] = None
            self._news.set()

    def close(self) -> None:
        """End it from this side: what waits is still sent, and then the closing result."""
        self.closed = True
        self._news.set()

    async def take(self) -> list[bytes]:
        """Wait for notifications and take them all. Empty: it is closed."""
        while not self._waiting and not self.closed:
            self._news = anyio.Event()
            await self._news.wait()
        changes = list(self._waiting)
        self._waiting.clear()
        return [self._notification(change) for change in changes]

    def acknowledgement(self) -> bytes:
        """The first message of the stream: what is honoured of what was asked for."""
        return encode_notification(
            "notifications/subscriptions/acknowledged",
            {"_meta": {SUBSCRIPTION_ID: self.id}, "notifications": self.honoured.to_wire()},
        )

    def closing_result(self, meta: dict[str, Any]) -> bytes:
        """The last message of a stream that this side ends."""
        result = {"resultType": "complete", "_meta": {**meta, SUBSCRIPTION_ID: self.id}}
        return encode_result(self.id, result)

    def _notification(self, change: Change) -> bytes:
        params: dict[str, Any] = {"_meta": {SUBSCRIPTION_ID: self.id}}
        if change.uri is not None:
            params["uri"] = change.uri
        return encode_notification(change.method, params)


def honoured(server: Behaviour, asked: SubscriptionFilter, frame: Frame) -> SubscriptionFilter:
    """What of a filter will be delivered: what the server says that it does. Raises McpError."""
    can = server.capabilities_for(frame)

    def flag(kind: str, name: str) -> bool:
        return bool(can.get(kind, {}).get(name))

    uris: list[str] = asked.resource_subscriptions or []
    if len(uris) > MAX_SUBSCRIPTIONS:
        raise invalid_params(
            f"Invalid params: more than {MAX_SUBSCRIPTIONS} resource subscriptions"
        )
    may_subscribe = flag("resources", "subscribe")
    return SubscriptionFilter(
        tools_list_changed=asked.tools_list_changed and flag("tools", "listChanged"),
        prompts_list_changed=asked.prompts_list_changed and flag("prompts", "listChanged"),
        resources_list_changed=asked.resources_list_changed and flag("resources", "listChanged"),
        resource_subscriptions=[
            uri for uri in uris if may_subscribe and may_read(server, uri, frame)
        ],
    )

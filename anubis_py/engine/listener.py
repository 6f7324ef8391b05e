"""One open subscription (basic/patterns/subscriptions)."""

from __future__ import annotations

from typing import Any, Final

import anyio
import attrs

from ..caller import Scope
from ..change import Change
from ..errors import invalid_params
from ..frame import Frame
from ..protocol.jsonrpc import RequestId, encode_notification, encode_result
from ..protocol.params import SubscriptionFilter
from ..server.behaviour import Behaviour
from ..server.deadline import cancel_scope
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
    _silence: Scope | None = attrs.field(default=None, init=False)
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
            self._break_silence()

    def close(self) -> None:
        """End it from this side: what waits is still sent, and then the closing result."""
        self.closed = True
        self._break_silence()

    def _break_silence(self) -> None:
        if self._silence is not None:
            self._silence.cancel()

    @property
    def has_news(self) -> bool:
        """Whether there is something to send, if only the closing result."""
        return self.closed or bool(self._waiting)

    @property
    def ended(self) -> bool:
        """Whether nothing is left but the closing result."""
        return self.closed and not self._waiting

    def silence(self, seconds: float | None = None) -> Any:
        """A cancel scope, to be entered at once if there is no news: the next news end it, or its
        time does. Whoever has to wait for something else can do so within, and needs no task that
        waits for news beside it."""
        self._silence = scope = cancel_scope(seconds)
        return scope

    def heard(self) -> list[bytes]:
        """Take the notifications that wait."""
        changes = list(self._waiting)
        self._waiting.clear()
        return [self._notification(change) for change in changes]

    async def take(self) -> list[bytes]:
        """Wait for notifications and take them all. Empty: it is closed."""
        if not self.has_news:
            with self.silence():
                await anyio.sleep_forever()
        return self.heard()

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

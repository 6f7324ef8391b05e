"""Several messages on one line, as revision 2025-03-26 has them (basic, "Batching")."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import attrs

from ...engine.refusal import refuse
from ...errors import INVALID_PARAMS, McpError, invalid_request
from ...protocol.jsonrpc import Answer, Message, Notification, Request, Undecodable, decode_batch
from .channel import Channel
from .in_flight import OpenRequests, Settle

if TYPE_CHECKING:
    from .legacy import LegacyMessages


def answer_to(fault: Undecodable) -> bytes | None:
    """Only a notification has params that are looked at, and no id. Nobody answers those."""
    if fault.id is None and fault.error.code == INVALID_PARAMS:
        return None
    return refuse(fault.id, fault.error).body


def is_batch(line: bytes) -> bool:
    return line.lstrip(b" \t\r")[:1] == b"["


@attrs.define(eq=False, repr=False)
class Batch:
    """Collects the answers to the messages of an array, and sends them as one."""

    _channel: Channel
    _awaited: int
    """How many messages have yet to be settled."""
    _answers: dict[int, bytes] = attrs.field(factory=dict, init=False)

    async def settle(self, place: int, answer: bytes | None) -> None:
        """Take what there is to say to the message at this place; None: nothing."""
        if answer is not None:
            self._answers[place] = answer
        self._awaited -= 1
        if not self._awaited and self._answers:
            answers = (self._answers[place] for place in sorted(self._answers))
            await self._channel.send(b"[%b]" % b",".join(answers))


@attrs.frozen(eq=False, repr=False)
class Batches:
    """Has each message of a batch served as if it had come alone."""

    _legacy: LegacyMessages
    _in_flight: OpenRequests
    _channel: Channel

    async def read(self, line: bytes) -> None:
        """Raises Undecodable, McpError and StoreDown for what is no batch, or comes from a
        client whose revision has none."""
        parts = decode_batch(line)
        await self._legacy.require_batches()
        batch = Batch(self._channel, len(parts))
        for place, part in enumerate(parts):
            await self._part(part, partial(batch.settle, place))

    async def _part(self, part: Message | Undecodable, settle: Settle) -> None:
        match part:
            case Undecodable():
                await settle(answer_to(part))
            case Request(method="initialize"):
                # "The initialize request MUST NOT be part of a JSON-RPC batch".
                await settle(refuse(part.id, invalid_request("initialize is in a batch")).body)
            case Request():
                try:
                    await self._legacy.request(part, settle)
                except McpError as error:
                    await settle(refuse(part.id, error).body)
            case Notification() | Answer():
                await self._take(part)
                await settle(None)

    async def _take(self, part: Notification | Answer) -> None:
        match part:
            case Notification(method="notifications/cancelled"):
                self._in_flight.cancel(part.params)
            case Notification():
                await self._legacy.notify(part)
            case Answer():
                await self._legacy.take(part)

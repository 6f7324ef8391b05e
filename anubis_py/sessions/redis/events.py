"""What was sent on streams, in Redis."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from coredis.commands import Script

from ..bounds import OVERHEAD, Bounds, event_id, parts_of
from ..event_store import EventStore, Replay, StreamEvent
from .connection import Client, Connection

_NUMBER: Final = re.compile(r"\d{1,19}-\d{1,19}", re.ASCII)

# A stream of MCP is a stream of Redis. Beside them, a session has its streams in the order in
# which they were last sent something, and the size of each.
_APPEND: Final = Script[bytes](
    script="""
local order, sizes, prefix = KEYS[1], KEYS[2], KEYS[3]
local name, message, last = ARGV[1], ARGV[2], ARGV[3]
local overhead, ttl = tonumber(ARGV[4]), ARGV[5]
local most_events, most_size, most_streams = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])

local function drop_stream(stream)
  redis.call('DEL', prefix .. stream)
  redis.call('HDEL', sizes, stream)
  redis.call('ZREM', order, stream)
end

local function drop_oldest(stream)
  local oldest = redis.call('XRANGE', prefix .. stream, '-', '+', 'COUNT', 1)[1]
  redis.call('XDEL', prefix .. stream, oldest[1])
  local size = overhead + #oldest[2][2]
  redis.call('HINCRBY', sizes, stream, -size)
  return size
end

local id = redis.call('XADD', prefix .. name, '*', 'message', message, 'last', last)
local now = redis.call('TIME')
redis.call('ZADD', order, now[1] * 1000000 + now[2], name)
redis.call('HINCRBY', sizes, name, overhead + #message)
if redis.call('XLEN', prefix .. name) > most_events then drop_oldest(name) end
if redis.call('ZCARD', order) > most_streams then
  drop_stream(redis.call('ZRANGE', order, 0, 0)[1])
end

local size = 0
for _, one in ipairs(redis.call('HVALS', sizes)) do size = size + one end
if size > most_size then
  for _, stream in ipairs(redis.call('ZRANGE', order, 0, -1)) do
    local events = redis.call('XLEN', prefix .. stream)
    if events == 0 then
      -- Its time was over before that of the others.
      size = size - redis.call('HGET', sizes, stream)
      drop_stream(stream)
    end
    while size > most_size and events > 1 do
      size = size - drop_oldest(stream)
      events = events - 1
    end
  end
end

for _, key in ipairs({order, sizes, prefix .. name}) do redis.call('PEXPIRE', key, ttl) end
return id
"""
)
_DELETE: Final = Script[bytes](
    script="""
for _, stream in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
  redis.call('DEL', KEYS[3] .. stream)
end
return redis.call('DEL', KEYS[1], KEYS[2])
"""
)


class RedisEventStore(EventStore):
    """Keeps the newest events, within `bounds`, for all processes. It goes over the store's
    connection, and has nothing to `run` by itself."""

    def __init__(
        self,
        connection: Connection,
        namespace: str,
        bounds: Bounds = Bounds(),  # noqa: B008 (frozen)
    ) -> None:
        self._connection = connection
        self._namespace = namespace
        self._bounds = bounds

    async def append(
        self, session_id: str, stream_id: str, message: bytes, *, last: bool = False
    ) -> str:
        bounds = self._bounds
        values: list[str | bytes | int] = [
            *(stream_id, message, int(last), OVERHEAD, int(bounds.seconds * 1000)),
            *(bounds.events, bounds.size, bounds.streams),
        ]

        async def write(client: Client) -> Any:
            return await _APPEND(self._keys(session_id), values, client)

        number: bytes = await self._connection.do(write)
        return event_id(stream_id, number.decode())

    async def after(self, session_id: str, event_id: str) -> Replay | None:
        stream_id, number = parts_of(event_id)
        if not stream_id or _NUMBER.fullmatch(number) is None:
            return None
        key = self._keys(session_id)[2] + stream_id

        async def read(client: Client) -> Sequence[Any]:
            return await client.xrange(key, start=number)

        entries = await self._connection.do(read)
        # The oldest go first: if this one is there, so is everything after it.
        if not entries or entries[0].identifier.decode() != number:
            return None
        events = [_event(stream_id, entry) for entry in entries]
        return Replay(stream_id, events[1:], events[-1].last)

    async def delete(self, session_id: str) -> None:
        async def remove(client: Client) -> object:
            return await _DELETE(self._keys(session_id), [], client)

        await self._connection.do(remove)

    def _keys(self, session_id: str) -> list[str]:
        """The order and the sizes of its streams, and what the keys of these begin with."""
        of = f"{self._namespace}:events:{{{session_id}}}"
        return [f"{of}:order", f"{of}:sizes", f"{of}:stream:"]


def _event(stream_id: str, entry: Any) -> StreamEvent:
    fields = entry.field_values
    id_ = event_id(stream_id, entry.identifier.decode())
    return StreamEvent(id_, fields[b"message"], fields[b"last"] == b"1")

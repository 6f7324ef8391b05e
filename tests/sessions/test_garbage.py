"""What is in a store and is no record."""

from __future__ import annotations

import sqlite3

import anyio.to_thread
import pytest

from anubis_py.sessions.record import BadRecord

from .backends import Backend, running


@pytest.mark.anyio
@pytest.mark.parametrize("data", [b"", b"\xff\x00", b"{}", b'{"format": 2}', b"[1]"])
async def test_garbage_is_a_bad_record(shared_backend: Backend, data: bytes) -> None:
    store = shared_backend.store()
    async with running(store.run):
        assert await store.load("s") is None
        await _put(shared_backend, data)
        with pytest.raises(BadRecord):
            await store.load("s")
        assert await store.delete("s")


async def _put(backend: Backend, data: bytes) -> None:
    if backend.kind == "redis":
        from coredis import Redis

        async with Redis.from_url(backend.url) as client:
            await client.set(f"{backend.namespace}:session:s", data)
    else:
        await anyio.to_thread.run_sync(_insert, str(backend.path / "sessions.db"), data)


def _insert(path: str, data: bytes) -> None:
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("INSERT INTO sessions VALUES ('s', ?, 1e9)", (data,))
    connection.close()

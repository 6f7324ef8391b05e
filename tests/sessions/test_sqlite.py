"""The file, and the processes that share it."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import anyio
import pytest

from anubis_py.errors import ConfigurationError
from anubis_py.sessions.record import Record
from anubis_py.sessions.sqlite import SqliteStore
from anubis_py.sessions.store import StoreDown

from .backends import running

RECORD = Record("2025-11-25", log_level="info")

HOLDER = """
import sys, anyio
from anubis_py.sessions.record import Record
from anubis_py.sessions.sqlite import SqliteStore

async def main():
    store = SqliteStore(sys.argv[1], lease=1.0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(store.run)
        async with store.hold("s"):
            await store.save("s", Record("2025-11-25", log_level="info"), 60, new=True)
            print("held", flush=True)
            await anyio.sleep_forever()

anyio.run(main)
"""

COUNTER = """
import sys, anyio, attrs
from anubis_py.sessions.sqlite import SqliteStore

async def main():
    store = SqliteStore(sys.argv[1])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(store.run)
        for _ in range(50):
            async with store.hold("s"):
                record = await store.load("s")
                count = record.frame.get("count", 0) + 1
                await store.save("s", attrs.evolve(record, frame={"count": count}), 60)
        tasks.cancel_scope.cancel()

anyio.run(main)
"""


@pytest.mark.anyio
async def test_a_process_that_is_killed_loses_its_hold_and_nothing_else(tmp_path: Path) -> None:
    path = str(tmp_path / "sessions.db")
    store = SqliteStore(path, lease=1.0)
    async with await anyio.open_process([sys.executable, "-c", HOLDER, path]) as holder:
        assert holder.stdout is not None
        assert (await holder.stdout.receive()).startswith(b"held")
        async with running(store.run):
            # It lives, and renews its lease.
            with anyio.move_on_after(1.5):
                await store.acquire("s")
                pytest.fail("there are two")
            holder.kill()
            with anyio.fail_after(5):
                async with store.hold("s"):
                    assert await store.load("s") == RECORD


@pytest.mark.anyio
@pytest.mark.one_loop
async def test_processes_take_turns(tmp_path: Path) -> None:
    path = str(tmp_path / "sessions.db")
    # They make the file at the same time, too.
    store = SqliteStore(path)
    async with running(store.run):
        await store.save("s", RECORD, 60, new=True)
    program = [sys.executable, "-c", COUNTER, path]
    async with anyio.create_task_group() as tasks:
        for _ in range(2):
            tasks.start_soon(anyio.run_process, program)
    async with running(store.run):
        record = await store.load("s")
    assert record is not None
    assert record.frame == {"count": 100}


def _make(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.anyio
async def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    files = {
        "notes.txt": "is no SQLite database",
        "other.db": "belongs to another application",
        "tables.db": "belongs to another application",
        "later.db": "has version 9 of the tables",
    }
    (tmp_path / "notes.txt").write_text("Milk, eggs and much more. " * 100)
    _make(tmp_path / "other.db", "PRAGMA application_id = 5")
    _make(tmp_path / "tables.db", "CREATE TABLE milk (eggs)")
    _make(
        tmp_path / "later.db",
        f"PRAGMA application_id = {0x616E7562}",
        "PRAGMA user_version = 9",
    )
    for name, words in files.items():
        before = (tmp_path / name).read_bytes()
        store = SqliteStore(tmp_path / name)
        with pytest.raises(ConfigurationError, match=words) as caught:
            await store.load("s")
        assert name in str(caught.value)
        with pytest.raises(ConfigurationError, match=words):
            await store.run()
        with pytest.raises(ConfigurationError, match=words):
            store.bus().connect(lambda news: None)
        assert (tmp_path / name).read_bytes() == before


@pytest.mark.anyio
async def test_a_folder_that_is_gone_is_a_store_that_is_down(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "gone" / "sessions.db")
    async with running(store.run):
        with pytest.raises(StoreDown, match="unable to open"):
            await store.save("s", RECORD, 60, new=True)
        with pytest.raises(StoreDown):
            await store.acquire("s")
        (tmp_path / "gone").mkdir()
        assert await store.save("s", RECORD, 60, new=True)
        async with store.hold("s"):
            assert await store.load("s") == RECORD


@pytest.mark.anyio
async def test_a_file_that_is_locked_for_long_is_a_store_that_is_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anubis_py.sessions.sqlite.opening.BUSY", 0.05)
    path = tmp_path / "sessions.db"
    store = SqliteStore(path)
    async with running(store.run):
        await store.save("s", RECORD, 60, new=True)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreDown, match="locked"):
            await store.delete("s")
        # Readers do not wait for a writer.
        assert await store.load("s") == RECORD
        other.execute("ROLLBACK")
        other.close()
        assert await store.delete("s")

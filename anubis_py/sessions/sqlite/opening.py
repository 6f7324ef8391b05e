"""The file: what is in it, and whether it is ours."""

from __future__ import annotations

import sqlite3
import time
from typing import Final

from ...errors import ConfigurationError

APPLICATION: Final = 0x616E7562
"""Marks the file as one of this package's."""

VERSION: Final = 1
"""Of the tables. There is nothing in them that is worth a migration: sessions end."""

BUSY: Final = 5.0
"""Seconds to wait for a lock. A writer has it for a fraction of a millisecond."""

_TABLES: Final = """
CREATE TABLE IF NOT EXISTS sessions (
    id TEXT PRIMARY KEY, record BLOB NOT NULL, until REAL NOT NULL
) WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS sessions_until ON sessions (until);

CREATE TABLE IF NOT EXISTS leases (
    session TEXT PRIMARY KEY, owner TEXT NOT NULL, until REAL NOT NULL
) WITHOUT ROWID;

-- AUTOINCREMENT gives no number twice, even after the newest row was removed.
CREATE TABLE IF NOT EXISTS news (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    origin TEXT NOT NULL, plain BLOB NOT NULL, at REAL NOT NULL
);

CREATE TABLE IF NOT EXISTS events (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    session TEXT NOT NULL, stream TEXT NOT NULL, message BLOB NOT NULL, last INTEGER NOT NULL
);

CREATE INDEX IF NOT EXISTS events_of ON events (session, stream, number);

-- What there is of each stream in `events`, so that nothing has to be counted.
CREATE TABLE IF NOT EXISTS streams (
    session TEXT NOT NULL, stream TEXT NOT NULL, newest INTEGER NOT NULL,
    events INTEGER NOT NULL, size INTEGER NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (session, stream)
) WITHOUT ROWID;
"""


def open_file(path: str) -> sqlite3.Connection:
    """A connection to the file, which is made if there is none. It may be used by one thread at
    a time. Raises ConfigurationError for a file of something else's."""
    if sqlite3.sqlite_version_info < (3, 38):
        raise ConfigurationError(
            f"SQLite here is {sqlite3.sqlite_version}; sessions in a file need 3.38 or newer"
        )
    # isolation_level=None: transactions begin where this package says so.
    connection = sqlite3.connect(
        path, timeout=BUSY, isolation_level=None, check_same_thread=False, cached_statements=64
    )
    try:
        _prepare(connection, path)
    except sqlite3.DatabaseError as error:
        connection.close()
        if str(error) == "file is not a database":
            raise _refusal(path, "is no SQLite database") from None
        raise
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: str) -> None:
    # In a transaction, since another process may be making the tables meanwhile.
    connection.execute("BEGIN")
    new = _is_new(connection, path)
    connection.execute("COMMIT")
    _use_wal(connection)
    # What is committed is in the file system's hands, which survives the death of this process.
    # FULL would also outlast a loss of power, for one fsync a request.
    connection.execute("PRAGMA synchronous = NORMAL")
    if not new:
        return
    connection.execute("BEGIN IMMEDIATE")
    # Another process may have been faster.
    if _is_new(connection, path):
        for table in _TABLES.split(";"):
            connection.execute(table)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.execute("COMMIT")


def _use_wal(connection: sqlite3.Connection) -> None:
    """Readers and a writer do not wait for each other. The file remembers it."""
    until = time.monotonic() + BUSY
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            # To change the mode, SQLite does not wait for other processes by itself.
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def _is_new(connection: sqlite3.Connection, path: str) -> bool:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if (application, version) == (APPLICATION, VERSION):
        return False
    if application == APPLICATION:
        raise _refusal(path, f"has version {version} of the tables, not {VERSION}")
    if version or application or connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        raise _refusal(path, "belongs to another application")
    return True


def _refusal(path: str, what: str) -> ConfigurationError:
    return ConfigurationError(
        f"The file {path!r} {what}: name another file for the sessions, or move it away"
    )

"""Stores by their names."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from anubis_py.errors import ConfigurationError
from anubis_py.sessions.memory import MemoryStore
from anubis_py.sessions.open_store import open_store
from anubis_py.sessions.redis import RedisStore
from anubis_py.sessions.sqlite import SqliteStore


def test_each_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert isinstance(open_store("memory"), MemoryStore)
    assert isinstance(open_store("sqlite:sessions.db"), SqliteStore)
    assert isinstance(open_store(f"sqlite:{tmp_path}/sessions.db"), SqliteStore)
    assert isinstance(open_store("redis://localhost:1/0"), RedisStore)
    assert isinstance(open_store("rediss://:secret@localhost:1/0"), RedisStore)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Write memory, sqlite:PATH"),
        ("memroy", "Did you mean 'memory'?"),
        ("sqlit:x.db", "Did you mean 'sqlite'?"),
        ("redis:host", "redis://HOST:PORT/DB"),
        ("sqlite:", "Name a file"),
        ("sqlite:///x.db", "Name a file"),
        ("sqlite:/nowhere/at/all/x.db", "no folder '/nowhere/at/all'"),
        ("postgres://user:secret@host", "There is no store 'postgres'"),
    ],
)
def test_other_forms_are_refused(text: str, words: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(words)) as caught:
        open_store(text)

    assert "secret" not in str(caught.value)


def test_what_is_not_used_is_not_imported() -> None:
    program = (
        "import sys, anubis_py.sessions.store, anubis_py.sessions.open_store\n"
        "assert not {'sqlite3', 'coredis', 'redis'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_without_coredis_the_fix_is_told() -> None:
    program = (
        "import sys\n"
        "sys.modules['coredis'] = None\n"
        "from anubis_py.errors import ConfigurationError\n"
        "try:\n"
        "    import anubis_py.sessions.redis\n"
        "except ConfigurationError as error:\n"
        "    assert 'pip install \"anubis-py[redis]\"' in str(error), error\n"
        "else:\n"
        "    raise AssertionError\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)

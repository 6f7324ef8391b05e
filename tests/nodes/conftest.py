"""Two processes on one store: a SQLite file, and a real Redis."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from running.server_process import ServerProcess
from sessions.redis_server import RedisServer, find_redis

from .node import node


@attrs.frozen
class Nodes:
    store: str
    a: ServerProcess
    b: ServerProcess


@pytest.fixture(scope="package")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(find_redis(), tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="package", params=["sqlite", "redis"])
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    if request.param == "redis":
        url: str = request.getfixturevalue("redis_server").url
        return url
    return f"sqlite:{tmp_path_factory.mktemp('store') / 'sessions.db'}"


@pytest.fixture(scope="package")
def nodes(store: str) -> Iterator[Nodes]:
    with node(store) as a, node(store) as b:
        yield Nodes(store, a, b)


@pytest.fixture
def file_store(tmp_path: Path) -> str:
    return f"sqlite:{tmp_path / 'sessions.db'}"

"""Every rule of the contract is tested on every backend, and on both event loops."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from .backends import Backend
from .redis_server import RedisServer, find_redis


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    server = RedisServer(find_redis(), tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def collected() -> Iterator[None]:
    """What is left is to be found here, and not in the next test."""
    yield
    gc.collect()


@pytest.fixture(params=["memory", "sqlite", "redis"])
def backend(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    url = request.getfixturevalue("redis_server").url if request.param == "redis" else ""
    return Backend(request.param, tmp_path, url)


@pytest.fixture(params=["sqlite", "redis"])
def shared_backend(request: pytest.FixtureRequest, tmp_path: Path) -> Backend:
    """Those that several processes share."""
    url = request.getfixturevalue("redis_server").url if request.param == "redis" else ""
    return Backend(request.param, tmp_path, url)

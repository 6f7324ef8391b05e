"""Clients as programs: a command that is complete but for what to do, the URL and a name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

from . import earlier_client, typescript_client

Command: TypeAlias = Callable[[str, str, str], list[str]]


@pytest.fixture(scope="session")
def earlier(pytestconfig: pytest.Config) -> Command:
    """PyPI's `mcp` 1.x. It is kept for the next session, as it takes a while to install."""
    assert pytestconfig.cache is not None, "the tests of interop need pytest's cache"
    python = earlier_client.installed_in(pytestconfig.cache.mkdir("earlier-mcp"))
    script = earlier_client.HERE / "guest.py"
    return lambda what, url, name: [str(python), str(script), what, url, name]


@pytest.fixture(scope="session")
def typescript() -> Callable[[str], Command]:
    """The official TypeScript client, in the mode `auto` or `legacy`."""
    node = str(typescript_client.found_node().folder / "node")
    script = str(typescript_client.HERE / "guest.mjs")
    return lambda mode: lambda what, url, name: [node, script, what, url, name, mode]

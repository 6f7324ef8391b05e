"""The official TypeScript client: an npm package, pinned by package.json and its lock file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from conformance.node import Node, is_installed

HERE: Final = Path(__file__).parent / "typescript"
PACKAGE: Final = "node_modules/@modelcontextprotocol/client"


def converse(url: str) -> dict[str, Any]:
    """What `converse.mjs` got from the server at `url`."""
    node = found_node()
    done = node.run("node", str(HERE / "converse.mjs"), url, cwd=HERE)
    assert done.returncode == 0, done.stdout
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def found_node() -> Node:
    """With the client installed. Without Node the test fails: to skip it would hide that nobody
    has looked."""
    try:
        node = Node.find()
    except SystemExit as missing:
        pytest.fail(str(missing))
    if not is_installed(HERE, PACKAGE):
        done = node.run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", cwd=HERE)
        assert done.returncode == 0, f"npm could not install the client: {done.stdout}"
    return node

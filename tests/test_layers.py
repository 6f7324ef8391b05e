"""Imports point down the list of rooms in the design, and nowhere else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import anubis_py

PACKAGE = Path(anubis_py.__file__).parent

# From the top down. A room may import from itself and from the rooms below it. The frame
# stands above the components, since registering one on it checks it at once.
ROOMS = (
    ("__init__", "__main__"),
    ("cli",),
    ("testing",),
    ("server_behaviour",),
    ("runner",),
    ("transports",),
    ("engine",),
    ("server",),
    ("frame",),
    ("asks",),
    ("components",),
    ("schema",),
    ("sessions",),
    ("protocol",),
    (
        *("outcome", "response", "content", "annotations", "context", "encoding", "errors"),
        *("caller", "change", "effects", "loop", "settings"),
    ),
)
LEVEL = {room: level for level, rooms in enumerate(ROOMS) for room in rooms}

FILES = sorted(PACKAGE.rglob("*.py"))


def room_of(module: str) -> str:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def module_of(path: Path) -> str:
    parts = ("anubis_py", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(part for part in parts if part != "__init__")


def is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def imports(path: Path) -> Iterator[str]:
    """What is imported at run time, in functions too: a late import is an import."""
    package = module_of(path).split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    stack: list[ast.AST] = [ast.parse(path.read_text())]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            # `from . import x` names modules, and so may `from .room import x`.
            for alias in node.names:
                full = f"{module}.{alias.name}"
                exists = (PACKAGE.parent / Path(*full.split("."))).with_suffix(".py").exists()
                yield full if exists else module
        children = ast.iter_child_nodes(node)
        stack.extend(node.orelse if is_type_checking(node) else children)  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_imports_point_down(path: Path) -> None:
    own = room_of(module_of(path))
    for module in imports(path):
        if module.split(".")[0] != "anubis_py":
            continue
        other = room_of(module)
        assert own == other or LEVEL[own] < LEVEL[other] or {own, other} <= set(ROOMS[-1]), (
            f"{module_of(path)} imports {module}"
        )


def test_every_file_has_its_room() -> None:
    assert {room_of(module_of(path)) for path in FILES} <= LEVEL.keys()


def test_the_layer_test_sees_an_import_that_points_up(tmp_path: Path) -> None:
    assert LEVEL[room_of("anubis_py.schema.schema")] > LEVEL[room_of("anubis_py.engine.stateless")]
    source = tmp_path / "late.py"
    source.write_text("def f():\n    import anubis_py.engine.stateless\n")
    tree = [n for n in ast.walk(ast.parse(source.read_text())) if isinstance(n, ast.Import)]
    assert [alias.name for node in tree for alias in node.names] == ["anubis_py.engine.stateless"]

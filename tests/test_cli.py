"""`anubis-py`, as a process."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from running.server_process import HERE, PATIENCE, SCRIPT, environment, finished, running

from anubis_py.protocol.revisions import REVISIONS

CLI = ("-m", "anubis_py")

TARGETS = ["reviewer", "reviewer:Reviewer", "reviewer.py", SCRIPT, f"{SCRIPT}:Reviewer"]

TABLE = """\
reviewer 1.0.0
  protocol      2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26
  capabilities  tools, prompts

Tools (3)
  block      Wait in a thread, which nobody can stop.
    seconds  number
  pid        Say which process answers, and keep it from answering anybody else for a while.
  wait       Wait on the event loop.
    seconds  number

Prompts (1)
  code_review     Generate a code review prompt for the given programming language and code.
    language      The programming language of the code
    code          The code to review
    focus_areas?  What to look at first
"""

STRICT = """\
from anubis_py import Failure, McpError, ServerBehaviour, ToolComponent

class Secret(ToolComponent):
    "Tell it."
    scopes = ["secrets"]
    def execute(self, args, frame): ...

class Strict(ServerBehaviour):
    name = "strict"
    version = "1"
    components = [Secret]
    def init(self, client_info, frame):
        if client_info["name"] == "anubis-py inspect":
            return Failure(McpError(-32001, "Not you"))
"""


@pytest.mark.parametrize("target", TARGETS)
def test_run_finds_the_server_and_stops(target: str) -> None:
    with running(*CLI, "run", target, "--port", "0", "--path", "/x") as server:
        assert re.fullmatch(
            r"reviewer 1\.0\.0 listening on http://127\.0\.0\.1:\d+/x \(Ctrl-C stops it\)",
            server.announcement,
        )
        assert server.discover().status_code == 200
        assert server.end(signal.SIGINT)[0] == 0
        assert server.rest() == []


def test_run_admits_the_hosts_and_origins_that_it_is_told() -> None:
    allowed = ["--allowed-host=a.example", "--allowed-host=b.example"]
    allowed += ["--allowed-origin=https://c.example"]
    with running(*CLI, "run", "reviewer", "--port=0", *allowed) as server:
        assert server.discover(host="a.example").status_code == 200
        assert server.discover(host="b.example", origin="https://c.example").status_code == 200
        assert server.discover(host="c.example").status_code == 403
        assert server.discover(origin="https://d.example").status_code == 403


def test_run_an_app_with_settings_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "mounted.py").write_text(
        "from reviewer import Reviewer\n"
        "app = Reviewer.asgi(path='/own', allowed_hosts=['a.example'])\n"
    )
    with running(*CLI, "run", f"{tmp_path}/mounted.py:app", "--port=0") as server:
        assert server.url.endswith("/own")
    options = ["--path=/other", "--port=0", "--workers=2"]
    with running(*CLI, "run", f"{tmp_path}/mounted.py:app", *options) as server:
        assert server.url.endswith("/other")
        assert server.discover(host="a.example").status_code == 200


@pytest.mark.parametrize("command", ["run", "inspect"])
@pytest.mark.parametrize(
    ("target", "error"),
    [
        ("reviewr", r"There is no module 'reviewr'\. Did you mean 'reviewer'\?"),
        ("reviewer:Reviewr", r"reviewer has no 'Reviewr'\. Did you mean 'Reviewer'\?"),
        ("reviewr.py", r"There is no file '.+'\. Did you mean '.+reviewer\.py'\?"),
        ("textwrap", r"textwrap defines no server class\. Define .+"),
    ],
)
def test_a_bad_target_is_one_line_and_exit_code_2(command: str, target: str, error: str) -> None:
    ended = finished(*CLI, command, target)
    assert re.fullmatch(rf"anubis-py: {error}\n", ended.stderr)
    assert (ended.returncode, ended.stdout) == (2, "")


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--port", "99999"], r"port is 99999: expected 0 to 65535\."),
        (["--certfile", "x"], r"certfile is set without keyfile: TLS needs both\."),
        (["--allowed-host", "https://x"], r"allowed_hosts has 'https://x', .+: write 'x'"),
    ],
)
def test_a_bad_option_is_one_line_and_exit_code_2(options: list[str], error: str) -> None:
    ended = finished(*CLI, "run", "reviewer", *options)
    assert re.fullmatch(rf"anubis-py: {error}\n", ended.stderr)
    assert ended.returncode == 2


def test_a_server_declared_wrongly_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    (tmp_path / "nameless.py").write_text(
        "from anubis_py import ServerBehaviour\nclass Nameless(ServerBehaviour): version = '1'\n"
    )
    ended = finished(*CLI, "run", "nameless", cwd=tmp_path)
    assert re.fullmatch(r"anubis-py: Nameless needs a name: .+\n", ended.stderr)
    assert ended.returncode == 2


def test_what_the_module_raises_shows_its_traceback(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def fail():\n    1 / 0\n\nfail()\n")
    ended = finished(*CLI, "run", "broken.py", cwd=tmp_path)
    assert ended.returncode == 1
    assert 'broken.py", line 2, in fail' in ended.stderr
    assert ended.stderr.endswith("ZeroDivisionError: division by zero\n")


def test_inspect_shows_a_table() -> None:
    ended = finished(*CLI, "inspect", "reviewer")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == TABLE


def test_inspect_fits_into_the_terminal() -> None:
    lines = finished(*CLI, "inspect", "reviewer", COLUMNS="40").stdout.splitlines()
    assert "  code_review     Generate a code rev..." in lines
    assert max(map(len, lines)) == 40


def test_inspect_as_json_has_full_schemas() -> None:
    ended = finished(*CLI, "inspect", "reviewer", "--json")
    offer = json.loads(ended.stdout)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert offer["server"] == {"name": "reviewer", "version": "1.0.0"}
    assert offer["protocolVersions"] == list(REVISIONS)
    assert set(offer["capabilities"]) == {"tools", "prompts"}
    [wait] = [tool for tool in offer["tools"] if tool["name"] == "wait"]
    assert wait["inputSchema"]["properties"] == {"seconds": {"type": "number"}}
    assert wait["inputSchema"]["required"] == ["seconds"]
    [prompt] = offer["prompts"]
    assert [argument["name"] for argument in prompt["arguments"]][2] == "focus_areas"
    assert offer["resources"] == offer["resourceTemplates"] == []


def test_inspect_asks_as_a_client_does(tmp_path: Path) -> None:
    (tmp_path / "strict.py").write_text(STRICT)
    ended = finished(*CLI, "inspect", "strict", cwd=tmp_path)
    assert ended.returncode == 1
    assert ended.stderr == "anubis-py: strict refused to say what it offers: Not you (-32001)\n"
    (tmp_path / "strict.py").write_text(STRICT.replace("    def init", "    def _init"))
    ended = finished(*CLI, "inspect", "strict", "--json", cwd=tmp_path)
    # The capability is the server's; the tool needs a scope that nobody has who only asks.
    assert json.loads(ended.stdout)["tools"] == []


def test_inspect_opens_a_session_where_there_is_no_other_way(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text(
        "from reviewer import Reviewer\n"
        "class Old(Reviewer):\n"
        "    protocol_versions = ['2025-06-18']\n"
        "    def terminate(self, reason, frame): print(reason, frame.context.client_info['name'])\n"
    )
    ended = finished(*CLI, "inspect", f"{tmp_path}/old.py:Old")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "  protocol      2025-06-18\n" in ended.stdout
    assert "\nPrompts (1)\n" in ended.stdout
    assert ended.stdout.startswith("deleted anubis-py inspect\n")


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_inspect_into_a_pipe_that_is_closed(options: list[str]) -> None:
    command = [sys.executable, *CLI, "inspect", "reviewer", *options]
    with subprocess.Popen(
        command, cwd=HERE, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(PATIENCE) == 128 + signal.SIGPIPE


def test_version() -> None:
    assert finished(*CLI, "--version").stdout == f"anubis-py {version('anubis-py')}\n"


@pytest.mark.parametrize("arguments", [[], ["rum"], ["run"], ["run", "reviewer", "--prot=1"]])
def test_usage(arguments: list[str]) -> None:
    ended = finished(*CLI, *arguments)
    assert ended.returncode == 2
    assert ended.stderr.startswith("usage: anubis-py ")


def test_imports_are_light() -> None:
    code = (
        "import sys, anubis_py, anubis_py.cli\n"
        "heavy = ('hypercorn', 'trio', 'asyncio', 'multiprocessing', 'ssl')\n"
        "print(*(name for name in heavy if name in sys.modules))"
    )
    ended = finished("-c", code)
    assert (ended.stdout, ended.stderr) == ("\n", "")

"""A server that a desktop client starts: `run("stdio")` and `anubis-py run --stdio`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NOISY = """
import os
print("a banner, while the module is imported")
os.write(1, b"and one that no Python stream has seen\\n")

from anubis_py import Response, ServerBehaviour, ToolComponent


class Loud(ToolComponent):
    def execute(self, args, frame):
        print("not for the client")
        return Response.tool().text("said")


class Noisy(ServerBehaviour):
    name = "noisy"
    version = "1"
    components = [Loud]


if __name__ == "__main__":
    Noisy.run("stdio")
"""

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    path = tmp_path / "noisy.py"
    path.write_text(NOISY)
    return path


def talk(command: list[str]) -> tuple[list[dict[str, Any]], str, int]:
    """One call, then the end of stdin: the messages, stderr and the exit code."""
    call = {"name": "loud", "_meta": META}
    line = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    done = subprocess.run(
        [sys.executable, *command],
        input=json.dumps(line) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    messages = [json.loads(text) for text in done.stdout.splitlines()]
    return messages, done.stderr, done.returncode


def test_the_command_keeps_the_channel_clean_while_modules_are_imported(noisy: Path) -> None:
    [message], stderr, code = talk(["-m", "anubis_py", "run", str(noisy), "--stdio"])
    assert message["result"]["content"] == [{"type": "text", "text": "said"}]
    assert "a banner" in stderr
    assert "no Python stream" in stderr
    assert "not for the client" in stderr
    assert code == 0


def test_a_program_serves_its_client_until_stdin_ends() -> None:
    code = (
        "from anubis_py import Response, ServerBehaviour, ToolComponent\n"
        "class Loud(ToolComponent):\n"
        "    async def execute(self, args, frame):\n"
        "        return Response.tool().text('said')\n"
        "class Quiet(ServerBehaviour):\n"
        "    name, version, components = 'quiet', '1', [Loud]\n"
        "Quiet.run('stdio')\n"
    )
    [message], stderr, status = talk(["-c", code])
    assert message["id"] == 1
    assert message["result"]["content"] == [{"type": "text", "text": "said"}]
    assert stderr == ""
    assert status == 0


def test_settings_of_another_transport_are_refused(noisy: Path) -> None:
    _, stderr, code = talk(["-m", "anubis_py", "run", str(noisy), "--stdio", "--port", "1"])
    assert stderr.splitlines()[-1] == "anubis-py: There is no setting 'port'."
    assert code == 2


def test_stdio_does_not_wait_for_what_only_http_needs() -> None:
    code = "import sys, anubis_py.runner.over_stdio; assert 'hypercorn' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)

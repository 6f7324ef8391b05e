"""Servers as their users start them: processes, ports and signals."""

from __future__ import annotations

import json
import re
import signal
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from running.server_process import HERE, SCRIPT, finished, post, running
from support.certificate import make_certificate

SIGNALS = [signal.SIGINT, signal.SIGTERM]


def settings(**given: Any) -> str:
    return json.dumps({"port": 0, **given})


def test_run_says_where_it_listens_once_it_does() -> None:
    with running(SCRIPT, settings()) as server:
        assert re.fullmatch(
            r"reviewer 1\.0\.0 listening on http://127\.0\.0\.1:[1-9]\d*/mcp \(Ctrl-C stops it\)",
            server.announcement,
        )
        answer = server.discover()
        assert answer.status_code == 200
        assert "server" not in answer.headers
        assert server.end(signal.SIGTERM)[0] == 0
        assert server.rest() == []


def test_run_takes_the_settings_of_the_endpoint() -> None:
    given = settings(host="localhost", path="/reviews", allowed_hosts=["api.example.com"])
    with running(SCRIPT, given) as server:
        assert re.search(r" http://127\.0\.0\.1:\d+/reviews ", server.announcement)
        assert server.discover(host="api.example.com").status_code == 200
        assert server.discover(host="evil.example.com").status_code == 403


LOGGED = r"\d{4}-\d\d-\d\d [\d:,]+ \[\d+\] WARNING anubis_py\.http: Host 'evil' refused: .+"


@pytest.mark.parametrize(
    ("prelude", "given", "logged"),
    [
        ("", {}, [LOGGED]),
        ("", {"workers": 2}, [LOGGED]),
        ("", {"log_level": "error"}, []),
        ("import logging; logging.basicConfig(format='own %(message)s')\n", {}, ["own Host .+"]),
    ],
)
def test_logging_is_set_up_for_those_who_have_not(
    tmp_path: Path, prelude: str, given: dict[str, Any], logged: list[str]
) -> None:
    script = tmp_path / "logging_server.py"
    script.write_text(
        f"{prelude}from reviewer import Reviewer\n"
        f"if __name__ == '__main__': Reviewer.run(port=0, **{given})\n"
    )
    with running(str(script), PYTHONPATH=str(HERE)) as server:
        assert server.discover(host="evil").status_code == 403
        assert server.end(signal.SIGTERM)[0] == 0
        lines = server.rest()
        assert len(lines) == len(logged)
        assert all(map(re.fullmatch, logged, lines))


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_lets_requests_in_flight_be_answered(number: signal.Signals, workers: int) -> None:
    with running(SCRIPT, settings(workers=workers)) as server, ThreadPoolExecutor() as pool:
        answers = [pool.submit(server.call, tool, {"seconds": 0.5}) for tool in ("wait", "block")]
        assert [server.line(), server.line()] == ["waiting", "waiting"]
        code, seconds = server.end(number)
        assert [answer.result() for answer in answers] == ["done", "done"]
        assert (code, server.rest()) == (0, [])
        assert seconds < 3


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("tool", ["wait", "block"])
def test_what_is_not_done_in_time_is_cancelled(tool: str, workers: int) -> None:
    given = settings(graceful_timeout=0.2, workers=workers)
    with running(SCRIPT, given) as server, ThreadPoolExecutor() as pool:
        answer = pool.submit(server.call, tool, {"seconds": 60})
        assert server.line() == "waiting"
        code, seconds = server.end(signal.SIGTERM)
        assert isinstance(answer.exception(), httpx.RemoteProtocolError)
        # Its cleanup runs, and nothing is logged: who stops a server knows.
        assert (code, server.rest()) == (0, ["cancelled"] if tool == "wait" else [])
        assert seconds < 3


@pytest.mark.parametrize("workers", [1, 2])
def test_a_second_signal_ends_at_once(workers: int) -> None:
    given = settings(graceful_timeout=60, workers=workers)
    with running(SCRIPT, given) as server, ThreadPoolExecutor() as pool:
        answer = pool.submit(server.call, "wait", {"seconds": 60})
        assert server.line() == "waiting"
        # Two of one kind might arrive as one.
        code, seconds = server.end(signal.SIGTERM, signal.SIGINT)
        assert isinstance(answer.exception(), httpx.TransportError)
        assert code in (128 + signal.SIGINT, 128 + signal.SIGTERM)
        assert seconds < 3
        server.rest()


def test_an_idle_connection_does_not_hold_a_server() -> None:
    with running(SCRIPT, settings()) as server, httpx.Client() as client:
        post(client, server.url)
        address = (httpx.URL(server.url).host, httpx.URL(server.url).port)
        with socket.create_connection(address):
            code, seconds = server.end(signal.SIGTERM)
        assert (code, server.rest()) == (0, [])
        assert seconds < 2


@pytest.mark.parametrize("workers", [1, 2])
def test_a_taken_port_is_one_line_and_exit_code_3(workers: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = finished(SCRIPT, settings(port=port, workers=workers))
    assert ended.returncode == 3
    assert ended.stderr == (
        f"reviewer 1.0.0 cannot listen on 127.0.0.1:{port}: Address already in use\n"
    )
    assert ended.stdout == ""


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("192.0.2.1", r"192\.0\.2\.1:0: Cannot assign requested address"),
        ("2001:db8::1", r"\[2001:db8::1\]:0: .+"),
        ("nowhere.invalid", r"nowhere\.invalid:0: .+"),
        ("a..b", r"a\.\.b:0: .+"),
    ],
)
def test_a_host_that_cannot_be_had_is_one_line_and_exit_code_3(host: str, said: str) -> None:
    ended = finished(SCRIPT, settings(host=host))
    assert ended.returncode == 3
    assert re.fullmatch(rf"reviewer 1\.0\.0 cannot listen on {said}\n", ended.stderr)


@pytest.mark.parametrize(("http2", "workers"), [(False, 1), (True, 1), (True, 2)])
def test_tls(tmp_path: Path, http2: bool, workers: int) -> None:
    made = make_certificate(tmp_path)
    given = settings(certfile=made.certfile, keyfile=made.keyfile, workers=workers)
    trust = ssl.create_default_context(cafile=made.certfile)
    with (
        running(SCRIPT, given) as server,
        httpx.Client(verify=trust, http2=http2) as client,
    ):
        assert server.url.startswith("https://127.0.0.1:")
        answer = post(client, server.url)
        assert answer.status_code == 200
        assert answer.http_version == ("HTTP/2" if http2 else "HTTP/1.1")
        assert server.end(signal.SIGTERM)[0] == 0
        assert server.rest() == []


@pytest.mark.parametrize("workers", [1, 2])
def test_an_encrypted_key_is_refused_and_not_asked_for(tmp_path: Path, workers: int) -> None:
    made = make_certificate(tmp_path)
    given = {"certfile": made.certfile, "keyfile": made.encrypted_keyfile, "workers": workers}
    ended = finished(SCRIPT, settings(**given))
    assert ended.returncode == 1
    last = ended.stderr.splitlines()[-1]
    assert re.fullmatch(r"anubis_py\.errors\.ConfigurationError: certfile '.+' with .+", last)

"""`serve_http` inside of a program with a loop of its own."""

from __future__ import annotations

import logging
import socket
from functools import partial
from typing import Any

import httpx
import pytest
import trio
from support.client import modern, modern_headers

from anubis_py import App, ConfigurationError, Response, ServerBehaviour, ToolComponent
from anubis_py.runner import ServingSettings, StartError, serve_http

from .server_process import DISCOVER

FREE = ServingSettings(port=0)

WAIT = modern("tools/call", {"name": "wait", "arguments": {}})


class Wait(ToolComponent):
    """Wait until the test says so."""

    def __init__(self) -> None:
        self.waiting, self.enough, self.cancelled = trio.Event(), trio.Event(), trio.Event()

    async def execute(self, args: Any, frame: Any) -> Any:
        self.waiting.set()
        try:
            await self.enough.wait()
        except trio.Cancelled:
            self.cancelled.set()
            raise
        return Response.tool().text("done")


def waiting_app(wait: Wait) -> App:
    class Waiting(ServerBehaviour):
        name = "waiting"
        version = "1"
        components = (wait,)

    return Waiting.asgi()


async def post(url: str, body: dict[str, Any]) -> httpx.Response:
    headers = httpx.Headers([*modern_headers(body).items()])  # type: ignore[arg-type]
    del headers["host"]
    async with httpx.AsyncClient(timeout=20) as client:
        return await client.post(url, json=body, headers=headers)


async def expect(url: str, body: dict[str, Any], answers: list[Any]) -> None:
    """Append the answer, or what came instead of one."""
    try:
        answers.append((await post(url, body)).json()["result"]["content"][0]["text"])
    except httpx.HTTPError as error:
        answers.append(type(error))


async def refused(url: str) -> None:
    """Return once nobody listens; who was let in at the last moment is sent away."""
    while True:
        try:
            await post(url, DISCOVER)
        except httpx.ConnectError:
            return
        except httpx.TransportError:
            pass


async def within(function: Any, *arguments: Any) -> None:
    with trio.fail_after(20):
        await function(*arguments)


def test_start_means_that_clients_can_connect() -> None:
    async def program() -> None:
        async with trio.open_nursery() as nursery:
            app = waiting_app(Wait())
            [url] = await nursery.start(serve_http, app, FREE)
            assert url.startswith("http://127.0.0.1:")
            assert url.endswith("/mcp")
            assert (await post(url, DISCOVER)).status_code == 200
            [other] = await nursery.start(serve_http, app, FREE)
            assert other != url
            nursery.cancel_scope.cancel()

    trio.run(within, program)


def test_after_the_trigger_it_refuses_and_drains_and_returns() -> None:
    async def program() -> None:
        wait, stop, answers = Wait(), trio.Event(), list[Any]()
        async with trio.open_nursery() as nursery:
            serve = partial(serve_http, waiting_app(wait), FREE, shutdown_trigger=stop.wait)
            [url] = await nursery.start(serve)
            nursery.start_soon(expect, url, WAIT, answers)
            await wait.waiting.wait()
            stop.set()
            await refused(url)
            wait.enough.set()
        assert answers == ["done"]

    trio.run(within, program)


def test_what_is_not_done_in_time_is_cancelled() -> None:
    async def program() -> None:
        wait, stop, answers = Wait(), trio.Event(), list[Any]()
        settings = ServingSettings(port=0, graceful_timeout=0.05)
        async with trio.open_nursery() as nursery:
            serve = partial(serve_http, waiting_app(wait), settings, shutdown_trigger=stop.wait)
            [url] = await nursery.start(serve)
            nursery.start_soon(expect, url, WAIT, answers)
            await wait.waiting.wait()
            stop.set()
        assert answers == [httpx.RemoteProtocolError]
        assert wait.cancelled.is_set()

    trio.run(within, program)


def test_cancelling_closes_everything(caplog: pytest.LogCaptureFixture) -> None:
    async def program() -> None:
        wait, answers = Wait(), list[Any]()
        async with trio.open_nursery() as clients:
            async with trio.open_nursery() as nursery:
                [url] = await nursery.start(serve_http, waiting_app(wait), FREE)
                clients.start_soon(expect, url, WAIT, answers)
                await wait.waiting.wait()
                nursery.cancel_scope.cancel()
            assert wait.cancelled.is_set()
            with pytest.raises(httpx.ConnectError):
                await post(url, DISCOVER)
        assert answers == [httpx.RemoteProtocolError]

    with caplog.at_level(logging.INFO):
        trio.run(within, program)
    assert [record for record in caplog.records if record.name.startswith("anubis_py")] == []
    assert [record for record in caplog.records if "Running on" in record.message] == []


def test_a_taken_port_is_a_plain_error() -> None:
    async def program() -> None:
        with socket.create_server(("127.0.0.1", 0)) as taken:
            settings = ServingSettings(port=taken.getsockname()[1])
            with pytest.raises(StartError, match=r"^cannot listen on 127\.0\.0\.1:\d+: Address "):
                await serve_http(waiting_app(Wait()), settings)

    trio.run(within, program)


def test_ipv6() -> None:
    async def program() -> None:
        async with trio.open_nursery() as nursery:
            settings = ServingSettings(host="::1", port=0)
            [url] = await nursery.start(serve_http, waiting_app(Wait()), settings)
            assert url.startswith("http://[::1]:")
            assert (await post(url, DISCOVER)).status_code == 200
            nursery.cancel_scope.cancel()

    if not socket.has_ipv6:
        pytest.skip("no IPv6")
    trio.run(within, program)


def test_tls_files_that_do_not_exist() -> None:
    async def program() -> None:
        settings = ServingSettings(port=0, certfile="no.pem", keyfile="no.key")
        error = r"^certfile 'no\.pem' with keyfile 'no\.key': No such file or directory\.$"
        with pytest.raises(ConfigurationError, match=error):
            await serve_http(waiting_app(Wait()), settings)

    trio.run(within, program)


def test_an_app_that_fails_to_start_is_a_plain_error() -> None:
    class Failing(App):
        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            await receive()
            await send({"type": "lifespan.startup.failed", "message": "no database"})

    async def program() -> None:
        app = Failing(waiting_app(Wait()).server)
        with pytest.raises(StartError, match=r"^cannot start: .*no database"):
            await serve_http(app, FREE)

    trio.run(within, program)

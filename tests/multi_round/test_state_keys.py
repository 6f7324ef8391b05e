"""Where the keys come from, and what is no key."""

from __future__ import annotations

import base64
import logging
import multiprocessing
from collections.abc import Iterable
from typing import Any

import anyio
import pytest

from anubis_py import ConfigurationError, McpError, ServerBehaviour
from anubis_py.server.state_keys import MAKE_ONE, VARIABLE
from multi_round.asking import ADA, Server, client, text_of

ONE, TWO = bytes(range(32)), bytes(range(100, 132))


def urlsafe(key: bytes) -> str:
    return base64.urlsafe_b64encode(key).rstrip(b"=").decode()


def keyed(*keys: str | bytes) -> type[ServerBehaviour]:
    class Keyed(Server):
        state_keys = keys

    return Keyed


async def state_of(server: Any) -> str:
    async with client(server) as c:
        state: str = (await c.call_tool("greet"))["requestState"]
        return state


async def opens(server: Any, state: str) -> bool:
    async with client(server) as c:
        try:
            result = await c.call_tool("greet", input_responses=ADA, request_state=state)
        except McpError:
            return False
        return text_of(result) == "Hello, Ada"


@pytest.mark.anyio
async def test_one_key_in_every_spelling() -> None:
    state = await state_of(keyed(ONE))
    text = urlsafe(ONE)
    for key in (ONE.hex(), ONE.hex().upper(), text, text + "=", f" {text} "):
        assert await opens(keyed(key), state)
    assert not await opens(keyed(TWO), state)
    assert not await opens(Server, state)


@pytest.mark.anyio
async def test_keys_rotate() -> None:
    old, both, new = keyed(ONE), keyed(TWO, ONE), keyed(TWO)
    assert await opens(both, await state_of(old))
    assert await opens(new, await state_of(both))
    assert not await opens(new, await state_of(old))


@pytest.mark.anyio
async def test_keys_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, f"{urlsafe(TWO)}, {ONE.hex()}")
    assert await opens(Server, await state_of(keyed(ONE)))
    assert await opens(keyed(TWO), await state_of(Server))
    # What the class says goes before.
    assert not await opens(keyed(TWO), await state_of(keyed(ONE)))
    monkeypatch.setenv(VARIABLE, " ")
    assert not await opens(Server, await state_of(keyed(ONE)))
    assert await opens(Server, await state_of(Server))


@pytest.mark.anyio
async def test_a_key_may_depend_on_the_instance() -> None:
    class Configured(Server):
        def __init__(self, key: bytes) -> None:
            super().__init__()
            self._key = key

        @property
        def state_keys(self) -> Iterable[str | bytes]:  # type: ignore[override]
            return [self._key]

    assert await opens(keyed(ONE), await state_of(Configured(ONE)))
    with pytest.raises(ConfigurationError, match=r"Configured\.state_keys"):
        client(Configured(b"short"))


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ("not a list", "must be a list of keys, not str"),
        (ONE, "must be a list of keys, not bytes"),
        (3, "must be a list of keys, not int"),
        ([], "is empty"),
        ([b"short"], r"Bad.state_keys\[0\] must be 32 bytes.*got bytes of 5"),
        ([ONE, "short"], r"Bad.state_keys\[1\] must be 32 bytes.*got str of 5"),
        ([ONE.hex()[:-1]], "got str of 63"),
        (["z" * 64], "got str of 64"),
        ([urlsafe(ONE + b"x")], "must be 32 bytes"),
        ([None], "got NoneType"),
    ],
)
def test_a_bad_key_is_found_when_the_class_is_created(keys: Any, place: str) -> None:
    with pytest.raises(ConfigurationError, match=place) as raised:

        class Bad(Server):
            state_keys = keys

    if "list" not in place:
        assert MAKE_ONE in str(raised.value)
    assert ONE.hex()[:-1] not in str(raised.value)


def test_a_bad_key_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("secret-key", f"{urlsafe(ONE)},", ","):
        monkeypatch.setenv(VARIABLE, text)
        with pytest.raises(ConfigurationError, match=VARIABLE) as raised:
            Server.asgi()
        assert MAKE_ONE in str(raised.value)
        assert "secret-key" not in str(raised.value)


@pytest.mark.parametrize("seconds", [0, -1, "60", None, True, float("nan")])
def test_a_bad_time(seconds: Any) -> None:
    with pytest.raises(ConfigurationError, match="round_timeout must be a number of seconds"):

        class Bad(Server):
            round_timeout = seconds


# -- processes


@pytest.mark.anyio
async def test_a_process_among_others_does_not_seal_without_a_key(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    state = await state_of(Server)
    monkeypatch.setattr("multiprocessing.parent_process", object)
    async with client() as c:
        with pytest.raises(McpError, match=r"^Internal error \(-32603\)$"):
            await c.call_tool("greet")
        [record] = caplog.records
        assert (record.name, record.levelno) == ("anubis_py.engine", logging.ERROR)
        assert MAKE_ONE in record.getMessage()
        caplog.clear()
        with pytest.raises(McpError, match="requestState is not, or no longer, valid"):
            await c.call_tool("greet", request_state=state)
        [record] = caplog.records
        assert MAKE_ONE in record.getMessage()
        assert len((await c.list_tools())["tools"]) == 5
    async with client(keyed(ONE)) as c:
        assert text_of(await c.call_tool("greet", answers=ADA)) == "Hello, Ada"


async def started(server: type[ServerBehaviour]) -> Any:
    """What the app says to the server that starts it."""
    said: list[Any] = []

    async def receive() -> Any:
        return {"type": "lifespan.shutdown" if said else "lifespan.startup"}

    async def send(message: Any) -> None:
        said.append(message)

    await server.asgi()({"type": "lifespan"}, receive, send)
    return said[0]


@pytest.mark.anyio
async def test_a_process_among_others_does_not_start_without_a_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Silent(ServerBehaviour):
        name = "silent"
        version = "1"

    assert (await started(Server))["type"] == "lifespan.startup.complete"
    monkeypatch.setattr("multiprocessing.parent_process", object)
    refusal = await started(Server)
    assert refusal["type"] == "lifespan.startup.failed"
    assert MAKE_ONE in refusal["message"]
    assert (await started(keyed(ONE)))["type"] == "lifespan.startup.complete"
    # One that never asks has nothing to seal.
    assert (await started(Silent))["type"] == "lifespan.startup.complete"


def _worker(pipe: Any, state: str) -> None:
    async def work() -> None:
        pipe.send(await opens(Server, state))
        try:
            pipe.send(await state_of(Server))
        except McpError as error:
            pipe.send(error.code)

    anyio.run(work)


def _ask_worker(state: str) -> tuple[bool, str | int]:
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_worker, args=(theirs, state))
    process.start()
    try:
        assert ours.poll(60)
        opened = ours.recv()
        assert ours.poll(60)
        return opened, ours.recv()
    finally:
        process.join(60)
        ours.close()
        theirs.close()


def test_workers_with_one_key_serve_one_round(monkeypatch: pytest.MonkeyPatch) -> None:
    without = anyio.run(state_of, Server)
    assert _ask_worker(without) == (False, -32603)
    monkeypatch.setenv(VARIABLE, urlsafe(ONE))
    state = anyio.run(state_of, Server)
    opened, sealed = _ask_worker(state)
    assert opened
    assert isinstance(sealed, str)
    assert anyio.run(opens, Server, sealed)

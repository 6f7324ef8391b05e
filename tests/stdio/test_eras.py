"""Both eras at once, on one channel, and with the same code of the author's."""

from __future__ import annotations

from typing import Any

import pytest

from anubis_py import Reply, Response, ToolComponent, field, send_progress

from . import messages as modern
from .legacy import call, greeted, request
from .messages import META, text
from .servers import Miniature

pytestmark = pytest.mark.anyio


class Add(ToolComponent):
    schema = (field("n", int, required=True),)

    async def execute(self, args: dict[str, int], frame: Any) -> Any:
        send_progress(frame, args["n"])
        total = frame.assigns.get("total", 0) + args["n"]
        era = frame.context.era
        return Reply(Response.tool().text(f"{era} {total}"), frame.assign(total=total))


class Adding(Miniature):
    components = (Add,)


async def test_both_eras_interleaved() -> None:
    async with greeted(Adding) as client:
        for number in range(1, 21):
            client.send(
                call(f"l{number}", "add", {"n": 1}), modern.call(f"m{number}", "add", {"n": 1})
            )
        answers = {}
        for _ in range(40):
            message = await client.receive()
            answers[message["id"]] = message
    # The session goes on from call to call; in the stateless era every call begins anew.
    legacy = [answers[f"l{number}"] for number in range(1, 21)]
    assert [text(each) for each in legacy] == [f"legacy {number}" for number in range(1, 21)]
    assert {text(answers[f"m{number}"]) for number in range(1, 21)} == {"stateless 1"}
    assert not any("resultType" in each["result"] for each in legacy)


async def test_each_is_told_in_its_own_words() -> None:
    async with greeted(Adding) as client:
        for message in (
            call(1, "add", {"n": 3}, progressToken="l"),
            modern.call(2, "add", {"n": 3}, progressToken="m"),
        ):
            progress = await client.ask(message)
            token = message["params"]["_meta"]["progressToken"]
            assert progress["params"] == {"progressToken": token, "progress": 3}
            assert (await client.receive())["id"] == message["id"]


async def test_methods_of_the_other_era_do_not_exist() -> None:
    async with greeted(Adding) as client:
        for message in (request(1, "server/discover"), modern.request(2, "resources/subscribe")):
            refusal = await client.ask(message)
            assert (refusal["id"], refusal["error"]["code"]) == (message["id"], -32601)


async def test_meta_without_a_version_is_of_the_session() -> None:
    async with greeted(Adding) as client:
        message = call(1, "add", {"n": 2}, **{"example.com/trace": "x"})
        assert text(await client.ask(message)) == "legacy 2"
        version = {k: v for k, v in META.items() if k.endswith("protocolVersion")}
        refusal = await client.ask(call(2, "add", {"n": 2}, **version))
        assert refusal["error"]["code"] == -32602, "of the other era, and incomplete"

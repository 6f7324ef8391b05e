"""Log messages: of the level that the request asks for, and declared by the server."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from support.client import Answer, Http, calling
from support.log import ServerLog

from anubis_py import Frame, send_log_message

from .saying import saying

pytestmark = pytest.mark.anyio

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


def log(level: str, data: Any, logger: str | None, frame: Frame) -> None:
    send_log_message(frame, level, data, logger)


EVERY = [partial(log, level, level.upper(), None) for level in LEVELS]


def levels(answer: Answer) -> list[str]:
    return [note["params"]["level"] for note in answer.notifications]


@pytest.mark.parametrize("in_thread", [False, True])
@pytest.mark.parametrize("wanted", LEVELS)
async def test_what_is_wanted_and_what_is_graver_is_sent(wanted: str, in_thread: bool) -> None:
    answer = await Http(saying(*EVERY, in_thread=in_thread)).post(calling("say", level=wanted))
    assert levels(answer) == list(LEVELS[LEVELS.index(wanted) :])


async def test_without_a_level_nothing_is_sent() -> None:
    answer = await Http(saying(*EVERY)).post(calling("say", token=1))
    assert answer.notifications == ()


async def test_the_level_is_the_requests_and_of_no_other() -> None:
    http = Http(saying(*EVERY))
    assert len(levels(await http.post(calling("say", level="debug")))) == 8
    assert levels(await http.post(calling("say"))) == []
    assert levels(await http.post(calling("say", level="emergency"))) == ["emergency"]


@pytest.mark.parametrize(
    "data", ["text", "", None, 0, False, 1.5, [], {}, {"error": {"port": 5432}}, ["é", "\u2028\n"]]
)
async def test_data_is_anything_that_json_has_a_form_for(data: Any) -> None:
    answer = await Http(saying(partial(log, "info", data, "db"))).post(
        calling("say", level="debug")
    )
    [note] = answer.notifications
    assert note["params"] == {"level": "info", "logger": "db", "data": data}


async def test_undeclared_it_is_not_sent_and_the_log_says_what_to_declare(
    server_log: ServerLog,
) -> None:
    http = Http(saying(partial(log, "error", "x", None), declared={}))
    answer = await http.post(calling("say", level="debug"))
    assert answer.notifications == ()
    assert not answer.is_stream
    assert answer.text == "said"
    assert "logging" in server_log.take("was not sent")
    assert "logging" not in (await http.call("server/discover")).result["capabilities"]


async def test_declared_it_is_advertised() -> None:
    discovered = await Http(saying()).call("server/discover")
    assert discovered.result["capabilities"]["logging"] == {}


async def test_undeclared_and_not_asked_for_there_is_nothing_to_complain_of(
    server_log: ServerLog,
) -> None:
    http = Http(saying(partial(log, "debug", "x", None), declared={}))
    for level in (None, "error"):
        await http.post(calling("say", level=level))
    assert server_log.records == []


async def test_an_unknown_level_is_the_authors_fault_and_named(server_log: ServerLog) -> None:
    answer = await Http(saying(partial(log, "warn", "x", None))).post(calling("say"))
    assert answer.is_error
    [record] = server_log.records
    assert record.exc_info is not None
    assert "Did you mean 'warning'?" in str(record.exc_info[1])
    server_log.clear()


@pytest.mark.parametrize("data", [object(), b"\xff", {"deep": [object()]}])
async def test_data_without_a_json_form_is_the_authors_fault(
    data: Any, server_log: ServerLog
) -> None:
    answer = await Http(saying(partial(log, "info", data, None))).post(calling("say", level="info"))
    assert answer.is_error
    server_log.take("'say'", traceback=True)

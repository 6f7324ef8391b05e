"""B12: media types, weights and names of headers are read as RFC 9110 has them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.client import Http, modern, modern_headers

from anubis_py import Response, ServerBehaviour, ToolComponent

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]


class Now(ToolComponent):
    def execute(self, args: Any, frame: Any) -> Any:
        return Response.tool().text("noon")


class Negotiating(ServerBehaviour):
    name = "negotiating"
    version = "1"
    components = (Now,)


GOOD = modern("tools/list")


@pytest.mark.parametrize(
    "accept",
    [
        "*/*",
        None,
        "",
        "application/*, text/*",
        "application/json;q=0.9,text/event-stream;q=0.1",
        "Application/JSON, Text/Event-Stream",
        "application/json , text/event-stream ; q=1.0",
        "application/json; charset=utf-8, text/event-stream",
        "text/html, */*;q=0.1",
        "application/json",
    ],
)
async def test_every_spelling_of_a_good_accept_is_served(accept: str | None) -> None:
    answer = await Http(Negotiating).post(GOOD, headers={"Accept": accept})
    assert answer.status == 200
    assert answer.headers["content-type"] in ("application/json", "text/event-stream")


async def test_two_accept_lines_are_one_list() -> None:
    headers = [(n, v) for n, v in modern_headers(GOOD).items() if n != "Accept"]
    both = [("Accept", "application/json"), ("Accept", "text/event-stream")]
    answer = await Http(Negotiating).send(json.dumps(GOOD), [*headers, *both])
    assert answer.status == 200


@pytest.mark.parametrize(
    "accept",
    ["text/html", "application/json;q=0, text/html", "application/json;q=0.000, */*", "image/*"],
)
async def test_what_cannot_be_accepted_is_told_what_is_needed(accept: str) -> None:
    answer = await Http(Negotiating).probe(GOOD, headers={"Accept": accept})
    assert answer.status == 406
    assert "application/json" in answer.error["message"]


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json; charset=utf-8",
        "Application/JSON",
        'application/json;charset="UTF-8"',
        "application/json;CHARSET=utf-8",
        "application/json ;charset=utf8",
    ],
)
async def test_every_spelling_of_json_is_served(content_type: str) -> None:
    answer = await Http(Negotiating).post(GOOD, headers={"Content-Type": content_type})
    assert answer.status == 200


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=utf-16",
        "application/jsonp",
        "json",
        ";",
        "text/plain, application/json",
    ],
)
async def test_another_type_is_unsupported(content_type: str) -> None:
    answer = await Http(Negotiating).probe(GOOD, headers={"Content-Type": content_type})
    assert answer.status == 415
    assert "application/json" in answer.error["message"]


async def test_a_body_of_no_declared_type_is_served_or_unsupported() -> None:
    answer = await Http(Negotiating).probe(GOOD, headers={"Content-Type": None})
    assert answer.status in (200, 415)


@pytest.mark.parametrize("headers", [{"Accept": "text/html"}, {"Content-Type": "text/plain"}])
async def test_a_notification_is_refused_for_the_same_reasons(headers: Any) -> None:
    body = {"jsonrpc": "2.0", "method": "notifications/x"}
    answer = await Http(Negotiating).probe(body, headers=headers)
    assert answer.status in (202, 406, 415)

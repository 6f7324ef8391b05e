"""B07: a URI is matched as it is written, decoded once, and echoed untouched."""

from __future__ import annotations

from typing import Any

import pytest
from support.client import Http, modern

from anubis_py import ResourceComponent, ResourceNotFound, Response, ServerBehaviour

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]

READ: list[tuple[str, dict[str, str]]] = []


class Note(ResourceComponent):
    uri_template = "note:///{name}"

    def read(self, params: Any, frame: Any) -> Any:
        READ.append((params.uri, dict(params)))
        return Response.resource().text(params["name"])


class File(ResourceComponent):
    uri_template = "file:///srv/{+path}"

    def read(self, params: Any, frame: Any) -> Any:
        READ.append((params.uri, dict(params)))
        return Response.resource().text(params["path"])


class Search(ResourceComponent):
    uri_template = "find://all{?q,limit}"

    def read(self, params: Any, frame: Any) -> Any:
        READ.append((params.uri, dict(params)))
        return Response.resource().json(dict(params))


class Notes(ServerBehaviour):
    name = "notes"
    version = "1"
    components = (Note, File, Search)


@pytest.fixture
def http() -> Http:
    READ.clear()
    return Http(Notes)


def read(uri: str) -> dict[str, Any]:
    return modern("resources/read", {"uri": uri})


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("note:///hello%20world.txt", "hello world.txt"),
        ("note:///%E7%A0%94%E7%A9%B6", "研究"),
        ("note:///%e7%a0%94%e7%a9%b6", "研究"),
        ("note:///研究", "研究"),
        ("note:///a%2Bb+c", "a+b+c"),
        ("note:///100%2525", "100%25"),
        ("note:///%252E%252E", "%2E%2E"),
        ("note:///a%3Fb%23c", "a?b#c"),
        ("note:///a b", "a b"),
        ("file:///srv/a/b%20c/d.txt", "a/b c/d.txt"),
        ("file:///srv/a%2Fb", "a/b"),
    ],
)
async def test_the_handler_gets_the_decoded_value(http: Http, uri: str, name: str) -> None:
    answer = await http.post(read(uri))
    assert answer.result["contents"] == [{"uri": uri, "mimeType": "text/plain", "text": name}]
    assert [(uri, list(params.values())) for uri, params in READ] == [(uri, [name])]


async def test_parameters_of_a_query_are_decoded_too(http: Http) -> None:
    answer = await http.post(read("find://all?limit=3&q=a%26b%3Dc"))
    assert READ == [("find://all?limit=3&q=a%26b%3Dc", {"q": "a&b=c", "limit": "3"})]
    assert answer.result["contents"][0]["uri"] == "find://all?limit=3&q=a%26b%3Dc"


@pytest.mark.parametrize(
    "uri",
    [
        "note:///a/b",
        "note:///",
        "note:///bad%ZZ",
        "note:///bad%",
        "note:///bad%2",
        "note:///%FF",
        "note:///%C0%AF",
        "note:///%ED%A0%80",
        "NOTE:///a",
        "note://a",
        "note:///a?b",
        "note:///a#b",
        "x",
        "://",
        # "Servers MUST sanitize file paths to prevent directory traversal attacks".
        "note:///..",
        "note:///%2E%2E",
        "note:///.",
        "note:///a%2Fb",
        "note:///..%2F..%2Fetc%2Fpasswd",
        "note:///..%5C..%5Cetc",
        "note:///a%00b",
        "file:///srv/../etc/passwd",
        "file:///srv/a/../../etc/passwd",
        "file:///srv/%2E%2E/etc/passwd",
        "file:///srv/..%2Fetc%2Fpasswd",
        "file:///srv/a%2F..%2F..%2Fetc",
        "file:///srv/..%5Cwindows",
        "file:///srv//etc/passwd",
        "file:///srv/%2Fetc/passwd",
        "file:///srv/C:%5Cwindows",
        "file:///srv/a%00.txt",
        "find://all?q=1&q=2",
        "find://all?other=1",
    ],
)
async def test_what_matches_no_template_does_not_exist(http: Http, uri: str) -> None:
    answer = await http.probe(read(uri))
    assert answer.code == -32602
    assert answer.error["data"] == {"uri": uri}
    assert READ == []


async def test_a_handler_may_say_that_there_is_no_such_thing() -> None:
    class Empty(ResourceComponent):
        uri_template = "void:///{name}"

        def read(self, params: Any, frame: Any) -> Any:
            raise ResourceNotFound(params.uri)

    class Void(ServerBehaviour):
        name = "void"
        version = "1"
        components = (Empty,)

    answer = await Http(Void).probe(read("void:///a%20b"))
    assert answer.error["data"] == {"uri": "void:///a%20b"}
    assert answer.code == -32602


async def test_a_later_template_may_have_what_an_earlier_has_not(http: Http) -> None:
    class First(ResourceComponent):
        uri_template = "any:///{name}"

        def read(self, params: Any, frame: Any) -> Any:
            READ.append(("first", dict(params)))
            raise ResourceNotFound(params.uri)

    class Second(ResourceComponent):
        uri_template = "any:///{+path}"

        def read(self, params: Any, frame: Any) -> Any:
            READ.append(("second", dict(params)))
            return Response.resource().text("here")

    class Two(ServerBehaviour):
        name = "two"
        version = "1"
        components = (First, Second)

    answer = await Http(Two).post(read("any:///a"))
    assert [c["text"] for c in answer.result["contents"]] == ["here"]
    assert READ == [("first", {"name": "a"}), ("second", {"path": "a"})]

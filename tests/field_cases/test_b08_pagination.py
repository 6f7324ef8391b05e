"""B08: a cursor is bound to the list that it came from, and dropped when it is spent."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest
from support.client import Http, modern

from anubis_py import (
    Frame,
    Ok,
    Prompt,
    PromptProvider,
    Resource,
    ResourceProvider,
    ResourceTemplate,
    ServerBehaviour,
    Tool,
    ToolProvider,
)

pytestmark = [pytest.mark.anyio, pytest.mark.one_loop]

LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}


def server(
    count: int, limit: int | None, *, label: str = "paged", runtime: bool = False
) -> type[ServerBehaviour]:
    """A server with `count` of each kind, in an order of no use, on pages of `limit`."""
    numbers = sorted(range(count), key=lambda n: (n * 7) % 11)

    class Tools(ToolProvider):
        def tools(self) -> Any:
            return [Tool(f"c{n:02}") for n in numbers]

        def tool_call(self, name: str, args: Any, frame: Any) -> Any:
            raise NotImplementedError

    class Prompts(PromptProvider):
        def prompts(self) -> Any:
            return [Prompt(f"c{n:02}") for n in numbers]

        def prompt_get(self, name: str, args: Any, frame: Any) -> Any:
            raise NotImplementedError

    class Resources(ResourceProvider):
        def resources(self) -> Any:
            yield from (Resource(f"c{n:02}", uri=f"r:{n}") for n in numbers)
            yield from (ResourceTemplate(f"c{n:02}", uri_template=f"t{n}:{{x}}") for n in numbers)

        def resource_read(self, uri: str, params: Any, frame: Any) -> Any:
            raise NotImplementedError

    class Paged(ServerBehaviour):
        name = label
        version = "1"
        capabilities = ("tools", "prompts", "resources")
        components = () if runtime or not count else (Tools, Prompts, Resources)

        def init(self, client_info: Any, frame: Frame) -> Any:
            if runtime:
                for n in numbers:
                    frame = frame.register_tool(f"c{n:02}").register_prompt(f"c{n:02}")
                    frame = frame.register_resource(f"r:{n}", name=f"c{n:02}")
                    frame = frame.register_resource_template(f"t{n}:{{x}}", name=f"c{n:02}")
            return Ok(frame.put_pagination_limit(limit) if limit else frame)

    return Paged


async def walk(http: Http, method: str) -> list[list[str]]:
    pages, cursor = [], None
    for _ in range(20):
        result = (await http.call(method, {} if cursor is None else {"cursor": cursor})).result
        pages.append([entry["name"] for entry in result[LISTS[method]]])
        if "nextCursor" not in result:
            return pages
        cursor = result["nextCursor"]
        assert isinstance(cursor, str)
        assert cursor
    raise AssertionError("the list has no end")


async def first_cursor(http: Http, method: str) -> str:
    cursor: str = (await http.call(method)).result["nextCursor"]
    return cursor


@pytest.mark.parametrize("runtime", [False, True], ids=["declared", "runtime"])
@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize(
    ("count", "limit", "pages"),
    [
        (5, 2, [["c00", "c01"], ["c02", "c03"], ["c04"]]),
        (5, 5, [["c00", "c01", "c02", "c03", "c04"]]),
        (5, 6, [["c00", "c01", "c02", "c03", "c04"]]),
        (5, None, [["c00", "c01", "c02", "c03", "c04"]]),
        (4, 2, [["c00", "c01"], ["c02", "c03"]]),
        (3, 1, [["c00"], ["c01"], ["c02"]]),
        (0, 2, [[]]),
    ],
)
async def test_a_walk_sees_every_entry_once_and_ends(
    count: int, limit: int | None, pages: list[list[str]], method: str, runtime: bool
) -> None:
    http = Http(server(count, limit, runtime=runtime))
    assert await walk(http, method) == pages
    assert await walk(http, method) == pages


@pytest.mark.parametrize("limit", [2, None])
@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize(
    "cursor", ["bogus", "", 5, True, [], {}, "é", "=", "AAAA", "a" * 5000, "\0"]
)
async def test_a_bad_cursor_is_invalid_params(method: str, cursor: Any, limit: int | None) -> None:
    answer = await Http(server(5, limit)).probe(modern(method, {"cursor": cursor}))
    assert answer.code == -32602
    assert answer.status < 500


@pytest.mark.parametrize("method", LISTS)
async def test_a_null_cursor_is_none_or_invalid(method: str) -> None:
    answer = await Http(server(5, 2)).probe(modern(method, {"cursor": None}))
    assert answer.message is not None
    assert "result" in answer.message or answer.code == -32602


@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize("other", LISTS)
async def test_a_cursor_is_good_for_its_own_list_only(method: str, other: str) -> None:
    http = Http(server(5, 2))
    answer = await http.probe(modern(method, {"cursor": await first_cursor(http, other)}))
    if method == other:
        assert len(answer.result[LISTS[method]]) == 2
    else:
        assert answer.code == -32602


async def test_a_cursor_is_good_for_its_own_server_only() -> None:
    class Other(server(5, 2)):  # type: ignore[misc]
        pass

    cursor = await first_cursor(Http(Other), "tools/list")
    answer = await Http(server(5, 2)).probe(modern("tools/list", {"cursor": cursor}))
    assert answer.code == -32602


def replaced(cursor: str, position: int) -> str:
    return cursor[:position] + ("B" if cursor[position] == "A" else "A") + cursor[position + 1 :]


CHANGES: dict[str, Callable[[str], str]] = {
    "one character more": lambda cursor: cursor + "A",
    "one character less": lambda cursor: cursor[:-1],
    "padding": lambda cursor: cursor + "=" * (-len(cursor) % 4 or 4),
    "white space": lambda cursor: cursor[:4] + "\n" + cursor[4:],
    "a blank at the end": lambda cursor: cursor + " ",
    "twice": lambda cursor: cursor + cursor,
    "upper case": str.upper,
    "another alphabet": lambda cursor: base64.b64encode(cursor.encode()).decode(),
}


@pytest.mark.parametrize("change", CHANGES)
async def test_a_changed_cursor_is_refused(change: str) -> None:
    http = Http(server(5, 2))
    cursor = CHANGES[change](await first_cursor(http, "tools/list"))
    answer = await http.probe(modern("tools/list", {"cursor": cursor}))
    assert answer.code == -32602


async def test_no_single_character_of_a_cursor_may_change() -> None:
    http = Http(server(5, 2))
    cursor = await first_cursor(http, "tools/list")
    for position in range(len(cursor)):
        answer = await http.call("tools/list", {"cursor": replaced(cursor, position)})
        assert answer.code == -32602, position
    await http.alive()


async def test_resources_of_one_name_are_all_seen() -> None:
    class Same(ResourceProvider):
        def resources(self) -> Any:
            return [Resource("same", uri=f"r:{n}") for n in range(5)]

        def resource_read(self, uri: str, params: Any, frame: Any) -> Any:
            raise NotImplementedError

    class Twins(server(0, 2)):  # type: ignore[misc]
        components = (Same,)

    http, uris = Http(Twins), []
    params: dict[str, Any] = {}
    for _ in range(3):
        result = (await http.call("resources/list", params)).result
        uris += [entry["uri"] for entry in result["resources"]]
        params = {"cursor": result.get("nextCursor")}
    assert uris == [f"r:{n}" for n in range(5)]
    assert params == {"cursor": None}


async def test_every_page_has_the_cache_hints_of_the_first() -> None:
    class Hinting(server(5, 2)):  # type: ignore[misc]
        def cache_hints(self, method: str) -> Any:
            return {"ttl_ms": 1000, "scope": "public"}

    http = Http(Hinting)
    cursor = await first_cursor(http, "tools/list")
    page = (await http.call("tools/list", {"cursor": cursor})).result
    assert (page["ttlMs"], page["cacheScope"]) == (1000, "public")


async def test_what_may_not_be_seen_takes_no_place_on_a_page() -> None:
    class Guarded(ToolProvider):
        def tools(self) -> Any:
            return [Tool(f"c{n:02}", scopes=["x"] if n % 2 else []) for n in range(6)]

        def tool_call(self, name: str, args: Any, frame: Any) -> Any:
            raise NotImplementedError

    class Half(server(0, 2)):  # type: ignore[misc]
        components = (Guarded,)

    assert await walk(Http(Half), "tools/list") == [["c00", "c02"], ["c04"]]

"""The example of rounds does what it says, on both loops."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from runpy import run_path
from typing import Any, Final

import pytest

from anubis_py import Accepted, App, Cancelled, Declined, McpError, Sampled
from anubis_py.testing import Client

EXAMPLE: Final = run_path(str(Path(__file__).parent.parent / "examples" / "rounds.py"))
ALL: Final[Mapping[str, Any]] = {"elicitation": {"form": {}, "url": {}}, "sampling": {}}


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> Any:
    return request.param


def client(**options: Any) -> Client:
    return Client(EXAMPLE["Rounds"], **{"capabilities": ALL, **options})


def text_of(result: dict[str, Any]) -> str:
    [block] = result["content"]
    text: str = block["text"]
    return text


def test_it_is_an_app() -> None:
    assert isinstance(EXAMPLE["Rounds"].asgi(), App)


@pytest.mark.anyio
async def test_the_form() -> None:
    async with client() as c:
        table = {"day": "2026-09-01", "guests": 2, "where": "out"}
        result = await c.call_tool("book_table", answers={"table": Accepted(table)})
        assert text_of(result) == "A table for 2 on 2026-09-01, on the terrace."
        result = await c.call_tool(
            "book_table", answers={"table": Accepted({"day": "2026-09-01", "guests": 3})}
        )
        assert text_of(result) == "A table for 3 on 2026-09-01, inside."
        for no in (Declined(), Cancelled()):
            result = await c.call_tool("book_table", answers={"table": no})
            assert text_of(result) == "Nothing was booked."
        with pytest.raises(McpError, match=r"table\.content\.guests: expected integer >= 1"):
            await c.call_tool("book_table", answers={"table": Accepted({**table, "guests": 0})})


@pytest.mark.anyio
async def test_the_page() -> None:
    pages: list[str] = []

    def finish_at_the_second_page(key: str, request: dict[str, Any]) -> Accepted:
        pages.append(request["params"]["url"])
        if len(pages) == 2:
            EXAMPLE["ConnectCalendar"].finished.add(pages[-1].rpartition("/")[2])
        return Accepted()

    async with client() as c:
        result = await c.call_tool("connect_calendar", answers=finish_at_the_second_page)
        assert text_of(result) == "The calendar is connected."
        assert pages[0] == pages[1]
        result = await c.call_tool("connect_calendar", answers={"open": Declined()})
        assert text_of(result) == "The calendar is not connected."


@pytest.mark.anyio
async def test_the_model() -> None:
    text = {"text": "It is late. It is dark."}
    short = Sampled("assistant", [{"type": "text", "text": "Late and dark."}], "m")
    async with client() as c:
        result = await c.call_tool("summarize", text, answers={"summary": short})
        assert text_of(result) == "Late and dark."
    async with client(capabilities={}) as c:
        assert text_of(await c.call_tool("summarize", text)) == "It is late."


@pytest.mark.anyio
async def test_the_two_steps() -> None:
    async with client() as c:
        choices = {"city": Accepted({"choice": "Lisbon"}), "hotel": Accepted({"choice": "sol"})}
        result = await c.call_tool("plan_trip", answers=choices)
        assert text_of(result) == "Hotel Sol in Lisbon"
        for stop in ({"city": Declined()}, {**choices, "hotel": Cancelled()}):
            assert text_of(await c.call_tool("plan_trip", answers=stop)) == "No trip, then."


@pytest.mark.anyio
async def test_the_prompt() -> None:
    async with client() as c:
        for about, who in (
            (Accepted({"name": "Ada", "years": 3}), "Ada, who has 3 years of experience"),
            (Accepted({"name": "Ada"}), "Ada, who has 0 years of experience"),
            (Declined(), "somebody who would rather not say"),
        ):
            prompt = await c.get_prompt("cover_letter", {"job": "a poet"}, answers={"about": about})
            [message] = prompt["messages"]
            assert message["content"]["text"] == f"Write a cover letter for a poet, by {who}."

"""The functions that both rivals in Python are given, with their types as the schemas.

`mcp` and `fastmcp` have decorators of the same names. They are told to do the least: no copy of
a tool's text as structured content, no sessions unless they are measured, JSON unless it streams.
"""

# Annotations stay objects here: both frameworks read them.

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from . import inputs


class Address(BaseModel):
    street: str
    city: str
    country: str


class Customer(BaseModel):
    name: str
    address: Address


class Item(BaseModel):
    sku: str
    quantity: int
    price: int


async def add(a: int, b: int) -> str:
    """Add two numbers."""
    return str(a + b)


async def text() -> str:
    """Answer with much text."""
    return inputs.TEXT


async def order(customer: Customer, items: list[Item]) -> str:
    """Add an order up."""
    return str(sum(item.quantity * item.price for item in items))


async def greet(who: str) -> str:
    """Greet somebody."""
    return f"Please greet {who}."


async def blob() -> bytes:
    """Much of nothing."""
    return inputs.BYTES


async def note() -> str:
    """A note."""
    return "a note"


async def search(query: str, limit: int = 10, verbose: bool = False) -> str:
    """Search for something."""
    return query


def fill(
    app: str, server: Any, add_tool: Callable[..., Any], own: tuple[Callable[..., Any], ...]
) -> None:
    """Register what an app offers; `own` are the tools that take the framework's context."""
    if app.startswith("list"):
        for number in range(inputs.count(app)):
            add_tool(search, inputs.tool_name(number))
        return
    wanted = ("touch",) if app == "notes" else ("add", "text", "order", "stream")
    for tool in (add, text, order, *own):
        if tool.__name__ in wanted:
            add_tool(tool, tool.__name__)
    if app == "notes":
        server.resource(inputs.NOTE)(note)
        return
    server.prompt()(greet)
    server.resource(inputs.BLOB, mime_type="application/octet-stream")(blob)

"""Tools: what their arguments look like, what they give back, and how they fail.

python examples/toolbox.py
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import attrs

from anubis_py import (
    Frame,
    Response,
    ServerBehaviour,
    ToolComponent,
    ToolError,
    ToolResponse,
    embeds_many,
    embeds_one,
    enum,
    field,
)

PER_EURO = {"EUR": 1.0, "GBP": 0.85, "USD": 1.08, "JPY": 163.0}


class PriceOrder(ToolComponent):
    """Add up an order: what the items cost, the delivery, and the total."""

    # Fields nest. All faults are reported at once, each with its path: items[0].quantity.
    schema = [
        embeds_one(
            "customer",
            [
                field("name", str, required=True, min_length=1),
                field("country", str, required=True, regex="^[A-Z]{2}$", description="Such as FR"),
            ],
            required=True,
        ),
        embeds_many(
            "items",
            [
                field("article", str, required=True),
                field("quantity", int, default=1, min=1),
                field("price", "number", required=True, min=0, description="Of one, in euros"),
            ],
            required=True,
            min=1,
        ),
        field("delivery", enum("pickup", "parcel", "express"), default="parcel"),
    ]
    # With an output schema the result has to carry a value that meets it.
    output_schema = [
        field("goods", float, required=True),
        field("delivery", float, required=True),
        field("total", float, required=True),
    ]

    async def execute(self, args: dict[str, Any], frame: Frame) -> ToolResponse:
        goods = round(sum(item["quantity"] * item["price"] for item in args["items"]), 2)
        abroad = args["customer"]["country"] != "FR"
        delivery = {"pickup": 0.0, "parcel": 4.9, "express": 11.9}[args["delivery"]] * (1 + abroad)
        total = round(goods + delivery, 2)
        return Response.tool().structured(
            {"goods": goods, "delivery": delivery, "total": total},
            text=f"{args['customer']['name']} pays {total:.2f} euros.",
        )


@attrs.frozen
class Amount:
    value: float = attrs.field(metadata={"min": 0, "description": "How much"})
    currency: str = attrs.field(metadata={"description": "Such as EUR"})
    into: str = "EUR"
    digits: Literal[0, 2] = 2


@attrs.frozen
class Converted:
    value: float
    currency: str


class ConvertCurrency(ToolComponent):
    """Convert an amount of money, at rates that never change."""

    # With an attrs class, `args` is an instance of it, and a type checker knows its attributes.
    schema = Amount
    output_schema = Converted

    async def execute(self, args: Amount, frame: Frame) -> ToolResponse:
        for currency in (args.currency, args.into):
            if currency not in PER_EURO:
                # The model reads this, and may try again.
                raise ToolError(f"There is no rate for {currency}: use {', '.join(PER_EURO)}.")
        value = args.value / PER_EURO[args.currency] * PER_EURO[args.into]
        return Response.tool().structured(Converted(round(value, args.digits), args.into))


class Remind(ToolComponent):
    """Say when a reminder is due: at a time, or some minutes from now."""

    def input_schema(self) -> Mapping[str, Any]:
        # JSON Schema says what fields cannot. It is shown to clients word for word; it checks,
        # and fills in no defaults.
        return {
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "at": {"type": "string", "description": "ISO 8601, with an offset"},
                "minutes": {"type": "integer", "minimum": 1},
            },
            "required": ["text"],
            "oneOf": [{"required": ["at"]}, {"required": ["minutes"]}],
            "additionalProperties": False,
        }

    async def execute(self, args: dict[str, Any], frame: Frame) -> ToolResponse:
        due = _time(args["at"]) if "at" in args else _in(args["minutes"])
        return Response.tool().text(f"{args['text']}: due at {due.isoformat(timespec='minutes')}")


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise ToolError("`at` is no date and time in ISO 8601.") from None


def _in(minutes: int) -> datetime:
    return datetime.now(UTC) + timedelta(minutes=minutes)


class Toolbox(ServerBehaviour):
    name = "toolbox"
    version = "1.0.0"
    components = [PriceOrder, ConvertCurrency, Remind]


app = Toolbox.asgi()

if __name__ == "__main__":
    Toolbox.run()

"""Shapes of dates and times: strings in JSON, native values in Python.

`format` alone asserts nothing in a stock validator, so each shape advertises a pattern that
matches exactly what Python can hold: real dates (month lengths, leap years, years 0001 to
9999), no leap second. As in RFC 3339, a datetime needs an offset: without one it names no
point in time. A time may have one: "09:30" is what people mean by a time of day. Lookahead
would shorten the patterns, but RE2 (Go's validators) has none.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Any, Final

import attrs
import voluptuous as vol

from anubis_py.schema.faults import json_type, mismatch
from anubis_py.schema.shape import Check, Definitions, Document, Shape

_YEAR = "(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
_LEAP_YEAR = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)"
_DAY = (
    "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
    "|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    "|02-(?:0[1-9]|1[0-9]|2[0-8]))"
)
_DATE = f"(?:{_YEAR}-{_DAY}|{_LEAP_YEAR}-02-29)"
_HOUR_MINUTE = "(?:[01][0-9]|2[0-3]):[0-5][0-9]"
_SECOND = ":[0-5][0-9](?:\\.[0-9]+)?"
_OFFSET = f"(?:[Zz]|[+-]{_HOUR_MINUTE})"


@attrs.frozen(eq=False, repr=False)
class DateShape(Shape):
    """One of the three; `parse` gets what the pattern matches, in upper case."""

    expects: str
    format: str
    pattern: str
    parse: Callable[[str], Any]

    @property
    def json_types(self) -> frozenset[str]:
        return frozenset({"string"})

    def json_schema(self, definitions: Definitions) -> Document:
        return {"type": "string", "format": self.format, "pattern": self.pattern}

    def __voluptuous_compile__(self, schema: vol.Schema) -> Check:
        search, parse, expects = re.compile(self.pattern).search, self.parse, self.expects

        def check(path: list[Any], value: Any) -> Any:
            if isinstance(value, str) and search(value):
                # `$` lets one final line feed pass, in the stock validator as well.
                return parse(value.rstrip("\n").upper())
            raise mismatch(path, expects, json_type(value))

        return check

    def from_text(self, text: str) -> Any:
        return text.strip()


DATES: Final[dict[type, DateShape]] = {
    datetime.date: DateShape(
        "date such as 2024-02-29", "date", f"^{_DATE}$", datetime.date.fromisoformat
    ),
    datetime.time: DateShape(
        "time such as 09:30:00 or 09:30:00+02:00",
        "time",
        f"^{_HOUR_MINUTE}(?:{_SECOND})?{_OFFSET}?$",
        datetime.time.fromisoformat,
    ),
    datetime.datetime: DateShape(
        "date and time with an offset, such as 2024-02-29T09:30:00Z",
        "date-time",
        f"^{_DATE}[Tt]{_HOUR_MINUTE}{_SECOND}{_OFFSET}$",
        datetime.datetime.fromisoformat,
    ),
}

"""What the answers have to be: nobody is measured at failing fast, or at saying less."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

from http_bench.post import Answer

from .messages import WrongAnswer
from .servers import inputs

Check = Callable[[list[dict[str, Any]]], bool]
"""Of the messages of an answer: the last is the response."""


def check(answer: Answer, is_right: Check) -> None:
    if answer.status != 200:
        raise WrongAnswer(f"{answer.status}: {answer.body[:300]!r}")
    check_messages(messages(answer), is_right)


def check_messages(said: list[dict[str, Any]], is_right: Check) -> None:
    try:
        right = is_right(said)
    except (LookupError, TypeError):
        right = False
    if not right:
        raise WrongAnswer(json.dumps(said[-1:])[:300])


def messages(answer: Answer) -> list[dict[str, Any]]:
    if answer.headers["content-type"].startswith("application/json"):
        return [json.loads(answer.body)]
    lines = answer.body.decode().splitlines()
    return [json.loads(data) for line in lines if (data := line.removeprefix("data:")) != line]


def says(expected: str) -> Check:
    def is_right(said: list[dict[str, Any]]) -> bool:
        [content] = said[-1]["result"]["content"]
        return bool(content["text"] == expected)

    return is_right


def greets(said: list[dict[str, Any]]) -> bool:
    [message] = said[-1]["result"]["messages"]
    return bool(message["content"]["text"] == "Please greet Ada.")


def has_blob(said: list[dict[str, Any]]) -> bool:
    [contents] = said[-1]["result"]["contents"]
    return base64.b64decode(contents["blob"]) == inputs.BYTES


def lists(count: int) -> Check:
    def is_right(said: list[dict[str, Any]]) -> bool:
        tools = said[-1]["result"]["tools"]
        schemas = [tool["inputSchema"]["properties"] for tool in tools]
        return len(tools) == count and all(
            set(schema) == {"query", "limit", "verbose"} for schema in schemas
        )

    return is_right


def streams(said: list[dict[str, Any]]) -> bool:
    *steps, _ = said
    told = [message["params"]["progress"] for message in steps]
    return told == list(range(1, inputs.STEPS + 1)) and says("done")(said)

"""Where every answer begins."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from .completion import CompletionResponse
from .prompt import PromptResponse
from .resource import ResourceResponse
from .tool import ToolResponse

# Nothing is changed in place, so that one will do for all.
_NOTHING_YET: Final = ToolResponse()


class Response:
    """The builders of answers. Each step returns a new value; nothing is changed in place.

    Response.tool().text("21 degrees").structured({"celsius": 21})
    Response.prompt("A review").user_message("Please review …")
    """

    @staticmethod
    def tool() -> ToolResponse:
        return _NOTHING_YET

    @staticmethod
    def prompt(description: str | None = None) -> PromptResponse:
        return PromptResponse(description)

    @staticmethod
    def resource() -> ResourceResponse:
        return ResourceResponse()

    @staticmethod
    def completion(values: Iterable[str] = ()) -> CompletionResponse:
        return CompletionResponse.of(values)

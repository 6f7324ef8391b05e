"""What all questions to the user share: they are accepted, declined or cancelled."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

from ..errors import ConfigurationError
from ..schema.fields import enum, field
from ..schema.schema import Schema
from .answers import Accepted, Cancelled, Declined
from .ask import Ask


class ElicitationAsk(Ask):
    method: ClassVar[str] = "elicitation/create"

    def read(self, answer: Any) -> Accepted | Declined | Cancelled:
        match _result().validate(answer)["action"]:
            case "accept":
                return self.accepted(answer)
            case "decline":
                return Declined()
        return Cancelled()

    def accepted(self, answer: dict[str, Any]) -> Accepted:
        raise NotImplementedError


@cache
def _result() -> Schema:
    action = field("action", enum("accept", "decline", "cancel"), required=True)
    return Schema.of([action], owner="elicitation/create", extra=True)


def check_message(message: object) -> None:
    if not isinstance(message, str) or not message.strip():
        raise ConfigurationError(
            f"An ask needs a message that tells the user why, as a str, got {message!r}."
        )

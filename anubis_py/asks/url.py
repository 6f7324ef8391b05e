"""Asking the user to open a page."""

from __future__ import annotations

import re
from typing import Any, Final
from urllib.parse import urlsplit

import attrs

from ..errors import ConfigurationError
from .answers import Accepted
from .capabilities import Capabilities
from .elicitation import ElicitationAsk, check_message

_SPACE: Final = re.compile(r"[\s\x00-\x1f\x7f]")


def _check_url(_: UrlAsk, attribute: attrs.Attribute[Any], url: object) -> None:
    if not isinstance(url, str) or not _is_page(url):
        got = "a str that is none" if isinstance(url, str) else type(url).__name__
        raise ConfigurationError(
            f"ask_url needs the absolute URL of a page, such as https://example.com/x, got {got}."
        )
    # client/elicitation, "Safe URL Handling": the client gets to see it, and may log it.
    if "@" in urlsplit(url).netloc:
        raise ConfigurationError("The URL of ask_url holds credentials. Leave them out of it.")


def _is_page(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not _SPACE.search(url)


@attrs.frozen
class UrlAsk(ElicitationAsk):
    message: str = attrs.field(validator=lambda _, __, value: check_message(value))
    url: str = attrs.field(validator=_check_url)

    @property
    def needs(self) -> Capabilities:
        return {"elicitation": {"url": {}}}

    def params(self) -> dict[str, Any]:
        return {"mode": "url", "message": self.message, "url": self.url}

    def accepted(self, answer: dict[str, Any]) -> Accepted:
        # No content belongs to it, and what is there all the same was not asked for.
        return Accepted()


def ask_url(message: str, url: str) -> UrlAsk:
    """Ask the user to open a page, for whatever must not pass through the client: a password,
    a payment, the consent of a third party.

    The answer is `Accepted()` when the user agrees to open it, which is not the end of what
    happens there: find out by yourself, and ask again or say that it is still pending. The page
    must make sure that whoever opens it is the user who was asked. Raises ConfigurationError.
    """
    return UrlAsk(message, url)

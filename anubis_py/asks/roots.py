"""Asking which directories and files the client works on."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar

import attrs

from ..schema.fields import embeds_many, field
from ..schema.schema import Schema
from .answers import Root
from .ask import Ask
from .capabilities import Capabilities


@attrs.frozen
class RootsAsk(Ask):
    method: ClassVar[str] = "roots/list"

    @property
    def needs(self) -> Capabilities:
        return {"roots": {}}

    def params(self) -> dict[str, Any]:
        return {}

    def read(self, answer: Any) -> tuple[Root, ...]:
        roots = _result().validate(answer)["roots"]
        return tuple(Root(root["uri"], root.get("name")) for root in roots)


@cache
def _result() -> Schema:
    root = [field("uri", str, required=True), field("name", str)]
    roots = embeds_many("roots", root, required=True, extra=True)
    return Schema.of([roots], owner="roots/list", extra=True)


def ask_roots() -> RootsAsk:
    """Ask for the client's roots; the answer is a tuple of `Root`.

    They tell what the user works on, and are no access control. The revision 2026-07-28
    deprecates them: prefer an argument that names the file or directory.
    """
    return RootsAsk()

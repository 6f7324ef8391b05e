"""Servers whose tools say what a test wants to hear."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from anubis_py import App, Frame, Response, ServerBehaviour, ToolComponent

LOGGING: Mapping[str, Any] = {"logging": {}}


def saying(
    *words: Callable[[Frame], Any],
    declared: Mapping[str, Any] = LOGGING,
    in_thread: bool = False,
    **settings: Any,
) -> App:
    """An app with the tool `say`, which calls these functions with its frame. What one of them
    gives is the tool's result, and what it raises its failure."""

    def speak(frame: Frame) -> Any:
        results = [word(frame) for word in words]
        return next(filter(None, results), Response.tool().text("said"))

    class Say(ToolComponent):
        name = "say"

        async def execute(self, args: Any, frame: Frame) -> Any:
            return speak(frame)

    class SayInThread(ToolComponent):
        name = "say"

        def execute(self, args: Any, frame: Frame) -> Any:
            return speak(frame)

    class Saying(ServerBehaviour):
        name = "saying"
        version = "1"
        components = (SayInThread if in_thread else Say,)
        capabilities = declared

    return Saying.asgi(**settings)

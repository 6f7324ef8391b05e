"""What a callback may say beside its answer, with the frame that it was given.

These are plain functions, for `def` and `async def` callbacks alike. They never block and never
fail for what the client does: what it has not asked for, or cannot take, is not sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .change import (
    PROMPTS_CHANGED,
    RESOURCES_CHANGED,
    TOOLS_CHANGED,
    Change,
    resource_updated,
)
from .errors import LOG_LEVELS, near_miss

if TYPE_CHECKING:
    from .frame import Frame


def send_progress(
    frame: Frame, progress: float, total: float | None = None, message: str | None = None
) -> None:
    """Tell how far the request is, if the client asked for it with a progress token.

    `progress` has to increase from call to call: what does not is not sent. A client that reads
    slowly gets the latest and not every one.
    """
    if frame.context.exchange is not None and frame.context.progress_token is not None:
        frame.context.exchange.progress(progress, total, message)


def send_log_message(frame: Frame, level: str, data: Any, logger: str | None = None) -> None:
    """Send a log message, if the client asked for messages of this level or a lower one.

    `level` is debug, info, notice, warning, error, critical, alert or emergency; `data` is
    anything that JSON has a form for. The server has to declare the capability `logging`.
    """
    if level not in LOG_LEVELS:
        raise ValueError(f"unknown log level {level!r}.{near_miss(str(level), LOG_LEVELS)}")
    wanted = frame.context.log_level
    if frame.context.exchange is None or wanted is None:
        return
    if LOG_LEVELS.index(level) >= LOG_LEVELS.index(wanted):
        frame.context.exchange.log(level, data, logger)


def send_resource_updated(frame: Frame, uri: str) -> None:
    """Tell everybody who listens to this resource, by its exact URI, that it has changed."""
    _publish(frame, resource_updated(uri))


def send_tools_list_changed(frame: Frame) -> None:
    """Tell everybody who listens that the list of tools has changed."""
    _publish(frame, TOOLS_CHANGED)


def send_prompts_list_changed(frame: Frame) -> None:
    """Tell everybody who listens that the list of prompts has changed."""
    _publish(frame, PROMPTS_CHANGED)


def send_resources_list_changed(frame: Frame) -> None:
    """Tell everybody who listens that the list of resources or of templates has changed."""
    _publish(frame, RESOURCES_CHANGED)


def leave_stream(frame: Frame) -> None:
    """End the connection that waits for the answer, and go on working.

    For work that takes minutes, over a network that does not keep connections open so long: the
    client comes back for what was said meanwhile, and for the answer, as often as it takes. That
    needs revision 2025-11-25 over HTTP, and a client that takes streams; elsewhere it does
    nothing.
    """
    if frame.context.exchange is not None:
        frame.context.exchange.leave_stream()


def _publish(frame: Frame, change: Change) -> None:
    if frame.context.exchange is not None:
        frame.context.exchange.publish(change)

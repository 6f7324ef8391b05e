"""What may change at a server, for those who listen."""

from __future__ import annotations

import attrs


@attrs.frozen(repr=False)
class Change:
    """A change, as it is published: plain data, so that it may cross processes."""

    method: str
    """The notification that tells of it."""
    uri: str | None = None
    """Which resource, where the notification names one."""


TOOLS_CHANGED = Change("notifications/tools/list_changed")
PROMPTS_CHANGED = Change("notifications/prompts/list_changed")
RESOURCES_CHANGED = Change("notifications/resources/list_changed")


def resource_updated(uri: str) -> Change:
    return Change("notifications/resources/updated", uri)

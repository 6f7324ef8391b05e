"""The state of a session, as this process knows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from ...frame import Frame
from ...protocol.revisions import REVISIONS, Revision
from ...sessions.record import Record


@attrs.define(eq=False, repr=False)
class Session:
    """Only who holds the session (`Sessions.hold`) reads and changes it.

    It may be dropped whenever nobody does, and is taken up again from the store. What the store
    cannot keep, such as runtime components, is set up anew then.
    """

    id: str
    record: Record
    """As it was last saved or loaded."""
    frame: Frame
    """Without a context."""
    asked: dict[str, Mapping[str, Any]] = attrs.field(factory=dict)
    """What `record.asked` is to be."""
    log_level: str | None = None
    """What `record.log_level` is to be."""
    client_info: Mapping[str, Any] = attrs.field(factory=dict)
    """What `record.client_info` is to be."""
    initialized: bool = False
    """What `record.initialized` is to be."""
    used: float = 0.0
    """When it was held last."""
    revision: Revision = attrs.field(init=False)
    """What was agreed on, once and for all."""

    def __attrs_post_init__(self) -> None:
        self.revision = REVISIONS[self.record.protocol_version]

    def revert(self) -> None:
        """To what the store has: it did not take what was to be."""
        self.asked = dict(self.record.asked)
        self.log_level = self.record.log_level
        self.client_info = self.record.client_info
        self.initialized = self.record.initialized

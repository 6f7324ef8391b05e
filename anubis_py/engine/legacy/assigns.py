"""The assigns that a transport brings along with a message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from ...frame import Frame


def stripped(after: Frame, before: Frame, transport: Mapping[str, Any]) -> Frame:
    """Without the assigns that came with the message: they travel with their own."""
    if not transport:
        return after
    kept = {
        key: value
        for key, value in after.assigns.items()
        if not (key in transport and value is transport[key])
    }
    kept |= {k: v for k, v in before.assigns.items() if k in transport and k not in kept}
    return attrs.evolve(after, assigns=before.assigns if kept == before.assigns else kept)

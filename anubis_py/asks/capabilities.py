"""What a client must be able to do before it is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

Capabilities: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Capability names, each with the flags below it."""


def lacking(needs: Capabilities, declared: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The part of `needs` that is not declared."""
    missing: dict[str, dict[str, Any]] = {}
    for name, flags in needs.items():
        has = _settings(name, declared)
        if has is None:
            missing[name] = dict(flags)
        elif absent := [flag for flag in flags if not isinstance(has.get(flag), Mapping)]:
            missing[name] = {flag: {} for flag in absent}
    return missing


def _settings(name: str, declared: Mapping[str, Any]) -> Mapping[str, Any] | None:
    settings = declared.get(name)
    if not isinstance(settings, Mapping):
        return None
    # client/elicitation, "Capabilities": an empty object is how forms alone used to be declared.
    return {"form": {}} if name == "elicitation" and not settings else settings


def merged(all_needs: Iterable[Capabilities]) -> dict[str, dict[str, Any]]:
    """All of them as one."""
    together: dict[str, dict[str, Any]] = {}
    for needs in all_needs:
        for name, flags in needs.items():
            together.setdefault(name, {}).update(flags)
    return together

"""What a server says it can do: what it declares, and what its components make true."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import ConfigurationError, near_miss
from ..protocol.revisions import CAPABILITIES

_FLAGS = {"list_changed": "listChanged"}


def declared_capabilities(server: str, declared: Any) -> dict[str, dict[str, Any]]:
    """The author's `capabilities` in wire form. Raises ConfigurationError.

    `{"prompts": {"list_changed": True}, "logging": {}}`; a list of names means without flags.
    """
    if isinstance(declared, str):
        raise ConfigurationError(
            f"{server}: capabilities must be a mapping or a list of names, got {declared!r}."
        )
    if not isinstance(declared, Mapping):
        declared = {name: {} for name in declared}
    return {name: _flags(server, name, settings) for name, settings in declared.items()}


def _flags(server: str, name: str, settings: Any) -> dict[str, Any]:
    if name in ("experimental", "extensions"):
        return dict(settings)
    known = CAPABILITIES.get(name)
    if known is None:
        raise ConfigurationError(
            f"{server}: unknown capability {name!r}.{near_miss(str(name), CAPABILITIES)}"
        )
    if not isinstance(settings, Mapping):
        raise ConfigurationError(
            f"{server}: capability {name!r} takes a mapping of flags, got {settings!r}."
        )
    flags: dict[str, Any] = {_FLAGS.get(str(flag), str(flag)): v for flag, v in settings.items()}
    for flag, value in flags.items():
        if flag not in known or not isinstance(value, bool):
            takes = f"the flags {', '.join(sorted(known))}" if known else "no flags"
            raise ConfigurationError(
                f"{server}: capability {name!r} takes {takes}, got {flag!r}: {value!r}."
            )
    return flags


def with_present(
    declared: Mapping[str, dict[str, Any]], present: Iterable[str]
) -> dict[str, dict[str, Any]]:
    """The declared capabilities and those that components bring."""
    return {**{name: {} for name in present}, **declared}

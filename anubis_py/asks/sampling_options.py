"""The options of `ask_sampling` in wire form. Every function raises ConfigurationError, naming
the option, and gives None for None: not set."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any, Final

from ..components.tool import Tool
from ..errors import ConfigurationError, near_miss
from .json_values import json_fault

_PRIORITIES: Final = {
    "cost_priority": "costPriority",
    "speed_priority": "speedPriority",
    "intelligence_priority": "intelligencePriority",
}
_CONTEXTS: Final = ("none", "thisServer", "allServers")
_CHOICES: Final = ("auto", "required", "none")


def max_tokens(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ConfigurationError(f"max_tokens must be an int above 0, not {value!r}.")
    return value


def optional_text(option: str, value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise ConfigurationError(f"{option} must be a str, not {type(value).__name__}.")


def number(option: str, value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ConfigurationError(f"{option} must be a number, not {value!r}.")
    return value


def include_context(value: object) -> str | None:
    return None if value is None else _one_of("include_context", value, _CONTEXTS)


def tool_choice(value: Any) -> dict[str, Any] | None:
    if value is None:
        return None
    mode = value.get("mode") if isinstance(value, Mapping) and set(value) == {"mode"} else value
    return {"mode": _one_of("tool_choice", mode, _CHOICES)}


def _one_of(option: str, value: object, known: Collection[str]) -> str:
    if isinstance(value, str) and value in known:
        return value
    hint = near_miss(value, known) if isinstance(value, str) else ""
    raise ConfigurationError(f"{option} is one of {', '.join(known)}, not {value!r}.{hint}")


def stop_sequences(value: Any) -> list[str] | None:
    return None if value is None else _texts("stop_sequences", value)


def _texts(option: str, value: Any) -> list[str]:
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        raise ConfigurationError(f"{option} must be a list of str, not {value!r}.")
    return list(value)


def tools(value: Any) -> list[dict[str, Any]] | None:
    if value is None:
        return None
    if not isinstance(value, list | tuple):
        raise ConfigurationError(f"tools must be a list of Tool, not {type(value).__name__}.")
    for tool in value:
        if not isinstance(tool, Tool):
            found = tool.__name__ if isinstance(tool, type) else type(tool).__name__
            raise ConfigurationError(
                f"tools holds {found}, which is no Tool. A component gives its own with "
                "`MyTool().definition()`."
            )
    return [tool.to_wire() for tool in value]


def model_preferences(value: Any) -> dict[str, Any] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise ConfigurationError(
            f"model_preferences must be a mapping, not {type(value).__name__}."
        )
    return dict(_preference(name, preference) for name, preference in value.items())


def _preference(name: Any, value: Any) -> tuple[str, Any]:
    if name == "hints":
        return name, _hints(value)
    wire = _PRIORITIES.get(name, name)
    if wire not in _PRIORITIES.values():
        known = ("hints", *_PRIORITIES)
        raise ConfigurationError(
            f"model_preferences has no {name!r}.{near_miss(str(name), known)} "
            f"Known: {', '.join(known)}."
        )
    priority = number(f"model_preferences[{name!r}]", value)
    if priority is None or not 0 <= priority <= 1:
        raise ConfigurationError(
            f"model_preferences[{name!r}] must be a number from 0 to 1, not {value!r}."
        )
    return wire, priority


def _hints(value: Any) -> list[dict[str, str]]:
    if isinstance(value, list | tuple):
        value = [hint.get("name") if isinstance(hint, Mapping) else hint for hint in value]
    return [{"name": name} for name in _texts("model_preferences['hints']", value)]


def metadata(value: Any) -> dict[str, Any] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise ConfigurationError(f"metadata must be a mapping, not {type(value).__name__}.")
    if fault := json_fault(value, "metadata"):
        raise ConfigurationError(f"{fault}.")
    return dict(value)

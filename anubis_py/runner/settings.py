"""Where a server listens, and how it is run: what is no business of the endpoint itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import attrs

from ..errors import ConfigurationError, near_miss
from ..transports.http.settings import HttpSettings

LOG_LEVELS: Final = ("debug", "info", "warning", "error", "critical")

_Validator: TypeAlias = Callable[[Any, "attrs.Attribute[Any]", Any], None]


def _number(kinds: tuple[type, ...], low: float, high: float, expected: str) -> _Validator:
    def check(instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
        # Not isinstance: True is an int to Python, and a slip in a setting.
        if type(value) not in kinds or not low <= value <= high:
            raise ConfigurationError(f"{attribute.name} is {value!r}: expected {expected}.")

    return check


def _string(instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    if not isinstance(value, str):
        raise ConfigurationError(f"{attribute.name} is {value!r}: expected a string.")


def _file(value: str | os.PathLike[str] | None) -> str | None:
    return None if value is None else os.fspath(value)


def _level(instance: Any, attribute: attrs.Attribute[Any], value: str | None) -> None:
    if value is not None and value not in LOG_LEVELS:
        raise ConfigurationError(f"log_level is {value!r}: expected {', '.join(LOG_LEVELS)}.")


@attrs.frozen(kw_only=True)
class ServingSettings:
    """How one process serves HTTP. A value that cannot be raises ConfigurationError."""

    host: str = attrs.field(default="127.0.0.1", validator=_string)
    """An address, or a name that resolves to one. `0.0.0.0` and `::` are every interface."""
    port: int = attrs.field(default=8000, validator=_number((int,), 0, 65535, "0 to 65535"))
    """0: any that is free."""
    graceful_timeout: float = attrs.field(
        default=2.0, validator=_number((int, float), 0, 86400, "seconds, 0 or more")
    )
    """Seconds that requests in flight may take to end once the server is asked to stop. Those
    who start servers wait 10 s before they kill (Docker); people press Ctrl-C again after 3 s."""
    certfile: str | None = attrs.field(default=None, converter=_file)
    """A file with the TLS certificate chain, in PEM. With it the server speaks HTTPS only, and
    HTTP/2 to clients that ask for it."""
    keyfile: str | None = attrs.field(default=None, converter=_file)
    """A file with the certificate's private key, in PEM; it may be the same file."""

    def __attrs_post_init__(self) -> None:
        # hypercorn would serve plain HTTP without a word.
        for given, missing in (("certfile", "keyfile"), ("keyfile", "certfile")):
            if getattr(self, given) is not None and getattr(self, missing) is None:
                raise ConfigurationError(f"{given} is set without {missing}: TLS needs both.")


@attrs.frozen(kw_only=True)
class RunSettings(ServingSettings):
    """How `run` serves HTTP."""

    workers: int = attrs.field(default=1, validator=_number((int,), 1, 1024, "1 to 1024"))
    """Processes that share the port."""
    log_level: str | None = attrs.field(default=None, validator=_level)
    """Of the loggers below `anubis_py`. None: "info", if nobody has set up logging."""


def split(given: Mapping[str, Any]) -> tuple[RunSettings, dict[str, Any]]:
    """Settings by keyword: those of `run`, and the remaining ones, which are `HttpSettings`'.

    An unknown one raises ConfigurationError.
    """
    own = {attribute.name for attribute in attrs.fields(RunSettings)}
    endpoint = {attribute.name for attribute in attrs.fields(HttpSettings)}
    for name in given:
        if name not in own | endpoint:
            known = sorted(own | endpoint)
            raise ConfigurationError(f"There is no setting {name!r}.{near_miss(name, known)}")
    run = RunSettings(**{name: value for name, value in given.items() if name in own})
    return run, {name: value for name, value in given.items() if name in endpoint}

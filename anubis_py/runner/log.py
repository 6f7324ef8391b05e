"""Logging, for those who have not set it up."""

from __future__ import annotations

import logging

FORMAT = "%(asctime)s [%(process)d] %(levelname)s %(name)s: %(message)s"


def prepare(level: str | None) -> None:
    """Give `anubis_py` a handler, at INFO on stderr, unless anybody has handlers already.

    An explicit level is set in any case.
    """
    log = logging.getLogger("anubis_py")
    if not log.hasHandlers():
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter(FORMAT))
        log.addHandler(handler)
        level = level or "info"
    if level is not None:
        log.setLevel(level.upper())

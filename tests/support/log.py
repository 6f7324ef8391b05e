"""The server's log: what a test expects is taken out of it, and the rest has to be quiet."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager


class ServerLog(logging.Handler):
    """Keeps the records of WARNING and above under `anubis_py`."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)

    def take(self, *parts: str, traceback: bool | None = None) -> str:
        """Take out the one record whose line has all these parts, and give the line."""
        found = [r for r in self.records if all(part in r.getMessage() for part in parts)]
        lines = [record.getMessage() for record in self.records]
        assert len(found) == 1, f"{len(found)} records with {parts}, of {lines}"
        if traceback is not None:
            assert bool(found[0].exc_info) == traceback, f"traceback: {found[0].exc_info}"
        self.records.remove(found[0])
        return found[0].getMessage()

    def clear(self) -> None:
        self.records.clear()

    def check_quiet(self) -> None:
        """No line at ERROR or above, and no traceback."""
        loud = [r for r in self.records if r.levelno >= logging.ERROR or r.exc_info]
        formatter = logging.Formatter("%(levelname)s %(name)s: %(message)s")
        assert not loud, "unexpected in the log:\n" + "\n".join(map(formatter.format, loud))


@contextmanager
def server_log_of(name: str = "anubis_py") -> Iterator[ServerLog]:
    logger, log = logging.getLogger(name), ServerLog()
    logger.addHandler(log)
    try:
        yield log
    finally:
        logger.removeHandler(log)

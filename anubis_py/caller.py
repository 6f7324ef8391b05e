"""Whoever waits for the answer to a request, and may stop waiting."""

from __future__ import annotations

from typing import Protocol

import attrs


class Gone(BaseException):
    """The caller has gone: there is nobody to answer. Like a cancellation, it is no Exception."""


class Scope(Protocol):
    def cancel(self) -> None: ...


@attrs.define(eq=False, repr=False)
class Caller:
    """Its departure cancels the callback that runs.

    A request spends its time in callbacks, each of which has a cancel scope for its deadline.
    So it needs no scope of its own, which would cost more than most of what is done for it.
    """

    scope: Scope | None = None
    """Of the outermost callback that runs; None between callbacks."""
    gone: bool = False

    def leave(self) -> None:
        self.gone = True
        if self.scope is not None:
            self.scope.cancel()

"""Calling an author's callback: on the loop or in a thread, within its deadline, and holding it
to what it may return."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from inspect import CO_COROUTINE
from operator import methodcaller
from typing import Any, Final, TypeAlias

import anyio.to_thread
import attrs

from ..asks.required import fault_in
from ..caller import Gone
from ..errors import McpError, ToolError, internal_error
from ..frame import Frame
from ..outcome import Failure, InputRequired, NoReply, Ok, Reply
from .deadline import cancel_scope

logger = logging.getLogger("anubis_py.server")

Settled: TypeAlias = Reply | NoReply | Failure | InputRequired


# A library that calls sys.exit, as argparse does, must not end the server for everybody.
_FAILURES: Final = (Exception, SystemExit)


# As tuples: a union in isinstance is made anew each time.
_WITHOUT_RESPONSE: Final = (NoReply, Failure)
_OUTCOMES: Final = (Reply, *_WITHOUT_RESPONSE)


to_wire: Final = methodcaller("to_wire")
"""The form of most responses."""


class DeadlineExceeded(Exception):
    """A callback was cancelled because its time was over."""


@attrs.frozen(eq=False, repr=False)
class Contract:
    """What a kind of callback owes."""

    method: str
    """The request method that it serves, for the log."""
    may_return: str
    """For the log, when it returned something else."""
    respond: Callable[[Any], Any]
    """Turns a bare response or a shorthand into a response. Raises TypeError or ValueError."""
    explain: Callable[[str], Any] | None = None
    """Turns a failure into a response that the client's model may read; None: failures are
    protocol errors."""
    nothing: Any = None
    """The response that NoReply stands for; None: nothing is answered."""
    asks: bool = False
    """Whether InputRequired is among what it may return."""


@attrs.define(eq=False, repr=False)
class Call:
    """One call of a callback."""

    contract: Contract
    label: str
    """What is called, for messages: "tool 'add'"."""
    timeout: float | None
    """Seconds; None: no deadline."""
    form: Callable[[Any], Any] | None = None
    """Turns a response into the result on the wire; None: it is one."""

    async def __call__(
        self, function: Callable[..., Any], *arguments: Any, frame: Frame
    ) -> Settled:
        """Run it and settle what it gave. Raises nothing but cancellation."""
        try:
            value = await run(function, *arguments, frame=frame, timeout=self.timeout)
        except McpError as error:
            return Failure(error, frame)
        except DeadlineExceeded:
            late = f"took longer than {self.timeout:g} s"
            self._log(logger.warning, frame, late)
            text = f"The {self.label} {late}."
            return self._fail(frame, text, internal_error(text))
        except ToolError as error:
            if self.contract.explain is not None:
                return self._reply(self.contract.explain(str(error)), frame)
            self._log(logger.exception, frame, "raised ToolError, which only tools may")
        except _FAILURES:
            self._log(logger.exception, frame, "failed")
        else:
            return self._settle(value, frame)
        return self._fail(frame, f"The {self.label} failed.")

    def _settle(self, value: Any, frame: Frame) -> Settled:
        after = value.frame if isinstance(value, _OUTCOMES) else None
        if after is not None and not isinstance(after, Frame):
            found = f"{type(value).__name__} with a frame of type {type(after).__name__}"
            self._log(logger.error, frame, f"returned a {found}; the frame is a Frame or None")
            return self._fail(frame, f"The {self.label} failed.")
        if isinstance(value, _WITHOUT_RESPONSE):
            return self._without_response(value, after or frame)
        if isinstance(value, InputRequired) and self.contract.asks:
            return self._ask(value, frame)
        response = value.response if isinstance(value, Reply) else value
        try:
            response = self.contract.respond(response)
        except (TypeError, ValueError) as error:
            self._log(
                logger.error,
                frame,
                f"returned {_describe(value)} ({error}); it may return {self.contract.may_return}",
            )
            return self._fail(frame, f"The {self.label} failed.")
        return self._reply(response, after or frame)

    def _reply(self, response: Any, frame: Frame) -> Reply:
        return Reply(response if self.form is None else self.form(response), frame)

    def _without_response(self, value: NoReply | Failure, frame: Frame) -> Settled:
        if isinstance(value, NoReply) and self.contract.nothing is not None:
            return self._reply(self.contract.nothing, frame)
        return value if value.frame is not None else attrs.evolve(value, frame=frame)

    def _ask(self, required: InputRequired, frame: Frame) -> Settled:
        if (fault := fault_in(required)) is None:
            return attrs.evolve(required, frame=required.frame or frame)
        self._log(logger.error, frame, f"returned an InputRequired that cannot be sent: {fault}")
        return Failure(internal_error(), frame)

    def _fail(self, frame: Frame, text: str, error: McpError | None = None) -> Settled:
        """No text of an exception leaves the server: only what is called is named, to a model."""
        if self.contract.explain is None:
            return Failure(error or internal_error(), frame)
        return self._reply(self.contract.explain(text), frame)

    def _log(self, write: Callable[..., None], frame: Frame, what: str) -> None:
        write("%s %r: the %s %s", self.contract.method, frame.context.request_id, self.label, what)


def _describe(value: Any) -> str:
    if isinstance(value, Reply):
        return f"Reply of {_describe(value.response)}"
    if isinstance(value, Ok):
        return f"Ok of {_describe(value.frame)}"
    return "None" if value is None else f"a value of type {type(value).__name__}"


async def run(
    function: Callable[..., Any], *arguments: Any, frame: Frame, timeout: float | None
) -> Any:
    """Call a function: `async def` on the loop, `def` in a worker thread.

    Raises DeadlineExceeded after `timeout` seconds, and Gone when the caller leaves. The
    function is then cancelled at its next await; a thread cannot be stopped, so its result is
    dropped when it comes.
    """
    caller = frame.context.caller
    # Behind `handle_request` another callback runs already, whose end is the end of this one.
    outermost = caller.scope is None
    with cancel_scope(timeout) as scope:
        if outermost:
            caller.scope = scope
        try:
            if _is_async(function):
                return await function(*arguments, frame)
            return await _in_thread(function, *arguments, frame)
        finally:
            if outermost:
                caller.scope = None
    raise Gone if caller.gone else DeadlineExceeded


async def _in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    call = partial(_call, function, *arguments)
    (value,) = await anyio.to_thread.run_sync(call, abandon_on_cancel=True)
    return await value if isinstance(value, Awaitable) else value


def _is_async(function: Callable[..., Any]) -> bool:
    # A function says so itself, in a tenth of the time that inspect takes to unwrap what is none.
    code = getattr(function, "__code__", None)
    if code is not None:
        return bool(code.co_flags & CO_COROUTINE) or inspect.iscoroutinefunction(function)
    return inspect.iscoroutinefunction(function)


def _call(function: Callable[..., Any], *arguments: Any) -> tuple[Any]:
    """In a tuple, since trio takes no coroutine from a thread: a plain def may return one, such
    as that of `super().handle_request`."""
    value = function(*arguments)
    # The body of a generator is the author's code too, and must not run on the loop.
    return (tuple(value) if inspect.isgenerator(value) else value,)


async def admit(
    function: Callable[..., Any], *arguments: Any, label: str, frame: Frame, timeout: float | None
) -> Ok:
    """Call a callback that answers `Ok(frame)`. Raises McpError."""
    try:
        value = await run(function, *arguments, frame=frame, timeout=timeout)
    except McpError:
        raise
    except DeadlineExceeded:
        late = f"{label} took longer than {timeout:g} s"
        logger.warning("request %r: %s", frame.context.request_id, late)
        raise internal_error(f"{late}.") from None
    except _FAILURES:
        logger.exception("request %r: %s failed", frame.context.request_id, label)
        raise internal_error() from None
    match value:
        case Ok(Frame()):
            return value
        case Failure(error):
            raise error
    logger.error("%s returned %s; it may return Ok or Failure", label, _describe(value))
    raise internal_error()

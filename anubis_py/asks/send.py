"""Asking a client without waiting for the answer, as Anubis does.

The answer is handed to the server's `handle_sampling`, `handle_elicitation` or `handle_roots`,
after whatever the session does now. Only the handshake revisions can carry such a request: in
the stateless era nothing is sent. `InputRequired` serves the clients of both eras.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .ask import Ask
from .form import ask_form
from .roots import ask_roots
from .sampling import ask_sampling

if TYPE_CHECKING:
    from ..frame import Frame


def send_sampling_request(frame: Frame, messages: Any, **options: Any) -> str | None:
    """Ask for a message of the client's model; the arguments are those of `ask_sampling`.

    Gives the id that `handle_sampling` will be called with. None: nothing was sent, since the
    client has not declared that it can be asked, or takes no requests in this revision. Raises
    ConfigurationError.
    """
    return send_request(frame, ask_sampling(messages, **options))


def send_elicitation_request(frame: Frame, message: str, fields: Any) -> str | None:
    """Ask the user to fill in a form; the arguments are those of `ask_form`. As
    `send_sampling_request`, for `handle_elicitation`."""
    return send_request(frame, ask_form(message, fields))


def send_roots_request(frame: Frame) -> str | None:
    """Ask for the directories that the client works on. As `send_sampling_request`, for
    `handle_roots`."""
    return send_request(frame, ask_roots())


def send_request(frame: Frame, ask: Ask) -> str | None:
    """Ask whatever an `ask_…` function gives, such as `ask_url`. As `send_sampling_request`."""
    exchange = frame.context.exchange
    return None if exchange is None else exchange.ask(ask)

"""Asking the user to fill in a form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from ..schema.compiled import Compiled
from ..schema.faults import Fault, Invalid
from ..schema.member import Field
from ..schema.objects import ObjectShape
from .answers import Accepted
from .capabilities import Capabilities
from .elicitation import ElicitationAsk, check_message
from .form_fields import requested_schema
from .form_schema import form_shape


@attrs.frozen
class FormAsk(ElicitationAsk):
    message: str = attrs.field(validator=lambda _, __, value: check_message(value))
    schema: Mapping[str, Any]
    """The `requestedSchema`, which is all that there is to know of the form."""
    _shape: ObjectShape = attrs.field(init=False, eq=False, repr=False)

    @_shape.default
    def _read_schema(self) -> ObjectShape:
        return form_shape(self.schema)

    @property
    def needs(self) -> Capabilities:
        return {"elicitation": {"form": {}}}

    def params(self) -> dict[str, Any]:
        return {"mode": "form", "message": self.message, "requestedSchema": self.schema}

    def accepted(self, answer: dict[str, Any]) -> Accepted:
        try:
            # A form without a field that must be filled in may come back with nothing.
            return Accepted(Compiled.of(self._shape).validate(answer.get("content", {})))
        except Invalid as invalid:
            faults = [Fault(("content", *f.path), f.message) for f in invalid.faults]
            raise Invalid(faults) from None


def ask_form(message: str, fields: Sequence[Field] | Mapping[str, Any] = ()) -> FormAsk:
    """Ask the user to fill in a form; the answer is `Accepted(content)`, `Declined()` or
    `Cancelled()`.

    `fields` is a list of `field(…)`. A form is flat and knows str (`min_length`, `max_length`, a
    `format` of email, uri, date or date-time), date, datetime, int, float and "number" (`min`,
    `max`), bool, enum of str, and list[enum] (`min`, `max`); an enum of `{value: title}` shows
    the titles. Anything else raises ConfigurationError. Instead of fields, `fields` may be the
    JSON Schema of such a form, which is sent word for word. Without fields it asks for a yes.

    Never ask for a password or a key in a form, which the client can read: see `ask_url`.
    """
    return FormAsk(message, requested_schema(fields))

"""Asking the client's model to write a message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

import attrs

from ..annotations import ROLES, compact
from ..components.tool import Tool
from ..schema.faults import Invalid
from ..schema.fields import enum, field
from ..schema.schema import Schema
from . import sampling_options as options
from .answers import Sampled
from .ask import Ask
from .blocks import block_faults
from .capabilities import Capabilities
from .conversation import content_blocks, messages_to_wire


@attrs.frozen
class SamplingAsk(Ask):
    _params: Mapping[str, Any] = attrs.field(converter=dict)
    """In wire form."""

    method: ClassVar[str] = "sampling/createMessage"

    def params(self) -> dict[str, Any]:
        return dict(self._params)

    @property
    def needs(self) -> Capabilities:
        flags: dict[str, Any] = {}
        if "tools" in self._params or "toolChoice" in self._params:
            flags["tools"] = {}
        if self._params.get("includeContext", "none") != "none":
            flags["context"] = {}
        return {"sampling": flags}

    def read(self, answer: Any) -> Sampled:
        result = _result().validate(answer)
        found = list(content_blocks(result["content"]))
        if faults := [fault for block, path in found for fault in block_faults(block, path)]:
            raise Invalid(faults)
        blocks = [block for block, _ in found]
        return Sampled(result["role"], blocks, result["model"], result.get("stopReason"))


@cache
def _result() -> Schema:
    fields = [
        field("role", enum(*ROLES), required=True),
        field("content", Any, required=True),
        field("model", str, required=True),
        field("stopReason", str),
    ]
    return Schema.of(fields, owner="sampling/createMessage", extra=True)


def ask_sampling(
    messages: str | Sequence[Any],
    *,
    max_tokens: int,
    system_prompt: str | None = None,
    model_preferences: Mapping[str, Any] | None = None,
    include_context: str | None = None,
    temperature: float | None = None,
    stop_sequences: Sequence[str] | None = None,
    tools: Sequence[Tool] | None = None,
    tool_choice: str | Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> SamplingAsk:
    """Ask the client's model for a message; the answer is `Sampled`.

    `messages` is one text of the user's, or a list of `(role, content)`, `PromptMessage`, `Sampled`
    or `{"role": …, "content": …}`, where content is a text, a content block, a mapping in wire form
    (`tool_use` and `tool_result` too), or a list of these. `model_preferences` takes `hints`
    (names of models) and the priorities `cost_priority`, `speed_priority` and
    `intelligence_priority`, from 0 to 1. `tool_choice` is "auto", "required" or "none".

    With `tools` or `tool_choice` the client has to declare `sampling.tools`, with an
    `include_context` other than "none" `sampling.context`. The revision 2026-07-28 deprecates
    sampling: a new server had better call a model by itself. Raises ConfigurationError.
    """
    return SamplingAsk(
        compact(
            messages=messages_to_wire(messages),
            maxTokens=options.max_tokens(max_tokens),
            systemPrompt=options.optional_text("system_prompt", system_prompt),
            modelPreferences=options.model_preferences(model_preferences),
            includeContext=options.include_context(include_context),
            temperature=options.number("temperature", temperature),
            stopSequences=options.stop_sequences(stop_sequences),
            tools=options.tools(tools),
            toolChoice=options.tool_choice(tool_choice),
            metadata=options.metadata(metadata),
        )
    )

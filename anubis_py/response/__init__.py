"""Builders of answers, one a kind of component."""

from .completion import CompletionResponse as CompletionResponse
from .prompt import PromptMessage as PromptMessage
from .prompt import PromptResponse as PromptResponse
from .resource import ResourceResponse as ResourceResponse
from .response import Response as Response
from .tool import UNSET as UNSET
from .tool import ToolResponse as ToolResponse

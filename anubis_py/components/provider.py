"""Providers: one object that offers many components of a kind (Logtalk's way).

What a provider lists is read once when the server is created, to find mistakes early, and again
whenever a list is built or a name is looked up, so that it may change. Listing must be quick: it
runs on the event loop.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import attrs

from ..errors import ConfigurationError
from .component import require_callback
from .definition import Definition
from .prompt import Prompt
from .resource import ReadParams, Resource, ResourceTemplate
from .tool import Tool

if TYPE_CHECKING:
    from ..frame import Frame
    from ..protocol.params import CompletionArgument

D = TypeVar("D", bound=Definition)


class Provider:
    _callbacks: ClassVar[dict[str, tuple[str, ...]]] = {}
    _abstract: ClassVar[bool] = True

    def __init_subclass__(cls, *, abstract: bool = False, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._abstract = abstract
        if not abstract and cls.__module__ != __name__:
            for name, parameters in cls._callbacks.items():
                require_callback(cls, name, parameters)

    def definitions(self) -> Iterable[Definition]:
        raise NotImplementedError

    def _expect(self, offered: Iterable[Any], *kinds: type[D]) -> Iterable[D]:
        for definition in offered:
            if not isinstance(definition, kinds):
                names = " or ".join(kind.__name__ for kind in kinds)
                raise ConfigurationError(
                    f"{type(self).__name__} offers a {type(definition).__name__}: "
                    f"it may offer {names}."
                )
            yield definition


def _completer(provider: Any, base: type, key: str) -> Any:
    written = type(provider).complete is not base.complete  # type: ignore[attr-defined]
    return partial(provider.complete, key) if written else None


class PromptProvider(Provider, abstract=True):
    """Offers prompts: write `prompts` and `prompt_get`."""

    _callbacks: ClassVar[dict[str, tuple[str, ...]]] = {
        "prompts": (),
        "prompt_get": ("name", "args", "frame"),
    }

    def prompts(self) -> Iterable[Prompt]:
        """The prompts on offer: `Prompt(name, description, arguments, title=…)` each."""
        raise NotImplementedError

    def prompt_get(self, name: str, args: Any, frame: Frame) -> Any:
        """Generate the messages of one. The contract is `PromptComponent.get_messages`'s."""
        raise NotImplementedError

    def complete(self, name: str, argument: CompletionArgument, frame: Frame) -> Any:
        """Suggest values for an argument of the prompt; as `PromptComponent.complete`."""
        raise NotImplementedError

    def definitions(self) -> Iterable[Prompt]:
        for prompt in self._expect(self.prompts(), Prompt):
            yield attrs.evolve(
                prompt,
                handler=partial(self.prompt_get, prompt.name),
                completer=_completer(self, PromptProvider, prompt.name),
            )


class ToolProvider(Provider, abstract=True):
    """Offers tools: write `tools` and `tool_call`."""

    _callbacks: ClassVar[dict[str, tuple[str, ...]]] = {
        "tools": (),
        "tool_call": ("name", "args", "frame"),
    }

    def tools(self) -> Iterable[Tool]:
        """The tools on offer: `Tool(name, description, input_schema, …)` each."""
        raise NotImplementedError

    def tool_call(self, name: str, args: Any, frame: Frame) -> Any:
        """Do the work of one. The contract is `ToolComponent.execute`'s."""
        raise NotImplementedError

    def definitions(self) -> Iterable[Tool]:
        for tool in self._expect(self.tools(), Tool):
            yield attrs.evolve(tool, handler=partial(self.tool_call, tool.name))


class ResourceProvider(Provider, abstract=True):
    """Offers resources and templates: write `resources` and `resource_read`."""

    _callbacks: ClassVar[dict[str, tuple[str, ...]]] = {
        "resources": (),
        "resource_read": ("uri", "params", "frame"),
    }

    def resources(self) -> Iterable[Resource | ResourceTemplate]:
        """The resources on offer: `Resource(name, uri=…)` or `ResourceTemplate(name,
        uri_template=…)` each."""
        raise NotImplementedError

    def resource_read(self, uri: str, params: ReadParams, frame: Frame) -> Any:
        """Give the contents of one. The contract is `ResourceComponent.read`'s."""
        raise NotImplementedError

    def complete(self, uri_template: str, argument: CompletionArgument, frame: Frame) -> Any:
        """Suggest values for a variable of the template; as `ResourceComponent.complete`."""
        raise NotImplementedError

    def definitions(self) -> Iterable[Resource | ResourceTemplate]:
        kinds: tuple[type[Any], ...] = (Resource, ResourceTemplate)
        for resource in self._expect(self.resources(), *kinds):
            completer = None
            if isinstance(resource, ResourceTemplate):
                completer = _completer(self, ResourceProvider, resource.key)
            yield attrs.evolve(resource, handler=self._read, completer=completer)

    def _read(self, params: ReadParams, frame: Frame) -> Any:
        return self.resource_read(params.uri, params, frame)

"""Resources: what a client may read, each by its URI or by a template for many."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, ClassVar, Final

import attrs

from ..annotations import Annotations, as_annotations
from ..errors import ConfigurationError
from .component import Component, declared
from .definition import Definition, optional_text

if TYPE_CHECKING:
    from ..frame import Frame
    from ..protocol.params import CompletionArgument
    from .uri_template import UriTemplate

# RFC 3986, section 3.1: a URI begins with its scheme. The rest stays the author's affair.
_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S*")


def _uri(resource: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    if not isinstance(value, str) or not _URI.fullmatch(value):
        raise ConfigurationError(
            f"A resource's {attribute.name} begins with a scheme, such as 'notes:///', "
            f"and has no white space, got {value!r}."
        )


def _template(value: Any, owner: str = "resource") -> UriTemplate:
    # Imported by those who have templates: most servers have none.
    from .uri_template import UriTemplate

    return value if isinstance(value, UriTemplate) else UriTemplate.parse(value, owner=owner)


def _annotations(value: Any, resource: _Readable) -> Annotations | None:
    try:
        return as_annotations(value)
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"resource {resource.name!r}: {error}") from None


def _size(resource: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise ConfigurationError(
            f"{resource.label}: size must be an integer of bytes, got {type(value).__name__}."
        )


class ReadParams(dict[str, str]):
    """The variables of the template, decoded once, by name; and the URI as the client sent it."""

    __slots__ = ("uri",)

    def __init__(self, uri: str, variables: dict[str, str]) -> None:
        super().__init__(variables)
        self.uri = uri


@attrs.frozen(kw_only=True, eq=False, repr=False)
class _Readable(Definition):
    mime_type: str | None = attrs.field(default=None, validator=optional_text)
    annotations: Annotations | None = attrs.field(
        default=None,
        converter=attrs.Converter(_annotations, takes_self=True),  # type: ignore[misc, call-overload]
    )

    def to_wire(self) -> dict[str, Any]:
        wire = super().to_wire()
        if self.mime_type is not None:
            wire["mimeType"] = self.mime_type
        if self.annotations is not None:
            wire["annotations"] = self.annotations.to_wire()
        return wire


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Resource(_Readable):
    """A resource as a server offers it: `Resource("today", uri="notes:///today")`."""

    wire_type: ClassVar = "Resource"

    uri: str = attrs.field(validator=_uri)
    size: int | None = attrs.field(default=None, validator=_size)
    """In bytes, if known."""

    @property
    def key(self) -> str:
        return self.uri

    def to_wire(self) -> dict[str, Any]:
        wire = {"uri": self.uri, **super().to_wire()}
        if self.size is not None:
            wire["size"] = self.size
        return wire


@attrs.frozen(kw_only=True, eq=False, repr=False)
class ResourceTemplate(_Readable):
    """A family of resources as a server offers it, by an RFC 6570 template to level 3."""

    wire_type: ClassVar = "ResourceTemplate"

    uri_template: UriTemplate = attrs.field(converter=_template)

    @property
    def key(self) -> str:
        return self.uri_template.template

    @property
    def label(self) -> str:
        return f"resource template {self.key!r}"

    def to_wire(self) -> dict[str, Any]:
        return {"uriTemplate": self.uri_template.template, **super().to_wire()}


class ResourceComponent(Component, abstract=True):
    """A resource, or with a template many: give it a `uri` or a `uri_template`, write `read`."""

    uri: str | None = None
    uri_template: str | None = None
    """An RFC 6570 template to level 3, such as `notes:///{day}`."""
    mime_type: str | None = None
    size: int | None = None
    """In bytes, if known; with `uri` only."""
    annotations: Any = None
    """`Annotations`, or a mapping: audience, priority, last_modified."""

    _callback: ClassVar[str] = "read"
    _parameters: ClassVar[tuple[str, ...]] = ("params", "frame")

    def __init_subclass__(cls, *, abstract: bool = False, **kwargs: Any) -> None:
        super().__init_subclass__(abstract=abstract, **kwargs)
        if not abstract and (cls.uri is None) == (cls.uri_template is None):
            found = "neither" if cls.uri is None else "both"
            raise ConfigurationError(
                f"{cls.__name__} needs either uri or uri_template, and has {found}."
            )
        if not abstract and isinstance(cls.uri_template, str):
            _template(cls.uri_template, owner=cls.__name__)

    def read(self, params: ReadParams, frame: Frame) -> Any:
        """Give the contents. Runs for every resources/read of the URI, or of one that matches.

        `params` holds the variables of the template, decoded once; `params.uri` is the URI as
        the client sent it. May return `Reply(response, frame)`, a bare `Response.resource()…`,
        `NoReply()` for one empty text, `InputRequired(…)` to ask the client first, or
        `Failure(error)`. Raise `ResourceNotFound(params.uri)` where there is no such thing: a
        later template may then match. Any other exception but McpError is logged and answers
        "Internal error". As `def` it runs in a worker thread; as `async def` on the loop, where
        cancelling raises at its next await.
        """
        raise NotImplementedError

    def complete(self, argument: CompletionArgument, frame: Frame) -> Any:
        """Suggest values for the variable of the template that is being typed, the best first.

        The contract is that of `PromptComponent.complete`.
        """
        raise NotImplementedError

    def definition(self, name: str | None = None) -> Resource | ResourceTemplate:
        """This resource as a list shows it now."""
        described = {
            "name": name or declared(self, "name"),
            "mime_type": declared(self, "mime_type"),
            "annotations": declared(self, "annotations"),
            "handler": self.read,
            **self._describe(),
        }
        uri, template = declared(self, "uri"), declared(self, "uri_template")
        if template is None:
            return Resource(uri=uri, size=declared(self, "size"), **described)
        completer = None if type(self).complete is ResourceComponent.complete else self.complete
        return ResourceTemplate(uri_template=template, completer=completer, **described)

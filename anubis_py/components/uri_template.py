"""URI templates, read in both directions: from values to a URI, and from a URI to values.

RFC 6570 defines the first direction. It leaves the second to others (section 1.4), so these
are the rules here. A URI is matched in its encoded form and as a whole; then each value is
percent-decoded, once. Literals are compared as they are written, case included; only the hex
digits of an escape may differ in case, and a letter outside ASCII is the same as its escape.

- `{name}` takes one or more characters, up to `/`, `?` or `#`; what it decodes to is one
  segment. `{.name}` and `{/name}` are the same after a dot or a slash.
- `{+path}` crosses `/`, up to `#`; and up to `?` if the template goes on with a query.
- After a `?` or `#` of the template, as in `?q={q}` and in `{#name}`, a value is free text up
  to `#` (and `&`, if it is not `{+q}` or `{#q}`), and may be empty.
- `{?a,b}`, `{&a,b}` and `{;a,b}` may come in any order or be absent. A parameter that the
  template does not name, or one that comes twice, is no match.
- Where two readings are possible, the earlier variable takes all that it can, and later ones
  do not contain the literal written before them: `archive.tar.gz` is (`archive.tar`, `gz`)
  for `{name}.{format}`.

Whatever leads out of a directory is no match, however it is encoded: `/`, `\\`, `.` and `..`
for a segment (`a%2Fb` too, since it decodes to `a/b`), a `..` segment or an absolute path for
`{+path}`, and NUL anywhere. Free text is not a path: a handler that makes one of it, checks it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import attrs

from ..errors import ConfigurationError
from .uri_pattern import Capture, compile_pattern, elements_of
from .uri_syntax import Part, encode, parse_parts, variables_of

# RFC 9110, section 4.1: "It is RECOMMENDED that all senders and recipients support, at a
# minimum, URIs with lengths of 8000 octets". Nothing longer is looked at.
_LONGEST_URI: Final = 8192


@attrs.frozen
class UriTemplate:
    """An RFC 6570 template up to level 3, compiled once by `parse`."""

    template: str
    variables: tuple[str, ...]
    _parts: tuple[Part, ...] = attrs.field(repr=False, eq=False)
    _captures: tuple[Capture, ...] = attrs.field(repr=False, eq=False)
    _pattern: re.Pattern[str] = attrs.field(repr=False, eq=False)

    @classmethod
    def parse(cls, text: str, *, owner: str) -> UriTemplate:
        """Raises ConfigurationError, which names `owner`, what was found, and the fix."""
        try:
            parts = tuple(parse_parts(text))
            variables = variables_of(parts)
            elements = elements_of(parts)
            pattern = compile_pattern(elements)
        except ConfigurationError as bad:
            raise ConfigurationError(f"{owner}: URI template {text!r}: {bad}") from None
        captures = tuple(element for element in elements if not isinstance(element, str))
        return cls(text, variables, parts, captures, pattern)

    def match(self, uri: str) -> dict[str, str] | None:
        """The decoded value of each variable, or None if `uri` is none of this template's.

        A malformed escape, one that is not UTF-8, and a value that leads out of its directory
        are no match either: to the client, such a resource does not exist. Parameters that are
        absent from the URI are absent from the result. The time it takes is in proportion to
        the length of the URI, whatever that contains.
        """
        found = self._pattern.fullmatch(uri) if len(uri) <= _LONGEST_URI else None
        if found is None:
            return None
        result: dict[str, str] = {}
        for capture, raw in zip(self._captures, found.groups(), strict=True):
            values = capture.read(raw)
            if values is None:
                return None
            result |= values
        return result

    def expand(self, values: Mapping[str, str]) -> str:
        """The URI for these values, encoded as RFC 6570 says: what has no value is left out."""
        return "".join(
            encode(part) if isinstance(part, str) else part.expand(values) for part in self._parts
        )

"""Where a message ends: at a line feed, and at nothing else that some call a line break."""

from __future__ import annotations

from typing import Final

import attrs

Line = bytes | None
"""None stands for a line that is over the limit."""

# Windows ends lines with CR LF; to JSON a CR beside a message is white space.
BLANK: Final = b" \t\r"


@attrs.define(eq=False, repr=False)
class Lines:
    """Cuts bytes into lines, the same ones however the bytes arrive.

    It works on bytes, since U+2028, U+0085, a form feed or a lone carriage return may stand in
    the middle of a message, and since a read may end within a character. Blank lines are left
    out. No more than `limit` bytes of a line are kept.
    """

    limit: int
    _kept: bytearray = attrs.field(factory=bytearray, init=False)
    """What has come of the line that has not ended yet."""
    _over: bool = attrs.field(default=False, init=False)
    """Whether that line is over the limit: then the rest of it is dropped."""

    def feed(self, data: bytes) -> list[Line]:
        """The lines that end in this data; one over the limit is told of as soon as it is."""
        lines: list[Line] = []
        *ends, rest = data.split(b"\n")
        for piece in ends:
            if self._kept or self._over or len(piece) > self.limit:
                self._keep(piece, lines)
                self._end(lines)
            elif piece.strip(BLANK):
                lines.append(piece)
        if rest:
            self._keep(rest, lines)
        return lines

    def finish(self) -> list[Line]:
        """There is no more data: the last line may lack its end."""
        lines: list[Line] = []
        self._end(lines)
        return lines

    def _keep(self, piece: bytes, lines: list[Line]) -> None:
        if self._over:
            return
        if len(self._kept) + len(piece) > self.limit:
            self._over = True
            self._kept.clear()
            lines.append(None)
        else:
            self._kept += piece

    def _end(self, lines: list[Line]) -> None:
        if self._kept.strip(BLANK):
            lines.append(bytes(self._kept))
        self._kept.clear()
        self._over = False

"""Texts that are dates, left as texts.

The answer to a form may be read in another process than the one that asked, which knows only
what was sent: it cannot tell a field that was declared as a date from a text of that format.
"""

from __future__ import annotations

from typing import Final

import attrs

from ..schema.dates import DATES
from ..schema.scalars import StringShape


@attrs.frozen
class DatedText(StringShape):
    words: str = ""
    """What is expected, in a sentence."""

    @property
    def expects(self) -> str:
        return self.words + self.lengths.phrase("character")


DATED: Final = {
    # `$` lets one final line feed pass. This pattern is not sent, so it may say what is meant.
    date.format: DatedText(
        pattern=date.pattern.removesuffix("$") + r"\Z", format=date.format, words=date.expects
    )
    for date in DATES.values()
}

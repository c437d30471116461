"""Regular expressions that are compiled when they are first used.

To compile a long one takes longer than to read many replies with it, and one audit needs few.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any, cast


def expression(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, later.

    >>> expression("[0-9]+").findall("1 of 20")
    ['1', '20']
    >>> expression("(").pattern  # what is wrong with it is told when it is used
    '('
    """
    return cast("re.Pattern[str]", Expression(pattern, flags))


class Expression:
    """A pattern that turns into what `re.compile` makes of it."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern, self._flags = pattern, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:
        """A method of the compiled expression, which takes its place here: it is found at once."""
        found = vars(self)[name] = getattr(self._compiled, name)
        return found

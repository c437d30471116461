"""Numbers and their nouns as sentences say them, in one way wherever a sentence has one."""

from __future__ import annotations

import re

NARROW = "\u202f"
"""Narrow no-break space, between a number and its unit."""


class OneLine:
    """A result that a prompt shows in the line that is its text; a notebook does too."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"


def percent(share: float, digits: int = 0) -> str:
    """A share in percent.

    >>> percent(0.531), percent(0.531, 1)
    ('53\\u202f%', '53.1\\u202f%')
    """
    return f"{100 * share:.{digits}f}{NARROW}%"


def plural(n: int, noun: str, said: str = "") -> str:
    """A count with its noun, and what is said of them, given as for several.

    >>> plural(1, "item"), plural(1200, "reply"), plural(1, "row", "are left out")
    ('1 item', '1,200 replies', '1 row is left out')
    """
    several = "people" if noun == "person" else re.sub(r"(?<=[^aeiou])ys$", "ies", f"{noun}s")
    return f"{n:,} {noun if n == 1 else several} {agreeing(n, said)}".rstrip()


def these(n: int, noun: str) -> str:
    """The things that were counted.

    >>> these(1, "item"), these(1200, "item")
    ('this item', 'these 1,200 items')
    """
    return f"this {noun}" if n == 1 else f"these {plural(n, noun)}"


_REGULAR = "come|count|differ|equal|exceed|give|lack|make|repeat|replace|serve|state"
_SINGULAR = {
    "have": "has",
    "were": "was",
    "are": "is",
    "go": "goes",
    **{verb: f"{verb}s" for verb in _REGULAR.split("|")},
}
_VERB = re.compile(rf"\b({'|'.join(_SINGULAR)})\b")


def some_of(n: int, whole: int, noun: str, said: str = "") -> str:
    """How many of how many things, and what is said of them, given as for several.

    >>> some_of(1, 1, "item", "have no gold"), some_of(1, 40, "prompt", "were not asked")
    ('1 of 1 item has no gold', '1 of 40 prompts was not asked')
    >>> some_of(2, 40, "item", "lack a reply"), some_of(0, 1200, "answer")
    ('2 of 40 items lack a reply', '0 of 1,200 answers')
    """
    return f"{n:,} of {plural(whole, noun)} {agreeing(n, said)}".rstrip()


def agreeing(n: int, said: str) -> str:
    """What is said of so many things, given as for several.

    >>> agreeing(1, "have no gold"), agreeing(2, "have no gold")
    ('has no gold', 'have no gold')
    """
    return _VERB.sub(lambda verb: _SINGULAR[verb[0]], said) if n == 1 else said

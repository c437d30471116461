"""What the readers of replies to several problems share: names of answers, and their places."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import json_repair
import orjson

from horsesense.items.item import normalised
from horsesense.models.messages import Response
from horsesense.readers.reading import Reading

_THINKING = re.compile(
    r"<(think|thinking|thought|thoughts|reasoning|analysis|scratchpad|reflection)>.*?(?:</\1>|\Z)"
    r"|\A.*</(?:think|thinking|thought|reasoning)>"
    r"|<\|channel\|>analysis.*?(?:(?=<\|channel\|>final)|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_CLOSES = re.compile(r"</\w+>\s*\Z")
_NEGATED = re.compile(r"\b(?:not|never|neither|nor|isn't|aren't|no)\b|n't\b", re.IGNORECASE)


def without_thinking(text: str) -> str:
    """The reply with marked-up thinking blanked out, every other character at its place."""
    if "<" not in text:
        return text
    return _THINKING.sub(lambda m: " " * len(m[0]), text)


def no_text(response: Response) -> Reading:
    """The reading of a reply that is white space, or a thought and nothing else."""
    thought = bool(response.text.strip())
    cut = thought and (response.finish_reason == "length" or not _CLOSES.search(response.text))
    return Reading("truncated" if cut else "empty", rule="thought_alone" if thought else "empty")


def repaired(text: str) -> Any:
    """A JSON value, mended where it is broken; None where nothing can be made of it."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    try:
        return json_repair.loads(text)
    except (ValueError, RecursionError):  # nested deeper than the mending goes
        return None


def number_of(text: str) -> int | None:
    """A whole number written in digits; None for anything else. Beyond ten digits it is cut.

    >>> number_of(" 007 "), number_of("x"), number_of("9" * 5000)
    (7, None, 9999999999)
    """
    digits = text.strip()
    return int(digits.lstrip("0")[:10] or "0") if digits.isdecimal() else None


INDEX_KEYS: Final = ("index", "number", "id", "line", "text", "item", "no", "nr", "problem")
"""Keys of JSON objects that hold the number of a problem."""


class Mention(NamedTuple):
    """A label in a text: which, and where."""

    position: int
    start: int
    end: int


class Names:
    """The names that answers can have: labels of a task, or letters.

    Labels may hold each other ("acceptable", "unacceptable"): only whole words count, the longest
    first. "Sci/Tech", "sci-tech" and "Sci Tech" are the same.
    """

    def __init__(self, names: Sequence[str], letters: bool) -> None:
        self.names = tuple(names)
        self.letters = letters
        self._positions = {normalised(name): position for position, name in enumerate(names)}
        self._exact = {name: self._positions[normalised(name)] for name in names}
        longest = sorted(range(len(names)), key=lambda position: -len(names[position]))
        forms = "|".join(f"(?P<s{position}>{_loose(names[position])})" for position in longest)
        if letters:
            # A letter must be set off, or it is an article or a pronoun.
            end = r"(?=\s*[.):\]*\"'|]|\s*$|\s*[,;])"
            pattern = rf"(?:^|(?<=[\s(\[*\"':|]))(?:{forms})(?<=[A-Z]){end}"
            self._pattern = re.compile(pattern, re.MULTILINE)
        else:
            self._pattern = re.compile(rf"(?<![\w]){'(?:' + forms + ')'}(?![\w])", re.IGNORECASE)

    def whole(self, text: str) -> int | None:
        """The position that a text names and says nothing else; None otherwise."""
        if self.letters:
            bare = text.strip(" \t.()[]*\"'`:,|")
            return self.names.index(bare.upper()) if bare.upper() in self.names else None
        exact = self._exact.get(text)
        return self._positions.get(normalised(text)) if exact is None else exact

    def mentions(self, text: str, start: int = 0) -> list[Mention]:
        """All mentions in order."""
        found = []
        for match in self._pattern.finditer(text, start):
            position = int((match.lastgroup or "s0")[1:])
            found.append(Mention(position, match.start(), match.end()))
        return found


@lru_cache(maxsize=256)
def names_of(names: tuple[str, ...], letters: bool) -> Names:
    return Names(names, letters)


def negated(text: str) -> bool:
    """Whether a line denies something: what it names is then not simply its answer."""
    return bool(_NEGATED.search(text))


def _loose(name: str) -> str:
    """A pattern for a name with any of space, slash, hyphen or underscore between its parts."""
    parts = [re.escape(part) for part in re.split(r"[\s/_-]+", name.strip()) if part]
    return r"[\s/_-]*".join(parts) or re.escape(name)

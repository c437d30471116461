"""What the readers of replies to several problems share: names of answers, and their places."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple

import orjson

from horsesense.items.item import to_the_letter
from horsesense.models.messages import Response
from horsesense.readers.reading import Reading, Status
from horsesense.readers.text import LIKELY, TextReader

_THOUGHTS: Final = (
    *("think", "thinking", "thought", "thoughts"),
    *("reasoning", "analysis", "scratchpad", "reflection"),
    *("work", "plan", "planning"),
)
"""Tags that thinking is marked up with."""
_CHANNEL: Final = (
    r"<\|channel\|>(?:analysis|commentary).*?(?:<\|channel\|>final(?:<\|message\|>)?|\Z)"
    r"|<\|(?:start|im_start)\|>\s?assistant\b(?:<\|channel\|>final(?:<\|message\|>)?)?"
    r"|<\|channel\|>final(?:<\|message\|>)?|<\|(?:return|end|im_end)\|>"
)
_WRAPPERS: Final = ("output", "final", "response", "result", "solution")
"""Tags around an answer, which say nothing themselves."""
_CLOSES = re.compile(r"</\w+>\s*\Z")
_NEGATED = re.compile(r"\b(?:not|never|neither|nor|isn't|aren't|no)\b|n't\b", re.IGNORECASE)


_BRACKET = re.compile(r"[\[\]{}]")
_DEEPEST: Final = 100
"""Brackets within each other up to which broken JSON is mended: mending more takes long."""


def without_thinking(text: str, answers: Sequence[str] = ()) -> str:
    """The reply with marked-up thinking blanked out, every other character at its place.

    A tag that is one of the `answers` is an answer where nothing closes it.

    >>> without_thinking("<think>no</think>yes").strip(), without_thinking("<think>no").strip()
    ('yes', '')
    >>> without_thinking("<think>", ("<b>", "<think>"))
    '<think>'
    """
    if "<" not in text:
        return text
    tags = frozenset(answer.strip().casefold() for answer in answers if answer[:1] == "<")
    return _thinking(tags).sub(lambda m: " " * len(m[0]), text)


@lru_cache(maxsize=64)
def _thinking(answers: frozenset[str]) -> re.Pattern[str]:
    """What thinking looks like where some tags are answers themselves."""
    free = [name for name in _THOUGHTS if f"</{name}>" not in answers]
    parts = [rf"<({'|'.join(free)})>.*?</\1>"] if free else []
    unclosed = [name for name in free if f"<{name}>" not in answers]
    parts += [rf"<(?:{'|'.join(unclosed)})>.*\Z"] if unclosed else []
    unopened = [name for name in free if name in ("think", "thinking", "thought", "reasoning")]
    parts += [rf"\A.*</(?:{'|'.join(unopened)})>"] if unopened else []
    wraps = [name for name in _WRAPPERS if not {f"<{name}>", f"</{name}>"} & answers]
    parts += [rf"</?(?:{'|'.join(wraps)})>"] if wraps else []
    return re.compile("|".join([*parts, _CHANNEL]), re.DOTALL | re.IGNORECASE)


def no_text(response: Response) -> Reading:
    """The reading of a reply that is white space, or a thought and nothing else."""
    thought = bool(response.text.strip())
    cut = thought and (response.finish_reason == "length" or not _CLOSES.search(response.text))
    return Reading("truncated" if cut else "empty", rule="thought_alone" if thought else "empty")


def nothing(
    reader: TextReader,
    response: Response,
    names: Names,
    rule: str,
    guesses: tuple[Status, ...] = ("answer", "unclear"),
) -> Reading:
    """A reply that answers no problem: refused, empty, cut off, or about something else."""
    labels = names.names if names.letters else ()
    found = reader.read(response.text, names.names, labels, finish_reason=response.finish_reason)
    guess = found.status in guesses or found.confidence < LIKELY
    status = "illegal" if guess else found.status
    return Reading(status, (), f"{rule}_{found.rule}", found.span, found.confidence)


def object_in(text: str) -> tuple[Any, int, int]:
    """What stands between the first brace and the last as a JSON value, and where; None if nothing.

    >>> object_in('So: {"answer": "B"}.')
    ({'answer': 'B'}, 4, 19)
    """
    start, end = text.find("{"), text.rfind("}") + 1
    return repaired(text[start:end]) if 0 <= start < end else None, start, end


def repaired(text: str) -> Any:
    """A JSON value, mended where it is broken; None where nothing can be made of it."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        pass
    if _depth(text) > _DEEPEST:
        return None
    import json_repair  # few replies need it

    try:
        return json_repair.loads(text)
    except (ValueError, RecursionError):  # nested deeper than the mending goes
        return None


def _depth(text: str) -> int:
    """How many brackets are open within each other at most, those in strings counted too."""
    depth = deepest = 0
    for sign in _BRACKET.finditer(text):
        depth = depth + 1 if sign[0] in "[{" else max(depth - 1, 0)
        deepest = max(deepest, depth)
    return deepest


def number_of(text: str) -> int | None:
    """A whole number written in digits; None for anything else. Beyond ten digits it is cut.

    >>> number_of(" 007 "), number_of("x"), number_of("9" * 5000)
    (7, None, 9999999999)
    """
    digits = text.strip()
    return int(digits.lstrip("0")[:10] or "0") if digits.isdecimal() else None


INDEX_KEYS: Final = ("index", "number", "id", "line", "text", "item", "no", "nr", "problem")
"""Keys of JSON objects that hold the number of a problem."""


class ProblemMention(NamedTuple):
    """A label in a text, or the answer to a problem: which label, and where it stands."""

    position: int
    start: int
    end: int


class Names:
    """The names that answers can have: labels of a task, or letters.

    Labels may hold each other ("acceptable", "unacceptable"; "C", "C++"): only whole words count,
    the longest first. "Sci/Tech", "sci-tech" and "Sci Tech" are the same, but what is written to
    the letter comes before what is so but for case, and that before what is so but for layout; a
    form that several labels have names none of them.
    """

    def __init__(self, names: Sequence[str], letters: bool) -> None:
        self.names = tuple(names)
        self.letters = letters
        self.longest = max(map(len, self.names), default=0)
        self._levels = [(key, _places(names, key)) for key in (str, str.casefold, _without_layout)]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        longest = sorted(range(len(self.names)), key=lambda position: -len(self.names[position]))
        forms = "|".join(f"(?P<s{place}>{_loose(self.names[place])})" for place in longest)
        if self.letters:
            # A letter must be set off, or it is an article or a pronoun.
            end = r"(?=\s*[.):\]*\"'|]|\s*$|\s*[,;])"
            pattern = rf"(?:^|(?<=[\s(\[*\"':|]))(?:{forms})(?<=[A-Z]){end}"
            return re.compile(pattern, re.MULTILINE)
        # A number must not be a part of a longer one.
        ends = r"(?<!\w)(?<!\d[.,](?=\d))", r"(?!\w)(?!(?<=\d)[.,]\d)"
        return re.compile(rf"{ends[0]}(?:{forms}){ends[1]}", re.IGNORECASE)

    def whole(self, text: str) -> int | None:
        """The position that a text names and says nothing else; None otherwise.

        >>> names = names_of(("C", "C++", "<=50K", ">50K"), False)
        >>> [names.whole(text) for text in ("C", "**c++**", "- >50k", "50K")]
        [0, 1, 3, None]
        """
        if self.letters:
            bare = text.strip(" \t.()[]*\"'`:,|")
            return self.names.index(bare.upper()) if bare.upper() in self.names else None
        if len(text) > 2 * self.longest + _MARKS_AROUND:
            return None
        forms = tuple(dict.fromkeys(_unwrapped(text)))
        for key, places in self._levels:
            for form in forms:
                if (position := places.get(key(form))) is not None:
                    return position
        return None

    def says(self, text: str) -> bool:
        """Whether a text is one of the names to the letter."""
        return to_the_letter(text) in self._levels[0][1]

    def mentions(self, text: str, start: int = 0) -> list[ProblemMention]:
        """All mentions in order."""
        found = []
        for match in self._pattern.finditer(text, start):
            position = int((match.lastgroup or "s0")[1:])
            found.append(ProblemMention(position, match.start(), match.end()))
        return found


@lru_cache(maxsize=256)
def names_of(names: tuple[str, ...], letters: bool) -> Names:
    return Names(names, letters)


def negated(text: str) -> bool:
    """Whether a line denies something: what it names is then not simply its answer."""
    return bool(_NEGATED.search(text))


_BULLET = re.compile(r"(?:[-*•–—>|#]+\s+)+")
_MARKS_AROUND: Final = 100
"""Characters of marks and spaces around a name and within it."""
_EMPHASIS: Final = " \t*_`"
_FINAL: Final = frozenset(".,;:!?")
_AROUND: Final = " \t*_`\"'“”‘’()[]{}|"


def _unwrapped(text: str) -> Iterator[str]:
    """A text, and what it is without a bullet, the marks around it, and those at its end."""
    text = to_the_letter(text)
    yield text
    text = _BULLET.sub("", text, count=1) if _BULLET.match(text) else text
    yield text
    bare = text
    for _ in range(2):  # emphasis within or around the punctuation
        bare = bare[:-1] if bare[-1:] in _FINAL else bare
        yield bare
        bare = bare.strip(_EMPHASIS)
        yield bare
    text = text.strip(_AROUND)
    yield text
    text = text.lstrip(f"{_AROUND}#").rstrip(f"{_AROUND}.,;:!?")
    yield text
    if text[:1] == "<" and text[-1:] == ">":
        yield text[1:-1].strip(_AROUND)


def _places(names: Sequence[str], key: Callable[[str], str]) -> dict[str, int | None]:
    """Position by form; None for a form that several names have."""
    found: dict[str, int | None] = {}
    for position, name in enumerate(names):
        form = key(to_the_letter(name))
        found[form] = None if form in found else position
    return found


_BETWEEN = re.compile(r"(?<=[^\W_])[\s/_–—-]+(?=[^\W\d_])|(?<=[^\W\d_])[\s/_–—-]+(?=\d)")
_SPACED = re.compile(r"(?<!\d)\s+|\s+(?!\d)")
_SIGNS: Final = "#%-"


def _without_layout(text: str) -> str:
    """The letters, the digits with what stands between them, and the signs; no case, no spaces.

    >>> _without_layout("Sci / Tech") == _without_layout("sci-tech?")
    True
    >>> _without_layout("1-2") == _without_layout("1. 2")
    False
    >>> _without_layout("1) **5**") == _without_layout("15")
    False
    """
    plain = _SPACED.sub("", _BETWEEN.sub("", text.casefold()))
    kept = "".join(
        char if _is_kept(char, plain[place - 1 : place], plain[place + 1 : place + 2]) else _GONE
        for place, char in enumerate(plain)
    )
    return _APART.sub(" ", kept).replace(_GONE, "") or plain


_GONE: Final = "\0"
_APART = re.compile(r"(?<=\d)\0+(?=\d)")
"""Two numbers that are not one because nothing stands between them any more."""


def _is_kept(char: str, before: str, after: str) -> bool:
    kind = unicodedata.category(char)
    if char in _SIGNS or kind[0] in "LNM" or kind in ("Sm", "Sc"):
        return True
    return before.isdigit() and after.isdigit()


def _loose(name: str) -> str:
    """A pattern for a name with any of space, slash, hyphen or underscore between its words."""
    parts = re.split(r"(?<=[^\W_])[\s/_-]+(?=[^\W\d_])|(?<=[^\W\d_])[\s/_-]+(?=\d)", name.strip())
    return r"[\s/_-]*".join(r"\s+".join(map(re.escape, part.split())) for part in parts)

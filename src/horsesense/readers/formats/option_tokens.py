"""A text as tokens: options by label, text, place or range, and the words around them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

_THINGS: Final = r"(?:options?|answers?|choices?|letters?|statements?|items?|ones?)"


_COUNTS: Final = r"(?:two|three|four|five|six|seven|eight|nine|ten|\d{1,2})"


_OF_THEM: Final = (
    rf"(?:\s+(?:of|the|above|them|these|those|listed|given|correct|right|{_COUNTS}|{_THINGS})\b)*+"
)


_HOLDS: Final = r"(?:apply|applies|fit|hold|count|qualify|belong|work|match)"


_NOT: Final = r"(?:not|never|cannot|can['’]t|(?:is|are|was|were|do|does|did|would)n['’]t)"


_ORDINALS: Final = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"),
    "tenth",
)


# Of two kinds that fit at a place the one further up is taken. Repetitions are taken whole: hostile
# replies must not be tried in many ways.
_KINDS: Final = {
    "fill": r"(?:is|are|were)\s+(?:all|both)\b|all\s+that\s+appl(?:y|ies)\b|\A\W*no,"
    r"|that\s+(?:is|are)\b",
    "no": rf"(?:{_NOT}|no\s+longer)\s+(?:be\s+|an?\s+|\w+ly\s+)?(?:{_HOLDS}s?|correct|right|true"
    r"|valid|good|fine|ok)\b|(?:incorrect|invalid|wrong|false|untrue|no(?=\W*(?:[,;:.|\n}]|\Z))|nope"
    r"|out|excluded|rejected|eliminated|ruled\s+out|unsuitable|fails?)\b|[❌✗✘☐✕]|\[\s?\]"
    r"|[=:]\s*+0(?![\w.])",
    "yes": rf"(?:correct|right|true|yes|yep|valid|fine|ok|okay|good|{_HOLDS}(?:e?s)?)\b|[✅✔✓☑]"
    r"|\[[xX]\]|[=:]\s*+1(?![\w.])",
    "none": rf"(?:none|nothing|neither)\b{_OF_THEM}|no\s+{_THINGS}\b",
    "rest": rf"(?:(?:the|all)\s+)?(?:(?:the\s+)?(?:rest|others)|(?:remaining|other)\s+(?:\w+\s+)?"
    rf"{_THINGS})\b",
    "all": rf"(?:all|every(?:\s+(?:single\s+)?one)?|everything|each)\b{_OF_THEM}",
    "except": r"(?:except|excluding|other\s+than|apart\s+from|besides|without|minus)\b(?:\s+for)?",
    "but": r"but\b",
    "not": rf"(?:{_NOT})\b",
    "or": r"(?:or|either|oder|vs)\b",
    "maybe": r"(?:maybe|perhaps|possibly|might|could|may|unsure)\b|\?",
    "only": r"(?:only|just|solely|alone)\b",
    "split": r"(?:so|therefore|thus|hence|while|whereas|leaving|which\s+leaves|that\s+leaves|leaves"
    r"|leave)\b|;|\n|\.(?=\s|\Z)",
    "colon": r":",
    "opens": r"\(",
    "closes": r"\)",
    "join": r"(?:and|as\s+well\s+as|also|too|together\s+with|along\s+with|nor|und|et|y)\b|[,/&+]",
    "filler": r"(?:the|an?|is|are|be|was|were|would|will|i['’]?(?:d|ll|m)?|my|choose|chose"
    r"|choosing|select(?:ed|ion|ions)?|pick(?:ed|s)?|go(?:ing)?|with|for|say|think|believe|final|it|this|these"
    rf"|those|them|of|here|to|as|in|both|above|following|must|should|definitely|clearly|certainly"
    rf"|probably|we|get|have|has|{_THINGS}|text|boxed|json|antwort(?:en)?|sind|ist|die|la|las|les|"
    r"respuestas?|son|réponses?|sont|ok)\b",
}


_SAYS: Final = "|".join(f"(?P<{kind}>{form})" for kind, form in _KINDS.items())


_OTHER: Final = rf"(?P<nth>{'|'.join(_ORDINALS)}|last)\b|(?P<word>[^\W_]++(?:['’-]\w++)*+)"


_NUMBER: Final = r"(?P<number>^[^\S\n]*+(?:[-*•]\s*+)?\d{1,2}[.):](?=\s))"


class Token(NamedTuple):
    """A part of a text: an option (`name`), one that is not shown (`foreign`), or a word's kind."""

    kind: str
    positions: tuple[int, ...]
    start: int
    end: int
    by: str = ""


class _Shown:
    """The tokens of texts about these options."""

    def __init__(self, options: tuple[str, ...], labels: tuple[str, ...]) -> None:
        self.labels = labels
        self.k = len(options)
        self.exact = {label: place for place, label in enumerate(labels)}
        self.texts: dict[str, int | None] = {}
        for place, option in enumerate(options):
            for form in {_folded(option), *_plurals(_folded(option))}:
                self.texts[form] = None if form in self.texts else place
        self.spelled = {option.strip(): place for place, option in enumerate(options)}
        self.letters = bool(labels) and all(len(n) == 1 and n.isalpha() for n in labels)
        self.pattern = re.compile(
            "|".join(filter(None, (self._texts(options), self._labels(), _SAYS, _OTHER))),
            re.IGNORECASE | re.MULTILINE,
        )

    def _texts(self, options: tuple[str, ...]) -> str:
        given = {option.strip() for option in options} - {""} - set(self.labels)
        forms = (
            r"\s+".join(map(re.escape, text.split())) + (r"(?:e?s)?" if text[-1].isalpha() else "")
            for text in sorted(given, key=len, reverse=True)
        )
        every = "|".join(forms)
        return rf"(?P<text>(?<!\w)(?:{every})(?!\w))" if every else ""

    def _labels(self) -> str:
        if not self.labels:
            return _NUMBER
        each = "|".join(map(re.escape, sorted(self.labels, key=len, reverse=True)))
        reach = (
            rf"(?P<range>(?<!\w)(?-i:(?P<low>{each})[^\S\n]*(?:-|–|—|to|through|thru)[^\S\n]*(?P<high>{each}))"
            r"(?!\w))"
        )
        number = "" if any(label[:1].isdigit() for label in self.labels) else f"{_NUMBER}|"
        run = rf"(?P<run>(?<!\w)(?-i:(?:{each}){{2,}}+)(?!\w))" if self.letters else "(?P<run>(?!))"
        ends = r"(?=\W|\Z)" if self.labels[0][-1:].isalnum() else ""
        return rf"{number}{reach}|(?P<label>(?<!\w)(?:{each}){ends})|{run}"

    def tokens(self, text: str, brief: bool) -> Iterator[Token]:
        for match in self.pattern.finditer(text):
            kind, found = match.lastgroup or "", match[0]
            named = self._named(match, text, brief)
            if named:
                by = "text" if kind == "text" else "label"
                yield Token("name", named, match.start(), match.end(), by)
            elif kind in ("number", "fill", "filler"):
                continue
            elif kind in ("text", "label", "run", "range", "nth", "word"):
                if not (kind == "label" and found in "aiI"):
                    yield Token(self._unknown(found), (), match.start(), match.end())
            else:
                yield Token(kind, (), match.start(), match.end())

    def _named(self, match: re.Match[str], text: str, brief: bool) -> tuple[int, ...]:
        kind, found = match.lastgroup, match[0]
        if kind == "text":
            place = self.spelled.get(found)
            place = self.texts.get(_folded(found)) if place is None else place
            return () if place is None else (place,)
        if kind == "label":
            return self._label(found, text, match.end())
        if kind == "range":
            low, high = self.exact[match["low"]], self.exact[match["high"]]
            return tuple(range(low, high + 1)) if low < high else ()
        if kind == "run":
            return tuple(self.exact[c] for c in found) if len(set(found)) == len(found) else ()
        if kind == "nth" and brief:
            nth = found.lower()
            place = self.k - 1 if nth == "last" else _ORDINALS.index(nth)
            return (place,) if place < self.k else ()
        return ()

    def _label(self, found: str, text: str, end: int) -> tuple[int, ...]:
        """The position of a label; of a lower-case one where it cannot be a word."""
        place = self.exact.get(found, self.exact.get(found.upper()))
        if found in ("a", "i") and found not in self.exact and not _SET_OFF.match(text, end):
            following = _LETTER.match(text, end)  # of a list in lower case ("a c")
            if following is None or following[1].upper() not in self.exact:
                return ()
        return () if place is None else (place,)

    def _unknown(self, found: str) -> str:
        if self.letters and len(found) == 1 and found.isupper() and found != "I":
            return "foreign"
        digits = bool(self.labels) and all(label.isdigit() for label in self.labels)
        return "foreign" if digits and found.isdigit() else "word"


_LETTER = re.compile(r"\s+([a-z])(?!\w)")


_SET_OFF = re.compile(r"\s*(?:[,;.)&/+:=\]|]|\Z|(?:and|or)\b)", re.IGNORECASE)


@lru_cache(maxsize=256)
def shown_as(options: tuple[str, ...], labels: tuple[str, ...]) -> _Shown:
    return _Shown(options, labels)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _plurals(text: str) -> tuple[str, ...]:
    return (f"{text}s", f"{text}es") if text[-1:].isalpha() else ()

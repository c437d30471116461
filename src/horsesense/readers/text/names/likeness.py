"""How much a stretch of a response is like each option: stems, meanings of common words, values.

It is for replies that repeat neither a label nor an option's text: "it goes up" for "It rises",
"lostOrStolenCard" for "lost_or_stolen_card", "1500 m" for "1.5 km".
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from horsesense.readers.text.words.normalise import DEFAULT

_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:'[a-z]+)?")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SUFFIX = re.compile(
    r"(?:ations?|ations?|ments?|ness|ities|ity|ingly|edly|ally|ing|ies|ied|ely|ed|es|ly|s|e|y)$"
)
_STOP = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "to",
        "in",
        "on",
        "at",
        "by",
        "for",
        "with",
        "and",
        "or",
        "but",
        "as",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "it",
        "its",
        "it's",
        "this",
        "that",
        "these",
        "those",
        "there",
        "which",
        "who",
        "what",
        "when",
        "where",
        "how",
        "than",
        "then",
        "so",
        "such",
        "from",
        "into",
        "about",
        "i",
        "you",
        "he",
        "she",
        "they",
        "we",
        "my",
        "your",
        "his",
        "her",
        "their",
        "our",
        "me",
        "him",
        "them",
        "us",
        "do",
        "does",
        "did",
        "has",
        "have",
        "had",
        "will",
        "would",
        "can",
        "could",
        "may",
        "might",
        "must",
        "shall",
        "should",
        "if",
        "because",
        "since",
        "also",
        "just",
        "very",
        "more",
        "most",
        "some",
        "any",
        "all",
        "both",
        "each",
        "only",
        "own",
        "same",
        "too",
        "option",
        "answer",
        "choice",
        "correct",
    ]
)
# Words of one meaning, by stems; a reply may use one and the option the other.
_ALIKE = (
    "rise increase grow up higher raise climb gain upward expand",
    "fall decrease drop decline down lower reduce shrink sink downward less",
    "same unchanged constant stay remain steady equal unaffected nothing",
    "agree support favor favour approve endorse back",
    "disagree oppose against disapprove object",
    "yes true yeah yep affirmative indeed correct acceptable allowed certainly",
    "no not false never nope negative incorrect cannot can't isn't doesn't don't won't wasn't "
    "aren't nicht nein",
    "strong complete total full entire absolute very extreme highly definite",
    "some slight fair bit rather somewhat partly partial moderate little",
    "good positive happy great glad joy love pleased favorable excellent",
    "bad negative sad poor terrible awful hate unhappy",
    "neutral neither mixed indifferent middle balanced",
    "big large huge great major",
    "small little tiny minor",
    "often frequent usual regular",
    "rare seldom hardly occasional infrequent",
    "always every constant",
    "maybe perhaps possible unsure uncertain depends",
    "begin start commence",
    "end stop finish cease terminate",
    "important essential crucial vital matter",
    "doctor physician medical",
    "buy purchase acquire",
    "cost price expense",
    "sea ocean marine coast",
    "car automobile vehicle",
    "kill die death dead fatal",
    "hot heat warm",
    "cold cool chilly freeze",
    "wet rain moist damp",
    "fast quick rapid swift",
    "sport football soccer game match team",
    "business economy company market finance",
)
_NUMERALS = {
    word: str(number)
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
        ]
    )
}
_UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("km", "kilometer", "kilometre", "kilometers", "kilometres"), ("m", 1000.0)),
    **dict.fromkeys(("m", "meter", "metre", "meters", "metres"), ("m", 1.0)),
    **dict.fromkeys(("cm", "centimeter", "centimetre", "centimeters", "centimetres"), ("m", 0.01)),
    **dict.fromkeys(("mm", "millimeter", "millimetre", "millimeters", "millimetres"), ("m", 0.001)),
    **dict.fromkeys(("mile", "miles", "mi"), ("m~", 1609.344)),
    **dict.fromkeys(("yard", "yards", "yd"), ("m~", 0.9144)),
    **dict.fromkeys(("foot", "feet", "ft"), ("m~", 0.3048)),
    **dict.fromkeys(("inch", "inches"), ("m~", 0.0254)),
    **dict.fromkeys(("lb", "lbs"), ("g~", 453.59237)),
    **dict.fromkeys(("oz", "ounce", "ounces"), ("g~", 28.349523)),
    **dict.fromkeys(("tonne", "tonnes"), ("g", 1e6)),
    **dict.fromkeys(("gallon", "gallons"), ("l~", 3.785412)),
    **dict.fromkeys(("pint", "pints"), ("l~", 0.473176)),
    **dict.fromkeys(("°c", "celsius", "centigrade"), ("°", 1.0)),
    **dict.fromkeys(("°f", "fahrenheit"), ("°~", 5 / 9)),
    **dict.fromkeys(("kg", "kilogram", "kilograms", "kilo", "kilos"), ("g", 1000.0)),
    **dict.fromkeys(("g", "gram", "grams"), ("g", 1.0)),
    **dict.fromkeys(("mg", "milligram", "milligrams"), ("g", 0.001)),
    **dict.fromkeys(("mcg", "µg", "μg", "microgram", "micrograms"), ("g", 1e-06)),
    **dict.fromkeys(("l", "liter", "litre", "liters", "litres"), ("l", 1.0)),
    **dict.fromkeys(("ml", "milliliter", "millilitre", "milliliters", "millilitres"), ("l", 0.001)),
    **dict.fromkeys(("s", "sec", "second", "seconds"), ("s", 1.0)),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), ("s", 0.001)),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), ("s", 60.0)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), ("s", 3600.0)),
    **dict.fromkeys(("day", "days"), ("s", 86400.0)),
    **dict.fromkeys(("week", "weeks"), ("s", 604800.0)),
    **dict.fromkeys(("%", "percent"), ("", 0.01)),
    **dict.fromkeys(("k", "thousand"), ("", 1000.0)),
    **dict.fromkeys(("million",), ("", 1000000.0)),
    **dict.fromkeys(("billion",), ("", 1000000000.0)),
    **dict.fromkeys(("cent", "cents", "¢", "pence"), ("$", 0.01)),
    **dict.fromkeys(("dollar", "dollars", "euro", "euros", "€", "pounds"), ("$", 1.0)),
}
_FREEZING = 32 * 5 / 9
_CONVERTED = "~"
"""Ends the kind of a unit from which others are converted by a rounded figure."""
_ROUNDED = 0.006
_NUMBER = re.compile(
    r"(?P<money>[$€£]\s?)?(?P<number>(?<![\w.])[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)"
    r"(?:\s?/\s?(?P<below>\d+)(?![/\d]))?"
    r"(?:e(?P<power>[-+]?\d{1,2})\b| ?[x×*] ?10\^?(?P<ten>[-+]?\d{1,2}))?"
    r"(?: ?degrees? |[ -]?)"
    r"(?:(?P<unit>%|€|¢|° ?[cf]|[a-zµμ]{1,12})(?![a-z]))?"
)
_LATEX = re.compile(r"\\[dt]?frac\s*\{?(\d+)\}?\s*\{?(\d+)\}?")
_TEENS = {
    word: str(number)
    for number, word in enumerate(
        ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"], 13
    )
}
_TENS = {
    word: 10 * number
    for number, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2
    )
}
_PARTS = {
    **{"halves": 2, "thirds": 3, "quarters": 4, "fourths": 4, "fifths": 5},
    **{"sixths": 6, "sevenths": 7, "eighths": 8, "ninths": 9, "tenths": 10},
}
_FRACTIONS = {"half": "0.5", "third": "1/3", "quarter": "0.25", "fifth": "0.2", "tenth": "0.1"}
_DIGIT = "one|two|three|four|five|six|seven|eight|nine"
_SPELLED = re.compile(
    rf"\b(?:(?P<over>{_DIGIT})(?:[ -](?P<under>{'|'.join(_PARTS)})"
    rf"| (?:in|out of) (?P<of>{_DIGIT}|ten))"
    rf"|(?P<ten>{'|'.join(_TENS)})(?:[ -](?P<one>{_DIGIT}))?"
    r"|(?:(?:a|an|one) )?(?P<part>half|third|quarter|fifth|tenth)\b(?! (?:one|option|choice"
    r"|answer|statement|is|place|person|name))|(?:a )?(?P<dozen>dozen)|(?:a )?hundred"
    rf"|(?P<word>{'|'.join([*_NUMERALS, *_TEENS])}))\b"
)

_FEW_WORDS = 10


class Value(NamedTuple):
    """A number: the kind of its unit, its value in that kind's own unit, and as it is written."""

    kind: str
    number: float
    written: float


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A word without its ending; numerals as digits, common synonyms as one."""
    return _GROUPS.get(word) or _GROUPS.get(_cut(word)) or _NUMERALS.get(word) or _cut(word)


def _cut(word: str) -> str:
    if len(word) < 4 or word[0].isdigit():
        return word
    short = _SUFFIX.sub("", word)
    return short if len(short) >= 3 else word


_GROUPS: dict[str, str] = {}
for _group in _ALIKE:
    _first = _group.split()[0]
    for _one in _group.split():
        _GROUPS.setdefault(_one, f"~{_first}")
        _GROUPS.setdefault(_cut(_one), f"~{_first}")


def stems(low: str) -> list[str]:
    """The stems of a text in lower case, function words left out."""
    found = []
    for word in _WORD.findall(low):
        if word.endswith("n't"):
            found.append("~no")
        if word not in _STOP:
            found.append(stem(word))
    return found


@lru_cache(maxsize=16_384)
def option_stems(text: str) -> tuple[str, ...]:
    """The stems of an option, "camelCase" and "snake_case" taken apart."""
    split = _CAMEL.sub(" ", text).translate(DEFAULT).lower()
    return tuple(stems(split)) or tuple(_WORD.findall(split))


def overlap(words: Sequence[str], options: Sequence[str]) -> list[float]:
    """For each option the share of its stems, weighted by how few options have them, in `words`."""
    said = frozenset(words)
    held = [frozenset(option_stems(text)) for text in options]
    counts: dict[str, int] = {}
    for own in held:
        for one in own:
            counts[one] = counts.get(one, 0) + 1
    k = len(options)
    weight = {one: math.log((k + 0.5) / n) for one, n in counts.items()}
    result = []
    for own in held:
        total = math.fsum(weight[one] for one in own)
        result.append(math.fsum(weight[one] for one in own & said) / total if total > 0 else 0.0)
    return result


_NO_CHARACTER = re.compile(r"[\W_]+")


def _squash(text: str) -> str:
    return _NO_CHARACTER.sub("", text.translate(DEFAULT).lower())


@lru_cache(maxsize=16_384)
def squashed(text: str) -> str:
    """The letters and digits of an option alone."""
    return _squash(text)


def written_otherwise(low: str, options: Sequence[str]) -> set[int]:
    """Positions whose text is there in another form: joined, split, in another number."""
    line, solid = f" {' '.join(stems(low))} ", _squash(low)
    found = []
    for position, text in enumerate(options):
        own, whole = option_stems(text), squashed(text)
        if not any(c.isalpha() for c in text):
            continue
        there = len(whole) >= 5 and whole in solid
        if there or (own and f" {' '.join(own)} " in line):
            found.append((position, whole))
    return {
        position
        for position, whole in found
        if not any(whole != other and whole in other for _, other in found)
    }


def values(low: str) -> list[Value]:
    """The numbers of a text with their kind of unit, in order; fractions worked out."""
    if "frac" in low:
        low = _LATEX.sub(r"\1/\2", low)
    low = _SPELLED.sub(_spelled, low)
    found: list[Value] = []
    end = -9
    for m in _NUMBER.finditer(low):
        value = _value(m)
        # "1 h 45 min" is one value.
        joined = found and m["unit"] and m.start() - end <= 5 and found[-1].kind == value.kind != ""
        if (
            joined
            and abs(found[-1].number) > abs(value.number)
            and not low[end : m.start()].strip(" and")
        ):
            found[-1] = found[-1]._replace(number=found[-1].number + value.number)
        else:
            found.append(value)
        end = m.end()
    return found


def _spelled(m: re.Match[str]) -> str:
    if m["over"]:
        return f"{_NUMERALS[m['over']]}/{_PARTS[m['under']] if m['under'] else _NUMERALS[m['of']]}"
    if m["ten"]:
        return str(_TENS[m["ten"]] + int(_NUMERALS[m["one"]] if m["one"] else 0))
    if m["part"]:
        return _FRACTIONS[m["part"]]
    if m["dozen"]:
        return "12"
    return _NUMERALS.get(m["word"] or "") or _TEENS.get(m["word"] or "") or "100"


def _value(m: re.Match[str]) -> Value:
    number = float(m["number"].replace(",", ""))
    if m["below"] and float(m["below"]):
        number /= float(m["below"])
    if power := m["power"] or m["ten"]:
        number *= 10.0 ** int(power)
    unit, factor = _UNITS.get((m["unit"] or "").replace(" ", ""), ("", 1.0))
    zero = _FREEZING if unit == "°~" else 0.0
    return Value("$" if m["money"] else unit, number * factor - zero, number)


@lru_cache(maxsize=16_384)
def option_value(text: str) -> Value | None:
    """The value of an option that is one number, perhaps with a unit or a name before it."""
    found = values(text.translate(DEFAULT).lower())
    words = [w for w in re.findall(r"[^\W\d_]+", text) if w.lower() not in _NUMERALS]
    return found[0] if len(found) == 1 and len(words) <= _FEW_WORDS else None


def near(one: Value, other: Value) -> bool:
    """Whether two values are equal but for rounding."""
    return _one_kind(one, other) and math.isclose(one.number, other.number, rel_tol=0.011)


def same(one: Value, other: Value) -> bool:
    """Whether two values are equal, but for the rounding of a conversion ("26.2 miles", "42.2 km");
    a unit that is missing on one side is no difference."""
    close = 1e-9
    if one.kind and other.kind:
        close = _ROUNDED if (one.kind + other.kind).count(_CONVERTED) == 1 else close
    elif math.isclose(one.written, other.written, rel_tol=close, abs_tol=1e-12):
        return True
    return _one_kind(one, other) and math.isclose(
        one.number, other.number, rel_tol=close, abs_tol=1e-12
    )


def _one_kind(one: Value, other: Value) -> bool:
    kinds = one.kind.rstrip(_CONVERTED), other.kind.rstrip(_CONVERTED)
    return not all(kinds) or kinds[0] == kinds[1]

"""When two short texts say the same in other writing: case, spelling, number words, units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final

from horsesense.items.item import same_text

LONGEST: Final = 300
"""Characters of the longest text that is compared in other writings."""

_DIGITS: Final = {
    word: str(number)
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
         "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
         "nineteen", "twenty"]
    )
} | {"thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80",
     "ninety": "90", "hundred": "100", "dozen": "12"}  # fmt: skip
_ORDINALS: Final = {
    word: str(number)
    for number, word in enumerate(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
            "eleventh",
            "twelfth",
        ],
        1,
    )
}
_UNITS: Final[dict[str, tuple[str, Fraction]]] = {}
for _name, _units in {
    "length": {"nm": "1/1000000000", "µm": "1/1000000", "μm": "1/1000000",
               "micrometer": "1/1000000",
               "mm": "1/1000", "millimeter": "1/1000", "cm": "1/100", "centimeter": "1/100",
               "m": "1", "meter": "1", "km": "1000", "kilometer": "1000"},
    "mass": {"mg": "1/1000", "milligram": "1/1000", "g": "1", "gram": "1", "kg": "1000",
             "kilogram": "1000", "kilo": "1000"},
    "time": {"ms": "1/1000", "millisecond": "1/1000", "s": "1", "sec": "1", "second": "1",
             "min": "60",
             "minute": "60", "h": "3600", "hr": "3600", "hour": "3600", "day": "86400",
             "week": "604800"},
    "years": {"month": "1", "year": "12", "decade": "120", "century": "1200"},
    "volume": {"ml": "1/1000", "milliliter": "1/1000", "cl": "1/100", "dl": "1/10", "l": "1",
               "liter": "1"},
    "energy": {"J": "1", "joule": "1", "kJ": "1000", "kilojoule": "1000"},
    "power": {"W": "1", "watt": "1", "kW": "1000", "kilowatt": "1000", "MW": "1000000"},
    "voltage": {"mV": "1/1000", "V": "1", "volt": "1", "kV": "1000"},
    "current": {"mA": "1/1000", "A": "1", "ampere": "1"},
    "pressure": {"Pa": "1", "kPa": "1000"},
    "frequency": {"Hz": "1", "hertz": "1", "kHz": "1000", "MHz": "1000000"},
    "share": {"%": "1/100", "percent": "1/100", "per cent": "1/100"},
}.items():  # fmt: skip
    _UNITS.update({unit: (_name, Fraction(size)) for unit, size in _units.items()})
"""Unit -> what it measures, and its size; of words in American spelling and the singular."""

_NUMBER: Final = (
    r"-?(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,12})(?:\.\d{1,12})?"
    r"|-?\d{1,9} ?/ ?0*[1-9]\d{0,8}|-?\.\d{1,12}"
)
_MEASURE: Final = re.compile(rf"({_NUMBER}) ?(per cent|%|[^\W\d]{{1,12}})?")
_PART: Final = re.compile(r"half (?:an? |of an? )?([^\W\d]{1,12})", re.IGNORECASE)
_CLOCK: Final = re.compile(
    r"(\d{1,2})(?:[:.](\d\d))? ?([ap])\.? ?m\.?|([01]?\d|2[0-3]):([0-5]\d)(?: ?h| hours)?",
    re.IGNORECASE,
)
_TOKEN: Final = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+|[^\w\s]")
_ABBREVIATED: Final = re.compile(r"(.{3,100}?) \(([A-Z][A-Za-z\d]{1,7})\)")
_SPELLINGS: Final = (
    (re.compile(r"(?<=\w\w)our(?=$|s$|ed$|ing$|al$|ite$|able$|ful$)"), "or"),
    (re.compile(r"(?<=[a-z]{3})is(?=e$|ed$|es$|ing$|er$|ation$|ations$)"), "iz"),
    (re.compile(r"(?<=[a-z]{3})ys(?=e$|ed$|es$|ing$)"), "yz"),
    (re.compile(r"(?<=[a-z][bt])re(?=$|s$|d$)"), "er"),
    (re.compile(r"(?<=[a-z])ll(?=ed$|ing$|er$)"), "l"),
    (re.compile(r"ae|oe"), "e"),
    (re.compile(r"^grey"), "gray"),
    (re.compile(r"(?<=[a-z]{2})ogue$"), "og"),
    (re.compile(r"(?<=[a-z]{3})mme$"), "m"),
    (re.compile(r"(?<=[a-z]{3})ence$"), "ense"),
)
_NUMERIC: Final = frozenset(_DIGITS) | frozenset(_ORDINALS) | {"the", "half"}
_OWN_WORD: Final = frozenset({"few", "little", "lot", "couple", "bit", "priori"})


_CRUDE: Final = str.maketrans("zycg", "sisj", "aeiouhtndlm .,;:'\"’‘“”-&()")


def may_agree(texts: Sequence[str]) -> bool:
    """Whether two of some texts may share a writing; cheap, and never wrong in saying no."""
    crude = {text.lower().translate(_CRUDE) for text in texts}
    if len(crude) < len(texts):
        return True
    numbers = sum(
        text.lstrip(' -−."')[:1].isdigit() or text.split(" ", 1)[0].lower() in _NUMERIC
        for text in texts
    )
    return numbers > 1 or any(" (" in text for text in texts)


def writings(text: str) -> Iterator[str]:
    """Keys of a text; two texts that share one say the same in another writing.

    >>> bool(set(writings("The colour grey")) & set(writings("the color gray")))
    True
    >>> bool(set(writings("1 km")) & set(writings("1000 metres")))
    True
    >>> bool(set(writings("Aa")) & set(writings("AA")))
    False
    """
    yield same_text(text)
    if len(text) > LONGEST:
        return
    plain = " ".join(text.split()).strip(" \"'“”‘’").rstrip(" .").replace("−", "-")
    if measure := quantity(plain) or _time(plain):
        yield measure
    yield (spelled := _spelled(plain))
    if re.search(r"[^\W\d]{4}.* [A-Za-z]$", plain):  # "Vitamin C" and "vitamin c"
        yield spelled.lower()
    found = _ABBREVIATED.fullmatch(plain)
    if found and found[2].isupper() and _initials(found[1], found[2]):
        yield _spelled(found[1])
        yield _spelled(found[2])


def quantity(text: str) -> str | None:
    """The key of a number, with its unit; None where the text is anything else."""
    words = text.split(" ")
    if words and words[0].lower() in _DIGITS and len(words) < 3:
        text = " ".join([_DIGITS[words[0].lower()], *words[1:]])
    if part := _PART.fullmatch(text):
        text = f"1/2 {part[1]}"
    found = _MEASURE.fullmatch(text)
    if found is None:
        return None
    value = Fraction(found[1].replace(",", "").replace(" ", ""))
    if not found[2]:
        return f"= {value}"
    unit = _UNITS.get(found[2]) or _UNITS.get(_singular(found[2].lower()))
    if unit is None:
        return None
    kind, size = unit
    return f"= {value * size}" if kind == "share" else f"= {value * size} {kind}"


def _time(text: str) -> str | None:
    """The key of a time of the day in 12 or 24 hours; None where the text is anything else."""
    found = _CLOCK.fullmatch(text)
    if found is None:
        return None
    if not found[3]:
        return f"= {int(found[4])}:{found[5]}"
    hour = int(found[1])
    if not 1 <= hour <= 12:
        return None
    return f"= {hour % 12 + 12 * (found[3].lower() == 'p')}:{found[2] or '00'}"


def _singular(unit: str) -> str:
    american = re.sub(r"(?<=[tl])re(?=s?$)", "er", unit)
    return american.removesuffix("s") if len(american) > 3 else american


def _spelled(text: str) -> str:
    """Words in lower case, American spelling and digits; signs that can carry meaning are kept.

    Letters that stand alone and words of mixed case keep their case ("Aa", "pH"), unless the text
    has words whose case says nothing.
    """
    tokens = _TOKEN.findall(re.sub(r"(?<=[^\W\d]{2})-(?=[^\W\d]{2})", " ", text))
    tokens = (
        [t for t in tokens if t not in (",", ";", "'", "’", '"')] if len(tokens) > 2 else tokens
    )
    if (
        len(tokens) > 1
        and tokens[0].lower() in ("the", "a", "an")
        and tokens[1].lower() not in _OWN_WORD
    ):
        tokens = tokens[tokens[0].lower() == "the" or len(tokens[1]) > 2 :]
    return " ".join(map(_word, tokens, [len(tokens) > 1] * len(tokens)))


@lru_cache(maxsize=1 << 14)
def _word(token: str, beside_others: bool) -> str:
    if token == "&":
        return "and"
    if not token[0].isalpha():
        return token.replace(",", "") if token[0].isdigit() else token
    lower = token.lower()
    if len(token) < 3 and not (beside_others and len(token) == 2 and token.istitle()):
        return lower if token.islower() and len(token) > 1 else token
    if not (token.islower() or token.istitle() or (token.isupper() and len(token) > 5)):
        return token
    if lower in _DIGITS or lower in _ORDINALS:
        return _DIGITS.get(lower) or f"{_ORDINALS[lower]}th"
    for pattern, american in _SPELLINGS:
        lower = pattern.sub(american, lower)
    return lower


def _initials(name: str, short: str) -> bool:
    """Whether the letters of an abbreviation stand in the name, in order, from its first."""
    letters = iter(name.lower())
    return name[:1].lower() == short[:1].lower() and all(c in letters for c in short.lower())

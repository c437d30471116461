"""When two short texts say the same in other writing: in words, digits, percent, capitals."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from horsesense.expressions import expression
from horsesense.items.item import same_text

LONGEST: Final = 120
"""Characters of the longest text that is compared in other writings."""
_UNITS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen twenty"
)
_NUMBERS: Final = {word: str(number) for number, word in enumerate(_UNITS.split())} | {
    "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80",
    "ninety": "90", "hundred": "100",
}  # fmt: skip
_PARTS: Final = {"half": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4,
                 "fourths": 4, "fifth": 5, "fifths": 5, "tenth": 10, "tenths": 10}  # fmt: skip
_WORD: Final = expression(r"[^\W\d_]{3,}")
_VALUE: Final = expression(
    r"(?P<n>-?\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,9})?|-?\d{0,12}\.?\d{1,12})"
    r"(?: ?/ ?0*(?P<of>[1-9]\d{0,8}))? ?(?P<share>%|percent|per cent)?"
)
_PART: Final = expression(rf"(?:(?P<n>\d{{1,2}}|an?) )?(?P<part>{'|'.join(_PARTS)})(?: of it)?")


def writings(text: str) -> Iterator[str]:
    """Keys of a text; two texts that share one say the same in another writing.

    >>> bool(set(writings("50%")) & set(writings("one half")))
    True
    >>> bool(set(writings("Aa")) & set(writings("AA")))
    False
    """
    yield same_text(text)
    if len(text) > LONGEST:
        return
    plain = " ".join(text.replace("−", "-").replace("-", " -").split()).strip(" \"'“”‘’.")
    digits = _WORD.sub(lambda word: _in_digits(word[0]), plain.replace(" -", "-"))
    yield same_text(digits)
    if (number := value(digits.lower())) is not None:
        yield f"= {number}"


def value(text: str) -> Fraction | None:
    """The number that a text is, as a number, a fraction or a share; None for any other text.

    >>> value("0.50"), value("3 quarters"), value("50 %"), value("5 km")
    (Fraction(1, 2), Fraction(3, 4), Fraction(1, 2), None)
    """
    if part := _PART.fullmatch(text):
        return Fraction(int(part["n"]) if (part["n"] or "").isdigit() else 1, _PARTS[part["part"]])
    found = _VALUE.fullmatch(text)
    if found is None:
        return None
    number = Fraction(found["n"].replace(",", "")) / int(found["of"] or 1)
    return number / 100 if found["share"] else number


def _in_digits(word: str) -> str:
    """A number word in digits, other words in lower case unless their case may tell ("pH")."""
    if word.islower() or word.istitle():
        return _NUMBERS.get(word.lower(), word.lower())
    return word

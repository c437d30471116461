"""Numbers in sentences, with the digits that they deserve."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, log10

from horsesense.stats.words import NARROW

MINUS = "−"


def number(value: float, unit: str, digits: int | None = None) -> str:
    """A value without its interval, in its unit; fractions are written in percent.

    >>> number(0.531, "fraction", 0)
    '53\\u202f%'
    """
    if unit == "fraction":
        digits = 1 if digits is None else digits
        return f"{signed(100 * value, digits)}{NARROW}%"
    digits = (1 if unit == "points" else 2) if digits is None else digits
    return signed(value, digits)


def signed(value: float, digits: int) -> str:
    """A number with a true minus sign, and no minus before a zero."""
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", MINUS)


DUST = 1e-10
"""What lies this close to 0 is 0, but for the rounding of sums."""


def sided(low: float, high: float, digits: int) -> int:
    """Digits, at least so many, with which neither end of an interval that is not 0 looks like it.

    Its value is told with as many: it never stands outside of its own interval.
    """
    for n in range(digits, 4):
        if all(abs(end) <= DUST or float(f"{end:.{n}f}") for end in (low, high)):
            return n
    return digits


def between(low: float, high: float, digits: int) -> str:
    """An interval in brackets; both ends have the digits that show on which side of 0 they lie.

    One that leaves out 0 and nothing more is told in words.

    >>> between(-27.3, -0.02, 1), between(-4.0, 0.0, 1), between(1e-7, 5.2, 1)
    ('[−27.30, −0.02]', '[−4.0, 0.0]', '[above 0, 5.2]')
    """
    digits = sided(low, high, digits)
    return f"[{_beside_zero(low, digits)}, {_beside_zero(high, digits)}]"


def _beside_zero(value: float, digits: int) -> str:
    if abs(value) <= DUST or float(f"{value:.{digits}f}"):
        return signed(value, digits)
    return "above 0" if value > 0 else "below 0"


def level_text(level: float) -> str:
    """A level of confidence in percent, never rounded to 100.

    >>> level_text(0.95), level_text(0.999976)
    ('95\\u202f%', '99.998\\u202f%')
    """
    digits = max(4, ceil(-log10(1 - level))) if level < 1 else 4
    return f"{100 * level:.{digits}g}{NARROW}%"


def chance_text(value: float) -> str:
    """What guessing gives: whole percents, with the digits that say that it is there.

    >>> chance_text(0.25), chance_text(0.035), chance_text(0.2**5)
    ('25\\u202f%', '3.5\\u202f%', '0.03\\u202f%')
    """
    if 0 < value < 0.00005:
        return f"below {number(0.0001, 'fraction', 2)}"
    return number(value, "fraction", _chance_digits(value))


def _chance_digits(value: float) -> int:
    if value >= 0.1 or value == 0:
        return 0
    return 1 if value >= 0.0005 else 2


def against(value: float, null: float, digits: int) -> tuple[str, str]:
    """A share and what there is without the fault, with the digits that tell them apart.

    From 10 % up that is one decimal at most. Below, both have the digits of what guessing gives,
    so that equal numbers look equal.

    >>> against(0.5313, 0.53, 0), against(0.5314, 0.5312, 0), against(0.0353, 0.0351, 0)[0]
    (('53.1\\u202f%', '53.0\\u202f%'), ('53.1\\u202f%', '53.1\\u202f%'), '3.53\\u202f%')
    """
    if 0 < value < 0.1:
        digits = max(digits, _chance_digits(null))
    texts = number(value, "fraction", digits), chance_text(null)
    for more in (1, 2, 3) if value < 0.1 else (1,):
        if texts[0] != texts[1] or abs(value - null) <= DUST:
            return texts
        texts = number(value, "fraction", more), number(null, "fraction", more)
    return texts


def points(value: float) -> str:
    """A difference of fractions in percentage points, without its sign."""
    size = abs(100 * value)
    return f"{size:.0f}" if size >= 2 else f"{size:.1f}"


def plus(text: str) -> str:
    """A change as `signed` writes it, with the sign that tells a rise from a fall.

    >>> plus("13.3"), plus("0.0"), plus(signed(-2, 1)), plus("above 0")
    ('+13.3', '0.0', '−2.0', 'above 0')
    """
    return f"+{text}" if text[:1].isdigit() and float(text) else text


def in_points(value: float, *, signed: bool = False, beside: float = 0.0) -> str:
    """A difference of shares: "5 points", "−0.4 points"; with the digit that tells it from one
    that it stands beside, or that it is half a point.

    >>> in_points(0.052), in_points(0.052, beside=0.05), in_points(-0.05, signed=True, beside=0.05)
    ('5 points', '5.2 points', '−5 points')
    >>> in_points(0.025), in_points(-0.035, signed=True)
    ('2.5 points', '−3.5 points')
    """
    size = abs(100 * value)
    half = abs(size % 1 - 0.5) < DUST
    text = f"{size:.0f}" if (size >= 2 or size < 0.05) and not half else f"{size:.1f}"
    if text == f"{100 * beside:.0f}" and f"{size:.1f}" != f"{100 * beside:.1f}":
        text = f"{size:.1f}"
    sign = ("+" if value > 0 else MINUS if value < 0 else "") if signed and text != "0" else ""
    return f"{sign}{text} {'point' if text == '1' else 'points'}"


WORDS: Mapping[tuple[str, str], str] = {
    ("option_count", "n"): "{} options",
    ("option_count", "kind=nonsense"): "added without meaning",
    ("option_count", "kind=plausible"): "added from other items",
    ("option_count", "form=letters"): "",
    ("none_of_the_above", "place=kept"): "for the right option, in its place",
    ("none_of_the_above", "place=last"): "for the right option, last",
    ("none_of_the_above", "place=distractor"): "for a wrong option",
    ("labels", "set=lower"): "small letters",
    ("gold_absent", "prompt=with_gold"): "control that shows it, in the paper's wording",
    ("gold_absent", "prompt=hint_option"): "",
    ("gold_absent", "prompt=hint_instruction"): "the instruction allows for none",
    ("gold_absent", "prompt=no_hint"): "without a hint",
    ("gold_absent", "positions=last"): "a none-option last",
    ("gold_absent", "positions=every"): "a none-option in every position",
    ("gold_absent", "wording=know_no"): "",
    ("gold_absent", "asking=know_no"): "",
    ("misleading_replaced", "arm=misleading"): "the option chosen",
    ("misleading_replaced", "arm=other"): "another option",
    ("misleading_replaced", "arm=unchanged"): "none, asked again",
    ("true_false", "polarity=positive"): "is it right?",
    ("true_false", "polarity=negative"): "is it wrong?",
    ("true_false", "items=all"): "all items",
    ("true_false", "items=consistent"): "items right in every order",
    ("true_false", "items=derived"): "items right in every derived form",
    ("batch", "lines=anchored"): "numbered lines",
    ("budget", "cap"): "at most {} tokens",
    ("thought", "share"): "{} % of it",
    ("server", "together=1"): "one at a time",
    ("server", "together"): "{} at a time",
    ("server", "against"): "another server or engine",
    ("extra_options", "added=0"): "none added",
    ("extra_options", "added"): "{} added",
}
"""Settings of conditions whose value says too little alone, by probe."""


def in_words(probe: str, name: str, value: str) -> str:
    """A setting in words; its value where nothing better is known."""
    exact = WORDS.get((probe, f"{name}={value}"))
    if exact is not None:
        return exact
    return WORDS.get((probe, name), "{}").format(value.replace("_", " "))


def labelled(title: str, apart: str) -> str:
    """The title of a probe and what sets one of its forms apart, where something does."""
    return f"{title}: {apart}" if apart else title

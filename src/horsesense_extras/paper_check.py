"""Reported numbers that cannot be: counts, sums, differences, means and bounds that do not fit.

Only the printed digits are used. A percentage of `n` items must be k/n rounded to its decimals
(the GRIM test of Brown and Heathers 2017); what is computed from other printed numbers must agree
within the rounding of all of them. A number that passes may still be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from horsesense.errors import ItemsError, UsageError
from horsesense.files import MOST_SETTINGS, read_whole

Verdict = Literal["fits", "rounding", "impossible"]
"""fits        the printed digits agree
rounding    they agree only because the numbers they are computed from are rounded, too
impossible  no counts, or no unrounded numbers, give the printed digits"""


Found = tuple[Verdict, str, str, str]
"""Of a finding: verdict, reported, expected, says."""
_NUMBER = re.compile(r"[-+]?\d{1,12}(?:\.\d{1,12})?")


@dataclass(frozen=True, slots=True)
class Finding:
    """What a claim came to.

    Attributes:
        id, kind: of the claim.
        verdict: see `Verdict`.
        reported: the number in question, as printed.
        expected: what it would have to be, or the range it would have to lie in.
        says: one sentence.
    """

    id: str
    kind: str
    verdict: Verdict
    reported: str
    expected: str
    says: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as printed, its value, and how many decimals it has."""

    text: str
    value: Fraction
    decimals: int

    @classmethod
    def of(cls, claim: Mapping[str, Any], name: str) -> Printed:
        """The number under a name of a claim; ClaimError where it is none."""
        return cls.read(claim[name], name)

    @classmethod
    def read(cls, value: Any, name: str) -> Printed:
        """A number that stands under a name of a claim; ClaimError where it is none."""
        if not isinstance(value, str):
            raise ClaimError(f"{name}: write {value!r} in quotes, because its decimals count")
        if not _NUMBER.fullmatch(value):
            raise ClaimError(f"{name}: {value!r} is not a number")
        return cls(value, Fraction(value), len(value.partition(".")[2]))

    @property
    def half(self) -> Fraction:
        """Half a unit of the last decimal."""
        return Fraction(1, 2 * 10**self.decimals)


class ClaimError(Exception):
    """A claim that cannot be read; the message says why."""


def check_file(path: Path) -> list[Finding]:
    """Check every claim of a YAML file `claims: [{id, kind, ...}, ...]`.

    Raises:
        UsageError: the file does not contain such a list.
        ItemsError: claims have faults; it names all of them.
    """
    claims = _claims(path)
    found: list[Finding] = []
    faults: list[str] = []
    for number, claim in enumerate(claims, start=1):
        try:
            found.append(check_claim(claim))
        except ClaimError as error:
            name = claim.get("id", f"number {number}") if isinstance(claim, Mapping) else number
            faults.append(f"claim {name}: {error}")
    if faults:
        raise ItemsError(str(path), faults, hint=f"Kinds of claims: {', '.join(KINDS)}.")
    return found


def _claims(path: Path) -> Sequence[Any]:
    import yaml

    try:
        content = yaml.safe_load(read_whole(path, MOST_SETTINGS).decode("utf-8"))
    except (OSError, UnicodeDecodeError, RecursionError) as error:
        why = getattr(error, "strerror", None) or error
        raise UsageError(f"{path} cannot be read: {why}.") from None
    except yaml.YAMLError as error:
        raise UsageError(f"{path} is not YAML: {error}") from None
    claims = content.get("claims") if isinstance(content, Mapping) else None
    if not isinstance(claims, list):
        raise UsageError(f"{path} has no list `claims`.", hint="See docs/published_numbers.md.")
    return claims


def check_claim(claim: Any) -> Finding:
    """Check one claim.

    Raises:
        ClaimError: it cannot be read.

    >>> check_claim({"id": "a", "kind": "proportion", "value": "43.10", "n": 1000}).verdict
    'fits'
    >>> check_claim({"id": "a", "kind": "proportion", "value": "43.12", "n": 1000}).verdict
    'impossible'
    """
    if not isinstance(claim, Mapping):
        raise ClaimError("it is not a mapping")
    if "id" not in claim or claim.get("kind") not in KINDS:
        raise ClaimError("it needs an id and one of the known kinds")
    check, needed = KINDS[claim["kind"]]
    missing = [name for name in needed if name not in claim]
    if missing:
        raise ClaimError(f"{claim['kind']} needs {', '.join(missing)}")
    return Finding(str(claim["id"]), claim["kind"], *check(claim))


def _parts(claim: Mapping[str, Any]) -> list[Printed]:
    parts = claim["parts"]
    if not isinstance(parts, list) or not parts:
        raise ClaimError("parts must be a list of numbers")
    return [Printed.read(part, "parts") for part in parts]


def _whole(claim: Mapping[str, Any], name: str) -> list[int]:
    """One whole number above 0, or several that are possible."""
    given = claim[name]
    values = given if isinstance(given, list) else [given]
    if not values or not all(type(v) is int and v > 0 for v in values):
        raise ClaimError(f"{name} must be a whole number above 0, or a list of them")
    return values


def _proportion(claim: Mapping[str, Any]) -> Found:
    """Is there a count k with k/n equal to the percentage, to its decimals?"""
    value = Printed.of(claim, "value")
    sizes = _whole(claim, "n")
    nearest = {n: Fraction(round(value.value * n / 100)) * 100 / n for n in sizes}
    fits = any(abs(p - value.value) <= value.half for p in nearest.values())
    shown = ", ".join(f"{_text(p, value)} ({round(p * n / 100)}/{n})" for n, p in nearest.items())
    verdict: Verdict = "fits" if fits else "impossible"
    says = (
        f"{value.text} % is {'a' if fits else 'no'} share of {' or '.join(map(str, sizes))} items"
    )
    return verdict, value.text, shown, says


def _computed(reported: Printed, computed: Fraction, slack: Fraction, what: str) -> Found:
    """Compare with what other printed numbers give; `slack` is their joint rounding."""
    away = abs(computed - reported.value)
    within: Verdict = "rounding" if away <= reported.half + slack else "impossible"
    verdict: Verdict = "fits" if away < reported.half else within
    says = f"{what} is {_text(computed, reported, 2)}; {reported.text} is printed"
    return verdict, reported.text, _text(computed, reported, 2), says


def _sum(claim: Mapping[str, Any]) -> Found:
    parts, equals = _parts(claim), Printed.of(claim, "equals")
    total = sum((part.value for part in parts), Fraction(0))
    slack = sum((part.half for part in parts), Fraction(0))
    return _computed(equals, total, slack, f"the sum of {len(parts)} parts")


def _difference(claim: Mapping[str, Any]) -> Found:
    a, b, reported = (Printed.of(claim, name) for name in ("a", "b", "reported"))
    gap, slack = a.value - b.value, a.half + b.half
    return _computed(reported, gap, slack, f"{a.text} - {b.text}")


def _mean(claim: Mapping[str, Any]) -> Found:
    """Mean of the parts; `weights` without decimals are counts, and exact."""
    parts, reported = _parts(claim), Printed.of(claim, "reported")
    given = claim.get("weights") or ["1"] * len(parts)
    weights = [Printed.read(weight, "weights") for weight in given]
    total = sum((w.value for w in weights), Fraction(0))
    if len(weights) != len(parts) or total <= 0:
        raise ClaimError(
            "there must be a weight for each part, and the weights must sum to more than 0"
        )
    pairs = list(zip(parts, weights, strict=True))
    mean = sum((p.value * w.value for p, w in pairs), Fraction(0)) / total
    rounded = sum((p.half * w.value for p, w in pairs), Fraction(0))
    rounded += sum((abs(p.value - mean) * w.half for p, w in pairs if w.decimals), Fraction(0))
    return _computed(reported, mean, rounded / total, f"the mean of {len(parts)} parts")


def _bounds(claim: Mapping[str, Any]) -> Found:
    """AccH <= Acc <= AccH + share(CS < 1), and share(CS < 1) <= orders (1 - CS); in percent."""
    acc, hard, agreement = (Printed.of(claim, name) for name in ("acc", "acch", "cs"))
    (orders,) = _whole(claim, "orders")
    unstable = min(Fraction(100), orders * (100 - agreement.value))
    slack = acc.half + hard.half + orders * agreement.half
    low, high = hard.value, hard.value + unstable
    verdict: Verdict = "fits"
    if not low <= acc.value <= high:
        verdict = "rounding" if low - slack <= acc.value <= high + slack else "impossible"
    expected = f"{_text(low, acc)} to {_text(high, acc)}"
    says = f"accuracy {acc.text} must lie between AccH and AccH + {orders} (100 - CS)"
    return verdict, acc.text, expected, says


def _text(value: Fraction, like: Printed, more: int = 1) -> str:
    return f"{float(value):.{like.decimals + more}f}"


KINDS: Mapping[str, tuple[Callable[[Mapping[str, Any]], Found], tuple[str, ...]]] = {
    "proportion": (_proportion, ("value", "n")),
    "sum": (_sum, ("parts", "equals")),
    "difference": (_difference, ("a", "b", "reported")),
    "mean": (_mean, ("parts", "reported")),
    "bounds": (_bounds, ("acc", "acch", "cs", "orders")),
}
"""Kind of claim -> its check, and the fields that it needs."""

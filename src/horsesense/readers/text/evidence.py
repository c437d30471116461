"""What speaks for each option and each status: features with names, for one table of weights."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from math import exp
from typing import Final, NamedTuple

from horsesense.expressions import expression
from horsesense.readers.reading import Status
from horsesense.readers.text import words
from horsesense.readers.text.mentions import Mention
from horsesense.readers.text.options import Shown
from horsesense.readers.text.page import Page

STATUSES: Final[tuple[Status, ...]] = (
    *("none", "refusal", "unknown"),
    *("ambiguous", "illegal", "truncated"),
)
ABSENT: Final = -6.0
"""Stands for the score of an option that is not named."""
_EDGE_WORDS: Final = 30
_ESSAY: Final = 1_500
_CLOSING: Final = 200
"""Characters at the end of a reply; of an essay, what it does is looked for there alone."""

_ALL_OF_THEM: Final = expression(r"^\W*(?:all|both|every)\b", re.IGNORECASE)
_DEPENDS: Final = frozenset(["depends", "depending", "depend"])
_PLURAL: Final = frozenset(
    ["answers", "both", "two", "several", "options", "respuestas", "either", "multiple", "choices"]
)

Features = dict[str, float]


class Scene(NamedTuple):
    """A reply with all that was found in it.

    Attributes:
        heads: how many options head a part of the reply.
        facts: what the reply as a whole is like.
        stated: the option that is stated last; -1 where none is.
        top: the option with the highest of the numbers beside all of them; -1 where there are none.
    """

    page: Page
    found: Sequence[Mention]
    see: Shown
    heads: int
    facts: Features
    top: int
    stated: int


def scene_of(
    page: Page, found: Sequence[Mention], see: Shown, state: Features, stated: int
) -> Scene:
    """The scene of a page; `state` is what was known of the reply before."""
    heads = len({m.option for m in found if m.style == "head" or m.how == "B"})
    top = _top_number(page, found, see.k)
    return Scene(page, found, see, heads, facts_of(page, found, see) | state, top, stated)


def facts_of(page: Page, found: Sequence[Mention], see: Shown) -> Features:
    """What the reply as a whole is like, without its mentions' scores."""
    text, n = page.text, len(page.raw)
    facts: Features = {}
    heard = page.small[0 if len(text) < _ESSAY else -_CLOSING :]
    for name, sign in words.SIGNS.items():
        patterns = sign.within(heard)
        if words.first_of(patterns, page.small, max(0, len(text) - _CLOSING)):
            facts[name + "9"] = facts[name] = 1.0
        elif len(text) < _ESSAY and (m := words.first_of(patterns, page.small)):
            facts[name] = 1.0
            if m.start() < 160:
                facts[name + "0"] = 1.0
    facts["short" if n < 8 else "medium" if n < 30 else "long" if n < 120 else "essay"] = 1.0
    tail = page.small[-40:]
    closed = text[-1:] in ".!?)\"'`*}]。！？|>" or n < 8
    signs = {
        "hangs": words.HANGS.search(tail),
        "announces": words.ANNOUNCES.search(tail),
        "unclosed": not closed,
        "asks": text[-1:] == "?",
        "bothall": _ALL_OF_THEM.search(text.lstrip()[:40]),
        "plural": not _PLURAL.isdisjoint(page.low[-40:]),
        "clash": any(m.clash for m in found),
        "digit": any(t[0].isdigit() for t in page.raw),
        "recital": page.recital,
        "special": any(see.says),
        "depends": not _DEPENDS.isdisjoint(page.low),
        **_elsewhere(page, found),
    }
    facts |= {name: 1.0 for name, holds in signs.items() if holds}
    return facts


def _elsewhere(page: Page, found: Sequence[Mention]) -> dict[str, bool]:
    """Whether an answer is announced, or a result reached, that names no option."""
    n = len(page.raw)
    named = {t for m in found for t in range(m.first - 3, m.last + 2)}
    out = {}
    for t in range(max(0, n - 60), n - 2):
        announced = page.cls[t] == "answer" and page.cls[t + 1] == "is"
        if announced and named.isdisjoint(range(t, t + 3)):
            out["elsewhere"] = True
        if page.raw[t] == "=" and page.raw[t + 1][-1].isdigit():
            out["equals_else"] = t + 1 not in named
    return out


def _top_number(page: Page, found: Sequence[Mention], k: int) -> int:
    scores: dict[int, float] = {}
    for at, m in enumerate(found):
        limit = found[at + 1].first if at + 1 < len(found) else len(page.raw)
        number = next(
            filter(_NUMBER.fullmatch, page.folded[m.last + 1 : min(limit, m.last + 7)]), None
        )
        if number and m.option not in scores:
            scores[m.option] = float(number)
    if len(scores) < max(2, k - 1):
        return -1
    order = sorted(scores, key=scores.__getitem__, reverse=True)
    return order[0] if scores[order[0]] > scores[order[1]] else -1


_NUMBER: Final = re.compile(r"\d{1,6}(\.\d{1,9})?")


Shares = dict[str, tuple[list[float], float, float]]
"""Part of a reply -> each option's share, the highest, and the second."""


class Named(NamedTuple):
    """What is known of the options once their mentions have scores.

    Attributes:
        tops: the highest score of each option's mentions.
        strongest: option -> the mention that has it.
        shares: how much of each option's words the reply has.
    """

    tops: list[float]
    strongest: dict[int, int]
    shares: Shares


def of_options(scene: Scene, z: Sequence[float]) -> tuple[list[Features], Named]:
    """The features of each option; `z` are the mentions' scores."""
    see, found = scene.see, scene.found
    by: list[list[float]] = [[] for _ in range(see.k)]
    for m, value in zip(found, z, strict=True):
        by[m.option].append(value)
    tops = [max(values, default=ABSENT) for values in by]
    shares = _shares(scene)
    strongest: dict[int, int] = {}
    for k, m in enumerate(found):
        if z[k] >= z[strongest.setdefault(m.option, k)]:
            strongest[m.option] = k
    low = {i for i, top in enumerate(tops) if by[i] and top < -1.0}
    but_one = sum(map(bool, by)) == see.k - 1 > 0
    verdicts = _verdicts(scene)
    out = []
    for i, values in enumerate(by):
        f = _of_scores(scene, z, i, values, tops) if values else {}
        if but_one and not values:
            f["leftout"] = 1.0
            f["leftover"] = float(len(low) == see.k - 1)
        f["others_low"] = float(len(low) == see.k - 1 and i not in low)
        if shares["all"][0][i]:
            _of_words(f, shares, i, bool(found))
        _of_status(f, scene, i)
        f |= verdicts.get(i, {})
        if scene.stated == i:
            f["stated"] = 1.0
            f["stated|several"] = scene.facts.get("several", 0.0)
        out.append(f)
    return out, Named(tops, strongest, shares)


_GOOD: Final = frozenset(["right", "fits"])
_BAD: Final = frozenset(["wrong", "drop", "not", "none"])


def _verdicts(scene: Scene) -> dict[int, Features]:
    """Which option alone is called right, or wrong, in what follows its name."""
    page, found = scene.page, [m for m in scene.found if m.how != "P"]
    said: dict[int, set[bool]] = {}
    for at, m in enumerate(found):
        end = found[at + 1].first if at + 1 < len(found) else len(page.raw)
        near = page.cls[m.last + 1 : min(end, m.last + 1 + _VERDICT)]
        first = next((c for c in near if c in _GOOD or c in _BAD), "")
        if first:
            said.setdefault(m.option, set()).add(first in _GOOD)
    sign = "x" if scene.see.negated else ""
    out: dict[int, Features] = {}
    for good in (True, False):
        have = [i for i, both in said.items() if both == {good}]
        others = [i for i, both in said.items() if both == {not good}]
        if len(have) == 1:
            size = "all" if len(others) == scene.see.k - 1 else "more" if len(others) > 1 else "few"
            name = f"{sign}lone{'+' if good else '-'}"
            out.setdefault(have[0], {}).update({name: 1.0, name + size: 1.0})
    return out


_VERDICT: Final = 24
"""Tokens behind a name in which what is said of it is looked for."""


def _of_scores(
    scene: Scene, z: Sequence[float], i: int, values: list[float], tops: list[float]
) -> Features:
    found, top = scene.found, tops[i]
    heavy = [j for j, value in enumerate(tops) if value > 0]
    firm = [m.option for m in found if m.how != "P"]
    f: Features = {
        "named": 1.0,
        "max": top,
        "lastz": values[-1],
        "firstz": values[0],
        "mean": sum(values) / len(values),
        "sum": sum(1 / (1 + exp(-v)) for v in values),
        "often": min(len(values), 5) / len(found),
        "highest": float(top == max(tops)),
        "onlyone": float(all(t == ABSENT for j, t in enumerate(tops) if j != i)),
        "onlyheavy": float(heavy == [i]),
        "firm_last": float(bool(firm) and firm[-1] == i),
        "firm_first": float(bool(firm) and firm[0] == i),
        "firm_only": float(bool(firm) and set(firm) == {i}),
        "top_number": float(scene.top == i),
        "top_number!": float(scene.top == i and len(found) <= scene.see.k + 1),
    }
    f |= {f"max>{edge}": 1.0 for edge in (-1, 0, 1, 2, 3) if top > edge}
    if found[-1].option == i:
        f |= {"final": 1.0, "finalz": z[-1], "final>0": float(z[-1] > 0)}
        f |= {"final>1": float(z[-1] > 1.5), "highest&final": f["highest"]}
    if found[0].option == i:
        f |= {"first": 1.0, "firstz0": z[0]}
    return f


def _shares(scene: Scene) -> Shares:
    """How much of each option's own words the reply, its end and its beginning have."""
    page, stems = scene.page, scene.page.stems
    last = len(page.begins) - 1
    while last and page.begins[last] >= len(page.raw) - 1:
        last -= 1
    opening = page.begins[1] if len(page.begins) > 1 else len(stems)
    ends = (t for t in range(len(stems) - 1, -1, -1) if page.cls[t] in ("so", "final", "answer"))
    closes = next(ends, len(stems))
    owned = [(own, sum(own.values()) or 1.0) for own in scene.see.stems]
    out: Shares = {}
    for name, part in zip(
        _PARTS,
        (stems, stems[page.begins[last] :], stems[:opening], stems[closes:]),
        strict=True,
    ):
        have = set(part)
        values = [sum([w for s, w in own.items() if s in have]) / total for own, total in owned]
        *_, rest, best = sorted([0.0, 0.0, *values])
        out[name] = (values, best, rest)
    return out


def _of_words(f: Features, shares: Shares, i: int, named: bool) -> None:
    for (values, best, rest), names in zip(shares.values(), _SHARES[named], strict=True):
        share = values[i]
        if share:
            f[names[0]] = share
        beside = rest if share == best else best
        if share > beside:
            f[names[1]], f[names[2]] = share - beside, 1.0
            if share > 0.99:
                f[names[3]] = 1.0


_PARTS: Final = ("all", "end", "start", "so")
_SHARES: Final = [
    [tuple(f"{prefix}{part}{sign}" for sign in ("", ">", "!", "*")) for part in _PARTS]
    for prefix in ("u:", "w:")
]
"""Names of features without and with mentions: of each part, a share and how it beats others."""


def _of_status(f: Features, scene: Scene, i: int) -> None:
    """What a reply that chooses nothing says of an option that says the same."""
    said = scene.see.says[i]
    for name in words.SIGNS if said else ():
        if name in (said, "none"):
            f["says:" + name] = scene.facts.get(name, 0.0)
            f["says0:" + name] = scene.facts.get(name + "0", 0.0)


def of_status(scene: Scene, z: Sequence[float], named: Named) -> Features:
    """Features that all statuses share, each with a weight of its own."""
    f = {"1": 1.0, **scene.facts}
    tops = named.tops
    order = sorted(tops, reverse=True)
    count = sum(top > ABSENT for top in tops)
    second = order[1] if len(order) > 1 else ABSENT
    f |= {
        f"m{min(count, 2)}": 1.0,
        "mall": float(count == len(tops)),
        "topz": max(order[0], -5.0),
        "top>0": float(order[0] > 0),
        "z2": max(second, -5.0),
        "both": float(second > 0),
        "heavy": float(sum(top > 0 for top in tops)),
    }
    if z:
        f["lastz"] = z[-1]
        _pair(f, scene, z)
    for name in ("all", "end"):
        f["ov" + name] = named.shares[name][1]
    for name in list(scene.facts) if not count else ():
        f[name + "&m0"] = 1.0
    for name in words.SIGNS if f.get("special") else ():
        f[name + "&special"] = f.get(name, 0.0)
    return f | dict.fromkeys(_edge_words(scene), 1.0)


def _pair(f: Features, scene: Scene, z: Sequence[float]) -> None:
    """Whether the strongest mention stands beside one of another option."""
    found = scene.found
    k = max(range(len(z)), key=z.__getitem__)
    for j in (k - 1, k + 1):
        if not 0 <= j < len(z) or found[j].option == found[k].option:
            continue
        if either(scene.page, found[j], found[k]):
            f |= {"either": 1.0, "either>0": float(z[j] > 0)}
        if found[max(j, k)].first - found[min(j, k)].last < 5:
            f |= {"pair": 1.0, "pair>0": float(z[j] > 0), "pairz": max(z[j], -4.0)}
            f["pair&plural"] = f.get("plural", 0.0)


_OR: Final = frozenset(["or", "oder", "ou", "either"])


def either(page: Page, one: Mention, other: Mention) -> bool:
    """Whether a sentence has two options with "or" between them."""
    first, second = sorted((one, other), key=lambda m: m.first)
    near = page.sent[first.last] == page.sent[second.first]
    return near and not _OR.isdisjoint(page.low[first.last + 1 : second.first])


def _edge_words(scene: Scene) -> list[str]:
    """Words and pairs of words at both ends of a reply, options' names left out."""
    page, out = scene.page, []
    named = {t for m in scene.found if m.how != "P" for t in range(m.first, m.last + 1)}
    low = page.low.copy()
    for t in named:
        low[t] = "_"
    for name, part in (("s:", low[:_EDGE_WORDS]), ("e:", low[-_EDGE_WORDS:])):
        out += [name + word for word in part]
        out += [f"{name}{a} {b}" for a, b in pairwise(part)]
    return out

"""What speaks for each option and each status: features with names, for one table of weights."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp
from typing import Final

from horsesense.readers.reading import Status
from horsesense.readers.text import words
from horsesense.readers.text.mentions import Mention
from horsesense.readers.text.options import Shown
from horsesense.readers.text.page import Page, stem

STATUSES: Final[tuple[Status, ...]] = (
    "none",
    "refusal",
    "unknown",
    "ambiguous",
    "illegal",
    "truncated",
)
CUES: Final = frozenset(
    words.listed(
        "answer pick right so final drop not wrong turn option fits maybe lure said if but"
        " none close"
    )
)
VERDICTS: Final = frozenset(["right", "wrong", "drop", "not", "fits", "none"])
ABSENT: Final = -6.0
"""Stands for the score of an option that is not named."""
_BEFORE: Final = 14
_BEHIND: Final = 16
_BELOW: Final = 30
"""Tokens below a heading in which its verdict is looked for."""
_NEAR_WORDS: Final = 6
_EDGE_WORDS: Final = 30
_ESSAY: Final = 1_500

Features = dict[str, float]


@dataclass(frozen=True, slots=True)
class Scene:
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


# ---- of one mention ----


def of_mention(scene: Scene, k: int) -> list[str]:
    """The names of what stands around one mention."""
    page, m = scene.page, scene.found[k]
    first, last = _clause(scene, k)
    before = _classes_before(page, m.first, first)
    behind = [(t - m.last, page.cls[t]) for t in range(m.last + 1, last) if page.cls[t]]
    nearest = next((c for _, c in before if c in CUES), "")
    out = ["1", "k:" + m.how + m.style, f"k:{m.how}{m.style}{scene.see.style}"]
    out += [("b1:" if d < 4 else "b2:" if d < 8 else "b3:") + c for d, c in before]
    out += [("a1:" if d < 4 else "a2:" if d < 9 else "a3:") + c for d, c in behind]
    out += _orders(before, "bb") + _orders(behind, "aa")
    sign = "x" if scene.see.negated else ""
    out += [f"{sign}v:{c}" for _, c in behind if c in VERDICTS]
    heads, announced = _of_heading(scene, k, sign)
    nearest = nearest or announced
    out += heads + _negations({c for _, c in before}, {c for _, c in behind})
    out += _words_near(page, m, first, last)
    out += _neighbours(scene, k) + _question(scene, k) + _form(scene, k, nearest)
    return out


def _clause(scene: Scene, k: int) -> tuple[int, int]:
    """The tokens around a mention that speak of it: to its neighbours and the sentence's ends."""
    page, found, m = scene.page, scene.found, scene.found[k]
    here = page.sent[m.first]
    first, last = page.begins[here], _end(page, here)
    if k and found[k - 1].last >= first:
        first = found[k - 1].last + 1
    if k + 1 < len(found) and found[k + 1].first < last:
        last = found[k + 1].first
    return max(first, m.first - _BEFORE), min(last, m.last + _BEHIND)


def _end(page: Page, sentence: int) -> int:
    return page.begins[sentence + 1] if sentence + 1 < len(page.begins) else len(page.raw)


def _classes_before(page: Page, at: int, first: int) -> list[tuple[int, str]]:
    return [(at - t, page.cls[t]) for t in range(at - 1, first - 1, -1) if page.cls[t]]


def _orders(found: list[tuple[int, str]], name: str) -> list[str]:
    pairs = [(0, 1), (0, 2)] if len(found) > 2 else [(0, 1)] if len(found) > 1 else []
    return [f"{name}{b}:{found[a][1]}>{found[b][1]}" for a, b in pairs]


def _of_heading(scene: Scene, k: int, sign: str) -> tuple[list[str], str]:
    """The verdict in the sentences below a heading, and what announces it above."""
    page, found, m = scene.page, scene.found, scene.found[k]
    here = page.sent[m.first]
    if m.style != "head" and m.first != page.begins[here]:
        return [], ""
    start = _end(page, here)
    stop = min(found[k + 1].first if k + 1 < len(found) else len(page.raw), start + _BELOW)
    out = [f"{sign}g:{page.cls[t]}" for t in range(start, stop) if page.cls[t] in VERDICTS]
    above = max(found[k - 1].last if k else -1, m.first - 9)
    cues = [page.cls[t] for t in range(m.first - 1, above, -1) if page.cls[t] in CUES]
    return out + ["h:" + c for c in cues], cues[0] if cues else ""


def _negations(before: set[str], behind: set[str]) -> list[str]:
    out = []
    if "not" in before:
        out += [f"bn:{c}" for c in sorted(before & {"right", "pick", "answer", "wrong", "drop"})]
    if "not" in behind:
        out += [f"an:{c}" for c in sorted(behind & {"right", "fits", "answer", "wrong"})]
    return out


def _words_near(page: Page, m: Mention, first: int, last: int) -> list[str]:
    """The words themselves, which learning may find to mean something."""
    low, n = page.low, len(page.low)
    left = low[max(first, m.first - _NEAR_WORDS) : m.first]
    right = low[m.last + 1 : min(last, m.last + 1 + _NEAR_WORDS)]
    out = ["w-:" + word for word in left] + ["w+:" + word for word in right]
    one = low[m.first - 1] if m.first else "^"
    two = low[m.first - 2] if m.first > 1 else "^"
    next_one = low[m.last + 1] if m.last + 1 < n else "$"
    next_two = low[m.last + 2] if m.last + 2 < n else "$"
    return [*out, "r-:" + one, "r+:" + next_one, f"r2-:{two} {one}", f"r2+:{next_one} {next_two}",
            f"r-:{one}|{m.how}", f"r=:{one}|{next_one}"]  # fmt: skip


def _neighbours(scene: Scene, k: int) -> list[str]:
    """What stands beside a mention, before and after it in the reply."""
    page, found, m = scene.page, scene.found, scene.found[k]
    here, out = page.sent[m.first], []
    previous = found[k - 1] if k else None
    following = found[k + 1] if k + 1 < len(found) else None
    if previous and page.sent[previous.last] == here:
        out.append("with<")
        left = range(page.begins[here], previous.first)
        out += ["p:" + page.cls[t] for t in left if page.cls[t] in CUES]
        if m.first - previous.last < 4 and page.cls[m.first - 1] == "and":
            out.append("and<")
    if following and page.sent[following.first] == here:
        out.append("with>")
        if following.first - m.last < 4 and page.cls[m.last + 1] == "and":
            out.append("and>")
    firm = [x for x in found if x.how != "P" and x.option != m.option]
    later = {x.option for x in firm if x.first > m.last}
    earlier = {x.option for x in firm if x.last < m.first}
    out += [f"then{min(len(later), 2)}{m.how}", f"past{min(len(earlier), 2)}{m.how}"]
    if previous:
        known = any(x.option == m.option for x in found[:k])
        out.append("again" if known else "new|" + m.how)
    return [*out, "clash"] if m.clash else out


def _question(scene: Scene, k: int) -> list[str]:
    """How far the mention's sentence takes up the words of the question."""
    page, found, see, m = scene.page, scene.found, scene.see, scene.found[k]
    here = page.sent[m.first]
    begin, stop = page.begins[here], _end(page, here)
    taken = "q?"
    if see.asked:
        share = len(see.asked.intersection(map(stem, page.folded[begin:stop]))) / len(see.asked)
        taken = f"q{0 if share < 0.12 else 1 if share < 0.3 else 2 if share < 0.5 else 3}"
    beside = (x for x in found[max(0, k - 3) : k + 4] if x.how != "P" and x.option != m.option)
    solo = "duo" if any(page.sent[x.first] == here for x in beside) else "solo"
    side = "end" if here >= len(page.begins) - 1 else "body" if here else "start"
    part = "P" if m.how == "P" else "F"
    out = [taken + solo, taken + side + solo, side + solo + m.how, taken + part]
    if any(c == "not" for c in page.cls[begin:stop]):
        out.append(taken + "not")
    return [*out, "asked"] if here in page.asks else out


def _form(scene: Scene, k: int, nearest: str) -> list[str]:
    """How and where in the reply a mention stands, with the cue nearest to it."""
    page, found, m = scene.page, scene.found, scene.found[k]
    n, here, last_one = len(page.raw), page.sent[m.first], len(page.begins) - 1
    place = (
        "only" if len(found) == 1 else "last" if k == len(found) - 1 else "mid" if k else "first"
    )
    where = (
        "end"
        if m.last >= n - 3
        else "sent"
        if here >= last_one - 1
        else "start"
        if m.first < 12
        else "body"
    )
    form = f"{m.how}{m.style}:{nearest}"
    out = [f"c:{nearest}|{place}", f"o:{m.how}|{place}", "n:" + form, f"{form}|{place}",
           f"{form}|{where}", f"full{m.how != 'P'}{place}"]  # fmt: skip
    if m.first < 2:
        out += ["opens" + m.how, f"opens{m.how}{page.low[m.last + 1] if m.last + 1 < n else '$'}"]
    if m.last >= n - 2:
        out.append("ends" + m.how)
    if here == last_one:
        out.append("lastsent|" + m.how)
    elif not here:
        out.append("firstsent|" + m.how)
    line = _line(page, m)
    if line:
        out += [f"{line}|{place}", f"{line}|{m.how}{m.style}", f"{line}:{nearest}"]
    if m.first in page.before and m.last in page.behind:
        out += ["marked|" + place, "marked:" + nearest]
    if m.style == "head" or m.how == "B":
        out.append(f"heads{min(scene.heads, 3)}")
    return out


def _line(page: Page, m: Mention) -> str:
    """Whether a mention begins or ends its line."""
    left, right, n = m.first - 1, m.last + 1, len(page.raw)
    while left >= 0 and page.raw[left] in "([⟦":
        left -= 1
    while right < n and page.raw[right] in ").]:":
        right += 1
    begins = left < 0 or page.raw[left] == "\n"
    ends = right >= n or page.raw[right] == "\n"
    return ("line<" if begins else "") + ("line>" if ends else "")


# ---- of the whole reply ----


def facts_of(page: Page, found: Sequence[Mention], see: Shown) -> Features:
    """What the reply as a whole is like, without its mentions' scores."""
    text, n = page.text, len(page.raw)
    facts: Features = {}
    for name, pattern in words.SIGNS.items():
        end = pattern.search(text, max(0, len(text) - 200))
        if end:
            facts[name + "9"] = facts[name] = 1.0
        elif len(text) < _ESSAY and (m := pattern.search(text)):
            facts[name] = 1.0
            if m.start() < 160:
                facts[name + "0"] = 1.0
    facts["short" if n < 8 else "medium" if n < 30 else "long" if n < 120 else "essay"] = 1.0
    tail = text[-40:]
    closed = text[-1:] in ".!?)\"'`*}]。！？|>" or n < 8
    signs = {
        "hangs": words.HANGS.search(tail),
        "announces": words.ANNOUNCES.search(tail),
        "unclosed": not closed,
        "asks": text[-1:] == "?",
        "bothall": words.ALL_OF_THEM.search(text.lstrip()[:40]),
        "plural": not words.PLURAL.isdisjoint(page.low[-40:]),
        "clash": any(m.clash for m in found),
        "digit": any(t[0].isdigit() for t in page.raw),
        "recital": page.recital,
        "special": any(see.says),
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
        if (
            page.cls[t] == "answer"
            and page.cls[t + 1] == "is"
            and named.isdisjoint(range(t, t + 3))
        ):
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


@dataclass(frozen=True, slots=True)
class Named:
    """What is known of the options once their mentions have scores."""

    tops: list[float]
    shares: dict[str, list[float]]


def of_options(scene: Scene, z: Sequence[float]) -> tuple[list[Features], Named]:
    """The features of each option; `z` are the scores of the mentions."""
    see, found = scene.see, scene.found
    by: list[list[float]] = [[] for _ in range(see.k)]
    for m, value in zip(found, z, strict=True):
        by[m.option].append(value)
    tops = [max(values, default=ABSENT) for values in by]
    shares = _shares(scene)
    low = {i for i, values in enumerate(by) if values and max(values) < -1.0}
    out = []
    for i, values in enumerate(by):
        f = _of_scores(scene, z, i, values, tops) if values else {}
        if not values and sum(map(bool, by)) == see.k - 1 > 0:
            f["leftout"] = 1.0
            f["leftover"] = float(len(low) == see.k - 1)
        f["others_low"] = float(len(low) == see.k - 1 and i not in low)
        _of_words(f, shares, i, "w:" if found else "u:")
        _of_status(f, scene, i)
        if scene.stated == i:
            f["stated"] = 1.0
            f["stated|several"] = scene.facts.get("several", 0.0)
        out.append(f)
    return out, Named(tops, shares)


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
        f |= {
            "final": 1.0,
            "finalz": z[-1],
            "final>0": float(z[-1] > 0),
            "final>1": float(z[-1] > 1.5),
        }
        f["highest&final"] = f["highest"]
    if found[0].option == i:
        f |= {"first": 1.0, "firstz0": z[0]}
    return f


def _shares(scene: Scene) -> dict[str, list[float]]:
    """How much of each option's own words the reply, its end and its beginning have."""
    page = scene.page
    stems = [stem(t) for t in page.folded]
    last = len(page.begins) - 1
    while last and page.begins[last] >= len(page.raw) - 1:
        last -= 1
    opening = page.begins[1] if len(page.begins) > 1 else len(stems)
    parts = {
        "all": set(stems),
        "end": set(stems[page.begins[last] :]),
        "start": set(stems[:opening]),
    }
    return {
        name: [
            sum(w for s, w in own.items() if s in have) / (sum(own.values()) or 1.0)
            for own in scene.see.stems
        ]
        for name, have in parts.items()
    }


def _of_words(f: Features, shares: dict[str, list[float]], i: int, prefix: str) -> None:
    for name, values in shares.items():
        share = values[i]
        rest = max((s for j, s in enumerate(values) if j != i), default=0.0)
        f[prefix + name] = share
        if share > rest:
            f[f"{prefix}{name}>"] = share - rest
            f[f"{prefix}{name}!"] = 1.0
            f[f"{prefix}{name}*"] = float(share > 0.99)


def _of_status(f: Features, scene: Scene, i: int) -> None:
    """What a reply that chooses nothing says of an option that says the same."""
    said = scene.see.says[i]
    for name in words.SIGNS:
        if said and (said == name or name == "none"):
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
        _pair(f, scene.found, z)
    for name in ("all", "end"):
        f["ov" + name] = max(named.shares[name], default=0.0)
    for name in list(scene.facts) if not count else ():
        f[name + "&m0"] = 1.0
    for name in words.SIGNS if f.get("special") else ():
        f[name + "&special"] = f.get(name, 0.0)
    for name in _edge_words(scene):
        f[name] = 1.0
    return f


def _pair(f: Features, found: Sequence[Mention], z: Sequence[float]) -> None:
    """Whether the strongest mention stands beside one of another option."""
    k = max(range(len(z)), key=z.__getitem__)
    for j in (k - 1, k + 1):
        if not 0 <= j < len(z) or found[j].option == found[k].option:
            continue
        if found[max(j, k)].first - found[min(j, k)].last < 5:
            f |= {"pair": 1.0, "pair>0": float(z[j] > 0), "pairz": max(z[j], -4.0)}
            f["pair&plural"] = f.get("plural", 0.0)


def _edge_words(scene: Scene) -> Iterator[str]:
    """Words and pairs of words at both ends of a reply, options' names left out."""
    page = scene.page
    named = {t for m in scene.found if m.how != "P" for t in range(m.first, m.last + 1)}
    low = ["_" if t in named else word for t, word in enumerate(page.low)]
    for name, part in (("s:", low[:_EDGE_WORDS]), ("e:", low[-_EDGE_WORDS:])):
        yield from (name + word for word in part)
        yield from (f"{name}{a} {b}" for a, b in pairwise(part))

"""What stands around one mention: names of features, for the weights of mentions."""

from __future__ import annotations

from typing import Final

from horsesense.readers.text import words
from horsesense.readers.text.evidence import Scene, either
from horsesense.readers.text.mentions import Mention
from horsesense.readers.text.page import Page

CUES: Final = frozenset(
    words.listed(
        "answer pick right so final drop not wrong turn option fits maybe lure said if but"
        " none close"
    )
)
VERDICTS: Final = frozenset(["right", "wrong", "drop", "not", "fits", "none"])
_BEFORE: Final = 14
_BEHIND: Final = 16
_BELOW: Final = 30
"""Tokens below a heading in which its verdict is looked for."""
_NEAR_WORDS: Final = 6


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
    return out + _sentences(scene, k)


def _sentences(scene: Scene, k: int) -> list[str]:
    """How the mention's sentence and the following one begin, and the cues of the sentence."""
    page, m = scene.page, scene.found[k]
    here = page.sent[m.first]
    begin, stop = page.begins[here], _end(page, here)
    out = ["s:" + c for c in sorted(CUES.intersection(page.cls[begin:stop]))]
    if begin < m.first:
        out.append("s0:" + page.low[begin])
    if words.ATTRIBUTED.match(page.text, page.at[begin]):
        out += ["others", "others|" + m.how]
    following = next(
        (t for t in range(stop, min(stop + 3, len(page.raw))) if page.raw[t] != "\n"), -1
    )
    if following >= 0:
        out += ["s1:" + page.low[following], "s1c:" + page.cls[following]]
        rest = CUES.intersection(page.cls[following : _end(page, page.sent[following])])
        out += ["s2:" + c for c in sorted(rest)]
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
    for name, other in (("or<", previous), ("or>", following)):
        if other and other.option != m.option and either(page, other, m):
            out.append(name)
    later = {x.option for x in found[k + 1 :] if x.how != "P"} - {m.option}
    earlier = {x.option for x in found[:k] if x.how != "P"} - {m.option}
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
        share = len(see.asked.intersection(page.stems[begin:stop])) / len(see.asked)
        taken = f"q{0 if share < 0.12 else 1 if share < 0.3 else 2 if share < 0.5 else 3}"
    beside = (x for x in found[max(0, k - 3) : k + 4] if x.how != "P" and x.option != m.option)
    solo = "duo" if any(page.sent[x.first] == here for x in beside) else "solo"
    side = "end" if here >= len(page.begins) - 1 else "body" if here else "start"
    part = "P" if m.how == "P" else "F"
    out = [taken + solo, taken + side + solo, side + solo + m.how, taken + part]
    if "not" in page.cls[begin:stop]:
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

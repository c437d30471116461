"""Every place of a reply that names an option."""

from __future__ import annotations

from typing import Final, NamedTuple

from horsesense.readers.text import words
from horsesense.readers.text.options import Shown
from horsesense.readers.text.page import NOISE, Page


class Mention(NamedTuple):
    """A place that names an option.

    Attributes:
        option: its position.
        first, last: the tokens.
        how: "L" by label, "T" by text, "B" by both, "O" by place, "P" by a word of its own.
        style: of a label: how it stands there; of a word: how much of the option it is.
        clash: a label stands beside another option's text.
    """

    option: int
    first: int
    last: int
    how: str
    style: str = ""
    clash: bool = False


_GOES_ON: Final = frozenset(
    words.listed("is and or as because was since seems fits would but has says with")
)
_ARITHMETIC: Final = frozenset("+-×/=^%*°$€£<>")
_STRONG: Final = frozenset(["head", "paren", "cue", "colon", "box", "mark", "near"])
_BEFORE_PLACE: Final = frozenset(["the", "die", "la", "le", "el", "der", "your"])
_OF_PLACE: Final = frozenset(["one", "item", "sentence", "caption", "answer", "text", "line", "of"])
_MOST: Final = 90
"""Mentions that are looked at: of more, the first third and the last two."""
_AGAIN: Final = 12
"""Tokens behind a mention within which a further word of the same option is none of its own."""


def find(page: Page, see: Shown) -> list[Mention]:
    """All mentions, in the order of the reply; a label with its own text is one."""
    found: list[Mention] = []
    raw, low, folded, stems, cls = page.raw, page.low, page.folded, page.stems, page.cls
    index, labels, small, own = see.index, see.labels, see.small, see.own
    end = 0
    for i in _candidates(page, see):
        if i < end:
            continue
        hit = None
        if folded[i] in index or raw[i] in labels or low[i] in small:
            hit = _by_name(page, i, see)
        if hit is None and (low[i] in words.PLACE or (i and cls[i - 1] == "option")):
            hit = _by_place(page, i, see)
        if hit is None and stems[i] in own:
            hit = _by_part(page, i, see)
        if hit is None:
            continue
        last = found[-1] if found else None
        end = hit.last + 1
        if not (hit.how == "P" and last is not None and _goes_with(page, last, hit)):
            _add(page, found, hit)
    found = _without_rejected(page, _without_recital(page, found, see.k))
    return found if len(found) <= _MOST else found[: _MOST // 3] + found[-_MOST * 2 // 3 :]


def _candidates(page: Page, see: Shown) -> list[int]:
    """The tokens where an option may be named."""
    own, index, labels, small = see.own, see.index, see.labels, see.small
    each = zip(("", *page.cls), page.raw, page.low, page.folded, page.stems, strict=False)
    out = []
    for i, (before, raw, low, folded, stem) in enumerate(each):
        named = stem in own or folded in index or raw in labels or low in small
        if named or low in words.PLACE or before == "option":
            out.append(i)
    return out


def _by_name(page: Page, i: int, see: Shown) -> Mention | None:
    """The option whose text or label begins at a token; the longer of both."""
    text = _text_at(page, i, see)
    token = page.raw[i]
    option = see.labels.get(token)
    exact = option is not None
    if option is None and see.small and len(token) < 9:
        option = see.small.get(page.low[i])
    if option is None or (text is not None and text.last != i):
        return text
    style = _standing(page, i, see.style, exact)
    if style == "bare" and i and _names_a_thing(page, i - 1) and not _heads_text(page, i, see):
        style = ""
    weak = style in ("bare", "near", "colon") and see.style == "digit"
    if not style or (weak and text is not None):
        return text
    return Mention(option, i, i, "L", style, text is not None and text.option != option)


def _text_at(page: Page, i: int, see: Shown) -> Mention | None:
    folded, n = page.folded, len(page.folded)
    for key, option in see.index.get(folded[i], ()):
        j, k = i, 0
        while j < n and k < len(key):
            if folded[j] == key[k]:
                k += 1
            elif folded[j] not in NOISE:
                break
            j += 1
        if k == len(key):
            return Mention(option, i, j - 1, "T")
    return None


def _standing(page: Page, i: int, style: str, exact: bool) -> str:
    """How a token that may be a label stands; empty where it cannot be one."""
    raw, token = page.raw, page.raw[i]
    after = raw[i + 1] if i + 1 < len(raw) else "\n"
    found = _style(page, i)
    if after == "(" and page.at[i + 1] == page.at[i] + len(token):
        return ""  # a function
    if style == "digit":
        counts = after in _ARITHMETIC or (i and raw[i - 1] in _ARITHMETIC)
        return "" if counts and found in ("bare", "near", "colon", "mark") else found
    article = token in ("A", "I", "a", "i")
    goes_on = not after[0].isalpha() or after.lower() in _GOES_ON
    if found == "bare":
        free = exact and style != "lower" and not (article and not goes_on) and token != "I"
        return found if free else ""
    if not exact and found in ("near", "tail"):
        ends = after in ".)]\n" and token != "i"
        return found if ends or not (article or (i and page.cls[i - 1] == "is")) else ""
    return "" if exact and token == "A" and found == "near" and not goes_on else found


def _names_a_thing(page: Page, i: int) -> bool:
    """Whether a word makes the letter behind it a part of a name ("hepatitis B", "vitamin C")."""
    word = page.low[i]
    return len(word) > 5 and word.isalpha() and not page.cls[i] and word not in _LEADS


def _heads_text(page: Page, i: int, see: Shown) -> bool:
    """Whether a label goes on with the text of an option: "A. red B. blue"."""
    return i + 2 < len(page.raw) and _text_at(page, i + 2, see) is not None


_LEADS: Final = frozenset(words.listed("between before except toward towards though although"))


def _style(page: Page, i: int) -> str:
    raw, cls = page.raw, page.cls
    before = raw[i - 1] if i else "\n"
    earlier = raw[i - 2] if i > 1 else "\n"
    after = raw[i + 1] if i + 1 < len(raw) else "\n"
    near, nearer = cls[i - 1] if i else "", cls[i - 2] if i > 1 else ""
    start = (
        before == "\n" or page.begins[page.sent[i]] == i or (before in "->•" and earlier == "\n")
    )
    if before == "⟦" or (before == "(" and earlier == "⟦"):
        return "box"
    if before in "([" and after in ")]":
        return "paren"
    if start and after == "\n":
        return "line"
    if start and after in ").:]":
        return "head"
    if near == "option" or (before in ":#(" and nearer in ("option", "answer")):
        return "cue"
    if before == ":":
        return "colon"
    if i in page.before and i in page.behind:
        return "mark"
    if near in ("pick", "answer", "is", "so") or (nearer in ("answer", "pick") and not near):
        return "near"
    return "tail" if after in ")]" and before != "(" else "bare"


def _by_place(page: Page, i: int, see: Shown) -> Mention | None:
    """ "The second option"; "option 2" where labels are letters."""
    low, cls, n = page.low, page.cls, len(page.low)
    place = words.PLACE.get(low[i])
    if place is not None and place < see.k and i and low[i - 1] in _BEFORE_PLACE:
        after = low[i + 1] if i + 1 < n else "."
        kind = cls[i + 1] if i + 1 < n else ""
        if kind == "option" or after in _OF_PLACE:
            return Mention(place % see.k, i, min(i + 1, n - 1), "O", "place")
        if not after[0].isalnum() or kind == "is":
            return Mention(place % see.k, i, i, "O", "pointed")
    if see.style == "digit" or not i or cls[i - 1] != "option" or low[i - 1] == "statement":
        return None
    value = page.folded[i]
    if value.isdecimal() and len(value) < 4 and 0 < int(value) <= see.k:
        return Mention(int(value) - 1, i, i, "O", "number")
    letter = len(low[i]) == 1 and page.raw[i].isupper() and not see.style
    if letter and 0 <= ord(low[i]) - 97 < see.k:
        return Mention(ord(low[i]) - 97, i, i, "O", "letter")
    return None


def _by_part(page: Page, i: int, see: Shown) -> Mention | None:
    """A word that one option alone has, with what follows of that option."""
    option = see.own.get(page.stems[i])
    if option is None:
        return None
    weights = see.stems[option]
    seen: set[str] = set()
    j = last = i
    while j < len(page.raw) and j - last < 4 and page.raw[j] != "\n":
        word = page.stems[j]
        if word in weights:
            seen.add(word)
            last = j
        elif page.folded[j] not in words.STOP and page.folded[j] not in NOISE:
            break
        j += 1
    share = sum(weights[word] for word in sorted(seen)) / sum(weights.values())
    style = "whole" if share > 0.8 else "half" if share > 0.45 else "bit"
    return Mention(option, i, last, "P", style + ("?" if seen <= see.asked else ""))


def _goes_with(page: Page, last: Mention, hit: Mention) -> bool:
    same = last.option == hit.option and page.sent[last.first] == page.sent[hit.first]
    return same and hit.first - last.last < _AGAIN


_JOINS: Final = frozenset(words.listed(') . : ] - – — = , ( " ⟦ | is → the ->'))


def _add(page: Page, found: list[Mention], hit: Mention) -> None:
    """A mention beside the one before it: one of both, a clash, or one more."""
    last = found[-1] if found else None
    gap = hit.first - last.last - 1 if last else 9
    if last is None or gap > 3:
        found.append(hit)
        return
    between = page.raw[last.last + 1 : hit.first]
    joined = last.how == "L" and hit.how == "T" and all(token in _JOINS for token in between)
    if joined and last.option == hit.option:
        found[-1] = last._replace(last=hit.last, how="B")
    elif joined and last.style in _STRONG and between and between[0] != ",":
        found[-1] = last._replace(clash=True)
        found.append(hit._replace(clash=True))
    elif (
        last.how == "T"
        and hit.how == "L"
        and hit.style in ("paren", "cue")
        and last.option == hit.option
    ):
        after = min(hit.last + 1, len(page.raw) - 1)
        found[-1] = last._replace(last=after, how="B", style=hit.style)
    else:
        found.append(hit)


_REJECTS: Final = frozenset(
    words.listed("not unlike than over never excluding except nicht pas no не")
)


def _without_rejected(page: Page, found: list[Mention]) -> list[Mention]:
    """Without what is named only to say that it is not meant: "D, not B"."""
    kept: list[Mention] = []
    last: Mention | None = None
    for m in found:
        t = m.first - 1
        while t >= 0 and (page.raw[t] in "([⟦" or page.cls[t] == "option" or page.low[t] == "the"):
            t -= 1
        of = t > 0 and page.low[t] == "of" and page.low[t - 1] == "instead"
        rejects = t > 0 and (page.low[t] in _REJECTS or of)
        rejects = rejects or (last is not None and m.first - last.last < 5 and page.low[t] == "or")
        last = None
        before = kept[-1] if kept else None
        beside = before is not None and before.option != m.option and m.first - before.last < 9
        if not (rejects and beside and before and page.sent[before.last] == page.sent[m.first]):
            kept.append(m)
        else:
            last = m
    return kept


def _without_recital(page: Page, found: list[Mention], k: int) -> list[Mention]:
    """Without the options repeated one after the other as they were shown."""
    run = 0
    for at, m in enumerate(found):
        between = page.folded[found[at - 1].last + 1 : m.first] if run else []
        near = all(token in NOISE for token in between)
        follows = m.option == run and near and m.how in "BT"
        run = run + 1 if follows else int(m.option == 0 and m.how in "BT")
        if run == k > 2:
            page.recital = True
            return found[: at + 1 - k] + found[at + 1 :]
    return found

"""Options that are sequences: of verdicts ("True, False"), or of the same items in another order.

A reply seldom repeats such an option; it judges the statements one by one ("Statement 1 is true.
Statement 2 isn't."), all together ("Both are wrong"), or puts the items into order in a way of its
own ("3 → 1 → 2", "discovery (2), then trial (1)", "gamma < visible < radio").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from horsesense.readers.reading import Reading
from horsesense.readers.text.claims.impression import Impression
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.words.no_choice import REFUSAL
from horsesense.readers.text.words.normalise import DEFAULT

_CONFIDENCE = 0.91
_MOST = 12_000
_FEWEST, _LONGEST = 3, 3
_NEAR = 400
_ITEM = re.compile(r"\w+")
_PARTS = re.compile(r"\s*(?:[,;/|]|\band\b)\s*")
_TRUTH = {
    **dict.fromkeys(("true", "t", "correct", "yes"), True),
    **dict.fromkeys(("false", "f", "incorrect", "no", "not true", "not correct"), False),
}
_BLAME = {"wrong": True, "not wrong": False}
_HEAD = re.compile(
    r"\b(?:statement|scenario|claim|sentence|proposition|case)s?[ #*_]*(?:(?P<word>one|two"
    r"|three)|(?P<n>[1-5]"
    r"|i{1,3}))\b(?!\s*(?:and|or|&)\b)"
    r"|(?:(?<=\n)|\A)[\s>*_•(-]*(?P<line>[1-5]|i{1,3})[\s*_]*(?:[.):]|→|->|=|–|—|-)"
    r"|\bthe (?P<nth>first|second|third)(?: (?:one|statement|scenario|half|claim|part|case))?\b"
    r"|(?<=[,;:] )(?P<bare>[1-5])(?= (?:not |clearly |is )?(?:wrong|true|false)\b)"
)
_NUMBER = {
    **{str(n): n for n in range(1, 6)},
    **{"i": 1, "ii": 2, "iii": 3, "one": 1, "two": 2, "three": 3},
    **{"first": 1, "second": 2, "third": 3},
}
HEDGE = re.compile(
    r"\b(?:if|were|would|might|may|could|should|seems?|unless|whether|suppose\w*|some|many|people|others"
    r"|tempt\w*|first sight|at first|looks?|appears?|sounds?|mistak\w*|trap|assum\w*|think\w*"
    r"|believe\w*|say|says|said|claims|converse|unlike"
    r"|only (?:for|if|when|in|where)|partly|partially|half|sometimes|in general|negation|opposite"
    r"|contrary|denial|books?|friend|teacher|students?|textbooks?"
    r"|(?:wrong|false|incorrect) (?:that|to))\b|\?"
)
_SENTENCE = re.compile(r"[^\n.!?;]*(?:[.!?;](?=\S)[^\n.!?;]*)*(?:[.!?;]+[\"')*_]*|\n|\Z)")
_NOT = r"(?:\bnot|n['’]t|\bneither|\bnever|\bhardly)"
_SAYS_SO = r"(?:\bis|\bare|\bwas|\bwere|['’]s|\bso|\btherefore|\bthus|\bhence|[:>→(|–—-]|\A|\n"
_SAYS_SO += r"|,(?= (?:true|false)\W*\Z))"
_AWAY = r"[\s*_\"“(]*(?:(?:the statement|it|this|which|also|thus|therefore|is|too|a|in|a matter of"
_AWAY += r"|likewise|simply|\w+ly) ){0,4}[*_\"“(]*"
_TRUE = r"(?:true|correct|right(?=\W*[.,;:)*\n]|\Z)|valid|accurate|holds?|t(?=\s*(?:[.,;()\n]|\Z)))"
_FALSE = r"(?:false|incorrect|wrong|untrue|invalid|inaccurate|fails|f(?=\s*(?:[.,;()\n]|\Z)))"
OF_TRUTH = re.compile(
    rf"(?P<denied>{_NOT} (?:\w+ ){{0,2}}?{_TRUE}|(?:is|does)n['’]t(?=\s*(?:[.:,;)]|hold|\Z)))"
    rf"|(?P<turned>{_NOT} (?:\w+ ){{0,2}}?{_FALSE})"
    rf"|{_SAYS_SO}{_AWAY}(?:(?P<no>{_FALSE})|(?P<yes>{_TRUE}))\b"
    rf"|\b(?P<fails>fails|does not hold)\b|\b(?P<holds>holds)\b"
)
_OF_BLAME = re.compile(
    rf"(?P<turned>(?:{_NOT}|\bnothing|\bno) (?:[\w]+ ){{0,5}}?(?:wrong|immoral)\b|\bnot-wrong\b)"
    rf"|(?P<denied>{_NOT} (?:\w+ ){{0,2}}?(?:fine|ok|okay|acceptable|permissible)\b)"
    r"|(?P<yes>(?<!went )(?<!what was )(?<!something )\b(?:wrong(?! (?:way|turn|change|key|bus"
    r"|person|man|woman|number|place|time|size|one|side|answer|with|about)\b)|immoral|unethical"
    r"|unacceptable)\b)"
    r"|(?P<no>\b(?:morally (?:fine|acceptable|neutral)|harmless|innocent|permissible|blameless"
    r"|praiseworthy)\b)"
)
ALL_AT_ONCE = re.compile(
    r"\b(?P<all>both|all (?:two|three|four)|each)\b"
    r"|\b(?P<none>neither(?: of (?:the (?:two |three )?)?(?:them|these|statements|scenarios|claims"
    r"|two|three)| (?:statement|scenario|claim|one|is|was|holds|does|seems)))\b"
)
_DIVIDES = re.compile(
    r"\b(?:but|however|although|though|except)\b|\bnot (?:both|all|each)\b"
    r"|\b(?:both|all|each)\b.{0,30}(?:\bnot\b|n['’]t\b)(?! wrong)"
)
_DENIES = re.compile(r"\bnot\b|n['’]t\b|\b(?:wrong|false|incorrect) (?:that|to)\b")
_ONLY = re.compile(
    r"\bonly (?:the )?(?:statement |scenario )?(?P<n>first|second|third|[1-3]|i{1,3})\b"
)
_ABBREVIATED = re.compile(r"(?<![\w.])[tf](?:\s*[,/;-]\s*[tf])+(?![\w])")
_SAID = re.compile(
    r"(?:\b(?:(?:statement|claim|sentence|s|no\.?)[\s*]{0,3})?(?P<n>[1-5]|i{1,3})[\s*]{0,3}"
    r"(?:[:.)=]|is\b|->|→|-)[\s*]{0,3})?(?<![a-eg-su-z])(?P<said>true|false|[tf])(?![a-eg-su-z])"
)
_LEADS_TO = re.compile(r"\A\W*(?:the )?(?:(?:final|correct) )?answer(?: is)?\b|\band\b|\bis\b")
_MARKS = " \n\t,;:./|()[]*_-–—→\"'"
_WHOLE = 80
_TRUE_OR_FALSE = ("T", "F", "t", "f")
_JOINT = r"(?:\s*(?:→|->|=>|>|<|≺|,|;|–|—|-|/|\||\bthen\b|\band\b|\bbefore\b)){1,3}\s*|\s+"
_ASIDE = r"(?:\s*\([^()\n]{1,60}\))?"
_AGAINST = re.compile(
    r"n['’]t\b|\b(?:not|wrong|incorrect|mistake\w*|instead|rather|if|would|common|trap|tempt\w*|eliminat\w*"
    r"|backwards?|from (?:the )?(?:last|latest|bottom|end|highest|largest|most)|rank of|by \w+:"
    r"|some|except|begins?|starts?|cannot|reverse\w*|opposite|many|pick|items|options|friend|book"
    r"|teacher|students?|say|says|said|think|reject|incorrectly|whether|let me|consider|steps)\b|\?"
)
_ORDERS = re.compile(r"\b(?:order|sequence|arrang\w*|chronolog\w*|answer)\b|→|->|=>")
_PAIR = re.compile(r"(\w+) ?(?:-|→|:|=) ?(\w+)")
_RUN_ENDS = re.compile(r"[\s\"')\]]*(?:[.!]|\n|\Z)")


class _Verdicts(NamedTuple):
    """What statements are called, and the patterns that call them so."""

    options: tuple[tuple[bool, ...], ...]
    calls: re.Pattern[str]


def in_sequence(scene: Scene, first: Impression, turns: Callable[[str], bool]) -> Reading | None:
    """The one option that is the sequence which a reply gives, in whatever form; none where it
    `turns`, or declines to answer."""
    texts = tuple(scene.options.texts)
    low = scene.response.low
    if len(texts) < 2 or len(low) > _MOST or REFUSAL.search(low):
        return None
    judged, ordered = _judged(texts), _ordered(texts)
    given: set[tuple[object, ...]] = set()
    known: Sequence[tuple[object, ...]] = ()
    if judged is not None:
        given = set(_verdicts(low, judged))
        known = judged.options
    elif ordered is not None and not scene.asks_not:
        given = set(_orders(low, scene.question, ordered))
        known = ordered
        pairs = [_matched(text) for text in texts]
        if not given and None not in pairs:
            given = set(_matches(low, scene.question, pairs[0] or ()))
            known = [tuple(sorted(one or ())) for one in pairs]
    if len(given) != 1 or turns(low):
        return None
    (one,) = given
    if known.count(one) != 1:
        return None
    position = known.index(one)
    if any(s.target.positions != (position,) for s in first.said):
        return None
    return Reading("answer", (position,), "sequence", None, _CONFIDENCE)


def only_verdicts(scene: Scene) -> Reading | None:
    """The option that is the sequence of verdicts which is all of a reply, abbreviated perhaps
    ("F, T", "1: False, 2: True")."""
    low = scene.response.low
    texts = scene.options.texts
    if len(low) > _WHOLE or len(texts) < 2 or texts[0][:1] not in _TRUE_OR_FALSE:
        return None
    if _LEADS_TO.sub("", _SAID.sub("", low)).strip(_MARKS):
        return None
    judged = _judged(tuple(texts))
    if judged is None or judged.calls is not OF_TRUTH:
        return None
    said = [*_SAID.finditer(low)]
    numbers = [_NUMBER[m["n"]] for m in said if m["n"]]
    if numbers and numbers != [*range(1, len(said) + 1)]:
        return None
    given = tuple(m["said"][0] == "t" for m in said)
    if judged.options.count(given) != 1:
        return None
    return Reading("answer", (judged.options.index(given),), "sequence", None, _CONFIDENCE)


@lru_cache(maxsize=1024)
def _judged(texts: tuple[str, ...]) -> _Verdicts | None:
    """The verdicts that options are made of; None where any is made of anything else."""
    parts = [
        [part for part in _PARTS.split(text.translate(DEFAULT).lower().strip(" .")) if part]
        for text in texts
    ]
    n = len(parts[0])
    for words, calls in ((_BLAME, _OF_BLAME), (_TRUTH, OF_TRUTH)):
        if n > 1 and all(len(one) == n and set(one) <= words.keys() for one in parts):
            return _Verdicts(tuple(tuple(words[part] for part in one) for one in parts), calls)
    return None


@lru_cache(maxsize=1024)
def _ordered(texts: tuple[str, ...]) -> tuple[tuple[str, ...], ...] | None:
    """The items of options that are the same few short items, each time in another order."""
    if any(len(text) > 60 for text in texts):
        return None
    items = [tuple(_ITEM.findall(text.translate(DEFAULT).lower())) for text in texts]
    same = {tuple(sorted(one)) for one in items}
    if len(same) > 1 or len({*items}) < len(items):
        return None
    one = items[0]
    short = all(len(item) <= _LONGEST for item in one)
    return tuple(items) if short and len(one) == len({*one}) >= _FEWEST else None


def _verdicts(low: str, of: _Verdicts) -> Iterator[tuple[object, ...]]:
    """The sequences of verdicts that a reply gives, in each of the ways that it uses."""
    n = len(of.options[0])
    single = _one_by_one(low, n, of.calls)
    if single is None:
        return
    if all(len(one) == 1 for one in single):
        yield tuple(next(iter(one)) for one in single)
    for said in _together(low, n, of.calls):
        # "Both look right. But the second is false." is about each of them after all.
        if all(one <= {verdict} for one, verdict in zip(single, said, strict=True)):
            yield said
        else:
            yield ()
    if of.calls is OF_TRUTH:
        for m in _ABBREVIATED.finditer(low):
            if _AGAINST.search(low, _begin(low, m.start()), m.end() + _FEWEST):
                continue
            letters = re.findall("[tf]", m.group())
            if len(letters) == n:
                yield tuple(letter == "t" for letter in letters)


def _together(low: str, n: int, calls: re.Pattern[str]) -> Iterator[tuple[bool, ...]]:
    """The verdicts on all statements at once, or on one as the only one."""
    for m in _SENTENCE.finditer(low):
        said = m.group()
        every, only = ALL_AT_ONCE.search(said), _ONLY.search(said)
        if (every is None and only is None) or HEDGE.search(said) or _DIVIDES.search(said):
            continue
        verdict = _call(calls.search(said, (only or every).end()))  # type: ignore[union-attr]
        if verdict is None:
            continue
        if only is not None:
            at = _NUMBER[only["n"]] - 1
            yield tuple(verdict if i == at else not verdict for i in range(n))
        elif every is not None and every["none"]:
            yield tuple(not verdict for _ in range(n))
        elif not _HEAD.search(said):
            yield tuple(verdict for _ in range(n))


def _call(m: re.Match[str] | None) -> bool | None:
    """The verdict that a match says."""
    if m is None:
        return None
    of_truth = m.re is OF_TRUTH
    if of_truth:
        return bool(m["turned"] or m["yes"] or m["holds"])
    return bool(m["yes"] or m["denied"])


def _one_by_one(low: str, n: int, calls: re.Pattern[str]) -> list[set[bool]] | None:
    """The verdicts on each of the statements that are taken one by one; None where others are
    judged as well."""
    heads = [
        (m.start(), m.end(), _NUMBER[next(filter(None, m.groups()))]) for m in _HEAD.finditer(low)
    ]
    found: list[set[bool]] = [set() for _ in range(n)]
    ends = [*(start for start, _, _ in heads[1:]), len(low)]
    before = 0
    for (_, start, at), end in zip(heads, ends, strict=False):
        near = max(before, _begin(low, start))
        clause = max(near, *(low.rfind(sign, near, start) for sign in ",:"))
        if at > n or _DENIES.search(low, clause, start):
            return None
        before = start
        for m in _SENTENCE.finditer(low, start, end):
            said = low[m.start() : m.end()]
            begin = _begin(low, m.start()) if m.start() == start else m.start()
            if not (ALL_AT_ONCE.search(said) or HEDGE.search(low, begin, m.end())):
                found[at - 1].update(v for c in calls.finditer(said) if (v := _call(c)) is not None)
    return found


def _orders(
    low: str, question: str, options: tuple[tuple[str, ...], ...]
) -> Iterator[tuple[object, ...]]:
    """The orders in which a reply puts the items, by their names or by what the names stand for."""
    names = options[0]
    n = len(names)
    name = "|".join(re.escape(one) for one in sorted(names, key=len, reverse=True))
    each = rf"[\s*_\"“(]{{0,4}}\b(?:{name})\b[*_\"”)]{{0,3}}{_ASIDE}"
    run = re.compile(rf"(?<![\w-]){each}(?:(?:{_JOINT}){each}){{{n - 1}}}(?!-?\w)")
    for m in run.finditer(low):
        bare = re.sub(r"\([^()\n]{4,}\)", "", m.group())
        items = tuple(re.findall(rf"\b(?:{name})\b", bare))
        if sorted(items) == sorted(names) and _is_result(low, m, items):
            yield items
    held = list(re.finditer(rf"\(({name})\)", low))
    items = tuple(m[1] for m in held)
    listed = n == len({*items}) == len(items) and list(items) != sorted(items)
    if listed and _is_result(low, held[-1], items) and not _AGAINST.search(low, held[0].start()):
        yield items
    yield from _by_meaning(low, question, names)


@lru_cache(maxsize=1024)
def _matched(text: str) -> tuple[tuple[str, str], ...] | None:
    """The pairs of an option that matches items with each other ("P-3, Q-1"); None for others."""
    low = text.translate(DEFAULT).lower()
    found = tuple(m.groups() for m in _PAIR.finditer(low))
    return found if len(found) > 1 and not _ITEM.search(_PAIR.sub("", low)) else None  # type: ignore[return-value]


def _matches(
    low: str, question: str, pairs: tuple[tuple[str, str], ...]
) -> Iterator[tuple[object, ...]]:
    """The pairs of a reply each line of which matches one item with another."""
    given: list[tuple[str, str]] = []
    sides = [tuple(pair[i] for pair in pairs) for i in (0, 1)]
    named = _numbered(question, (*sides[0], *sides[1])) or {}
    for line in low.split("\n"):
        found = [[one for one in side if _is_on(line, one, named.get(one))] for side in sides]
        if not any(found):
            continue
        if [len(one) for one in found] != [1, 1] or _AGAINST.search(line):
            return
        given.append((found[0][0], found[1][0]))
    if len(given) == len(pairs) == len({one for one, _ in given}):
        yield tuple(sorted(given))


def _is_on(line: str, name: str, text: str | None) -> bool:
    """Whether a line has a name set off as one, or what it stands for."""
    if text and re.search(rf"\b{re.escape(text)}\b", line):
        return True
    return (
        re.search(rf"(?:\A\W*|[(|→:=] ?){re.escape(name)}(?=[.):]|\W*(?:\||\Z|→|=))", line)
        is not None
    )


def _is_result(low: str, m: re.Match[str], items: Sequence[str]) -> bool:
    """Whether a sentence ends with a run of items, turns down nothing, and says that it is an order
    where the items merely follow each other as they were shown."""
    begin = _begin(low, m.start())
    if not _RUN_ENDS.match(low, m.end()) or _AGAINST.search(low, begin, m.end()):
        return False
    return list(items) != sorted(items) or _ORDERS.search(low, begin, m.end()) is not None


def _begin(low: str, start: int) -> int:
    """Where the sentence begins that a place is in."""
    near = max(0, start - _NEAR)
    return max(near, *(low.rfind(mark, near, start) + 1 for mark in (". ", "\n", "! ", "? ", "; ")))


def _by_meaning(low: str, question: str, names: tuple[str, ...]) -> Iterator[tuple[object, ...]]:
    """The order of what the question numbers, named in its words with signs of order between."""
    stands_for = _numbered(question, names)
    if stands_for is None:
        return
    texts = {text: item for item, text in stands_for.items()}
    each = "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True))
    asked = question.lower()
    rising = re.search(r"\b(?:increas|ascend|rising|smallest|lowest|shortest|earliest)", asked)
    falling = re.search(r"\b(?:decreas|descend|falling|largest|highest|longest|latest)", asked)
    signs = "→|->|=>" + ("|<|≺" if rising and not falling else "") + (
        "|>" if falling and not rising else "")  # fmt: skip
    one = rf"(?:the )?(?:{each})(?:s| rays)?{_ASIDE}"
    run = re.compile(rf"\b{one}(?:\s*(?:{signs})\s*{one}){{{len(names) - 1}}}")
    for m in run.finditer(low):
        bare = re.sub(r"\([^()\n]*\)", "", m.group())
        items = tuple(texts[text] for text in re.findall(rf"\b(?:{each})", bare))
        if sorted(items) == sorted(names) and _is_result(low, m, items):
            yield items


@lru_cache(maxsize=1024)
def _numbered(question: str, names: tuple[str, ...]) -> dict[str, str] | None:
    """What each name stands for in the question ("1. complaint 2. discovery"); None where it does
    not say so of every one, once."""
    if not question or len(question) > _MOST:
        return None
    name = "|".join(re.escape(one) for one in sorted(names, key=len, reverse=True))
    low = question.translate(DEFAULT).lower()
    marks = list(re.finditer(rf"(?<!\w)\(?({name})(?:[.):]+\s*|\s+(?=[a-z]))", low))
    if sorted(m[1] for m in marks) != sorted(names):
        return None
    ends = [*(m.start() for m in marks[1:]), len(low)]
    texts = {
        m[1]: low[m.end() : end].strip(" \n.,;?()—–-") for m, end in zip(marks, ends, strict=True)
    }
    return texts if all(texts.values()) and len({*texts.values()}) == len(texts) else None

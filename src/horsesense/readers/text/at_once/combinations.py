"""Options that are combinations of numbered statements ("I and III only", "Both", "2 only").

A reply seldom repeats such an option; it judges the statements one by one ("I holds. II doesn't."),
or says at its end which of them are left ("so the first and the third", "everything but III").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

from horsesense.readers.reading import Reading
from horsesense.readers.text.at_once.sequences import ALL_AT_ONCE, HEDGE, OF_TRUTH
from horsesense.readers.text.claims.impression import Impression
from horsesense.readers.text.names.likeness import stems
from horsesense.readers.text.names.targets import Scene
from horsesense.readers.text.words.no_choice import REFUSAL
from horsesense.readers.text.words.normalise import DEFAULT

_CONFIDENCE: Final = 0.91
_LONGEST: Final = 6000
_MOST: Final = 60
"""Characters that an option which is a combination has at most."""
_AT_ENDS: Final = 2
_NUMBER: Final = {
    **{"i": 1, "ii": 2, "iii": 3, "iv": 4, "1": 1, "2": 2, "3": 3, "4": 4},
    **{"first": 1, "second": 2, "third": 3, "fourth": 4},
    **{"one": 1, "two": 2, "three": 3, "four": 4},
}
_NOUN = r"(?:statement|scenario|claim|sentence|proposition|assertion)"
_ONE = r"(?:iv|i{1,3}|[1-4])"
_SET = re.compile(
    rf"(?P<only>only )?(?:{_NOUN}s? )?(?P<of>{_ONE}(?:(?:, ?(?:and )?| and | & ){_ONE})*)"
    r"(?: (?:alone|only))?(?: (?:is|are) (?:true|correct|right))?"
)
_BOTH = re.compile(
    rf"(?:both|all(?: (?:of (?:the above|them|these)|two|three|four))?)(?: (?:{_NOUN}s))?"
    rf"(?: (?:statements )?{_ONE} and {_ONE})?(?: (?:are )?(?:true|correct|right))?"
)
_NONE = re.compile(
    rf"(?:neither|none)(?: (?:of (?:the above|them|these)|{_NOUN}|{_ONE} nor {_ONE}))?"
    r"(?: (?:is |are )?(?:true|correct|right))?"
    rf"|both(?: {_NOUN}s)? (?:are )?(?:false|wrong|incorrect)"
)
_EACH = re.compile(rf"{_ONE} (?:is )?(true|false)")
_HEAD = re.compile(
    rf"\b(?:{_NOUN} ?|s(?=[1-4]))[#*_]*\(?(?P<n>{_ONE}|one|two|three)\b\)?(?!\s*(?:and|or|&)\b)"
    rf"|(?:(?<=\n)|\A)[\s>*_•|-]*\(?(?P<line>{_ONE})[\s*_]*(?:[.):|]|→|->|=|–|—|-|(?=[✔✅✓✘❌✗]))"
    rf"|(?:(?<=[.;,] )|(?<=\n)|\A)(?:and )?\(?(?P<bare>iv|i{{1,3}})\)?(?:[.:)](?= )"
    r"|(?= (?:is|isn['’]t|holds|does|doesn['’]t|fails|was|must|cannot)\b))"
    r"|\bthe (?P<nth>first|second|third)(?: (?:one|statement|claim))?(?= (?:is|holds|fails|does))"
)
_CALL = re.compile(
    rf"{OF_TRUTH.pattern}|(?P<tick>[✔✅✓]|\|\s*(?:t|yes|true)\s*\||\bmust (?:be true|hold)\b)"
    r"|(?P<cross>[✘❌✗]|\|\s*(?:f|no|false)\s*\|)"
)
_ORD = r"(?:first|second|third|fourth)"
_NAMED = rf"(?:{_NOUN}s? )?\(?{_ONE}\)?(?:(?:, (?:and )?| and | & )\(?{_ONE}\)?)*"
_PLACED = (
    rf"the (?:first|last) (?:two|three)|the {_ORD}(?:(?:, (?:and )?| and )(?:the )?{_ORD})*"
    rf"(?: (?:{_NOUN}s?|ones?))?"
)
_SAID = re.compile(
    rf"\b(?:(?P<but>(?:all|everything|each)(?: \w+| of them)?,? (?:but|except(?: for)?) )"
    rf"|(?P<only>(?:only|just) )"
    r"|(?P<so>(?:so|therefore|thus|hence|conclusion)\b[,:]?"
    r"(?:(?! (?:but|except|everything|all|each)\b)[^.;:,]){0,24}? ))"
    rf"(?P<set>{_NAMED}|{_PLACED})(?![\w)])"
)
_EVERY = re.compile(
    rf"(?:\A\W*|[.;:,\n] ?(?:so|therefore|thus|hence)?,? ?|\bso )"
    rf"(?:all (?:two|three|four|of them|{_NOUN}s)"
    rf"|all (?:two|three|four) {_NOUN}s|both(?: {_NOUN}s| of them)?) (?P<rest>(?:are|must|hold"
    r"|qualify|apply|work|fit|meet|satisfy|belong|count)\b[^.;:,\n]*)"
)
_FITS = re.compile(
    r"\W*(?:(?:alone|only) )?(?:qualif\w+|surviv\w+|appl(?:y|ies)|holds?|works?|fits?|remains?"
    r"|stands?|(?:is|are)(?: (?:\w+ly|both|all))? (?:true|correct|right|valid|needed|required|left"
    r"|met|it|so)"
    r"|must|meets?|satisf\w+|belongs?|counts?|pass\w*|suffic\w*|\Z)"
)
_REJECTS = re.compile(
    r"\b(?:if|would|might|may|some|many|people|says?|said|think|thinks|thought|tempt\w*|false|wrong"
    r"|incorrect|untrue|fails?|failed|trap|students?|not|cannot|neither|never|lacks?|without|discuss"
    r"|consider|look|check|remember|example|excluded|ruled|eliminated|out|need(?:s|ed)? (?:to|not)"
    r"|left to)\b|n['’]t\b|\?"
)
_BOUND = re.compile(r" (?:of|in|for|when|about|that|to|only|water|up)\b")
"""Behind a verdict: that it is on a part of a statement, or on something else."""
_OR = re.compile(r"\b(?:said|says?|thinks?|thought|unless|if|or|would|people|students?)\b|\?")
"""In the rest of a sentence that names statements."""
_COMPLEMENT = re.compile(rf",? (?:but|and) not (?:{_NAMED}|{_PLACED})")
_CLAUSE = re.compile(r"[.;:\n]|,(?! (?:and )?(?:the )?(?:iv|i{1,3}|[1-4]|first|second|third)\b)")
_CROSSES = re.compile(r"[❌✗✘]")
_SIGNS = " .*_`()[]\n"
_LETTERS = re.compile(r"\b[tfyn](?=rue|alse|es|o|\b)")
_ABBREVIATED = re.compile(
    r"(?:t(?:rue)?|f(?:alse)?|y(?:es)?|no?)(?:\s*(?:[,/;|-]|\band\b)\s*(?:t(?:rue)?|f(?:alse)?|y(?:es)?|no?))+"
)
_SENTENCES = re.compile(r"(?<=[.!?])[\"'*)\]_$]*\s+(?!\(?(?:iv|i{1,3})[.)] )|\n+")
_PARTS = re.compile(rf"{_SENTENCES.pattern}|; ")


def combined(scene: Scene, first: Impression, turns: Callable[[str], bool]) -> Reading | None:
    """The one option that is the combination of statements which a reply calls true."""
    texts = tuple(scene.options.texts)
    options = _sets(texts)
    low = scene.response.low
    if options is None or scene.asks_not or len(low) > _LONGEST or first.said:
        return None
    if REFUSAL.search(low) or turns(_CROSSES.sub(" ", low)):
        return None
    n = max(max(one, default=0) for one in options)
    each = _one_by_one(low, n)
    if each is None:
        return None
    given = {*_concluded(low, n, scene.question)}
    letters = _LETTERS.findall(low) if _ABBREVIATED.fullmatch(low.strip(_SIGNS)) else []
    if len(letters) == n:
        given.add(frozenset(i + 1 for i, letter in enumerate(letters) if letter in "ty"))
    if all(len(one) == 1 for one in each):
        given.add(frozenset(i + 1 for i, one in enumerate(each) if one == {True}))
    if len(given) != 1:
        return None
    (one,) = given
    if options.count(one) != 1:
        return None
    # What is said of single statements must not contradict it.
    if any(len(said) == 1 and said != {i + 1 in one} for i, said in enumerate(each)):
        return None
    return Reading("answer", (options.index(one),), "combined", None, _CONFIDENCE)


@lru_cache(maxsize=1024)
def _sets(texts: tuple[str, ...]) -> tuple[frozenset[int], ...] | None:
    """The statements of which each option says that they are true; None where any says anything
    else, or the options are numbers."""
    if any(len(text) > _MOST for text in texts) or len(texts) < _AT_ENDS:
        return None
    lows = [_bare(text) for text in texts]
    if not any(re.search(r"[a-z]", low) for low in lows) or all(low.isdigit() for low in lows):
        return None
    numbers = {_NUMBER[name] for low in lows for name in re.findall(rf"\b{_ONE}\b", low)}
    counts = {_NUMBER[name] for low in lows for name in re.findall(r"\b(?:two|three|four)\b", low)}
    pair = {2} if any(re.search(r"\b(?:both|neither)\b", low) for low in lows) else set()
    n = max(numbers | counts | pair, default=0)
    if n < _AT_ENDS:
        return None
    every = frozenset(range(1, n + 1))
    found = [_set_of(low, every) for low in lows]
    if any(one is None for one in found) or len({*found}) < len(found):
        return None
    return tuple(one for one in found if one is not None)


def _bare(text: str) -> str:
    return re.sub(r"[()]", "", text.translate(DEFAULT).lower()).strip(" .")


def _set_of(low: str, every: frozenset[int]) -> frozenset[int] | None:
    if _NONE.fullmatch(low):
        return frozenset()
    if _BOTH.fullmatch(low):
        return every
    said = _SET.fullmatch(low)
    if said is not None and (said["only"] or not said["of"].isdigit() or not low.isdigit()):
        return frozenset(_NUMBER[name] for name in re.findall(_ONE, said["of"]))
    parts = [_EACH.fullmatch(part.strip()) for part in low.split(",")]
    if all(parts) and len(parts) == len(every):
        true = [part[0].split()[0] for part in parts if part and part[1] == "true"]
        return frozenset(_NUMBER[name] for name in true)
    return None


def _one_by_one(low: str, n: int) -> list[set[bool]] | None:
    """What is said of each statement by itself; None where there are more of them."""
    heads = [(m.start(), m.end(), _NUMBER[m[m.lastgroup or 0]]) for m in _HEAD.finditer(low)]
    found: list[set[bool]] = [set() for _ in range(n)]
    ends = [*(start for start, _, _ in heads[1:]), len(low)]
    for (_, start, at), end in zip(heads, ends, strict=False):
        if at > n:
            return None
        for said in _PARTS.split(low[start:end]):
            if not (ALL_AT_ONCE.search(said) or HEDGE.search(said) or _SAID.search(said)):
                calls = [
                    _verdict(m) for m in _CALL.finditer(said) if not _BOUND.match(said, m.end())
                ]
                found[at - 1].update(calls)
    return found


def _verdict(m: re.Match[str]) -> bool:
    return bool(m["turned"] or m["yes"] or m["holds"] or m["tick"])


def _concluded(low: str, n: int, question: str) -> Iterator[frozenset[int]]:
    """The combinations that the first and the last sentences say."""
    sentences = [one for one in _SENTENCES.split(low) if re.search(r"\w", one)]
    at_ends = dict.fromkeys((*sentences[:1], *sentences[-_AT_ENDS:]))
    every = frozenset(range(1, n + 1))
    asked = {*stems(question.lower())}
    for sentence in at_ends:
        bare = _COMPLEMENT.sub("", sentence)
        for m in _SAID.finditer(bare):
            found = _named(m["set"], n)
            begin = max((c.end() for c in _CLAUSE.finditer(bare, 0, m.start())), default=0)
            stop = _CLAUSE.search(bare, m.end())
            behind = bare[m.end() : stop.start() if stop else len(bare)].strip(" *_.)!")
            before = bare[begin : m.start("set")].replace(m["but"] or "\0", "")
            if not found or _REJECTS.search(before) or _REJECTS.search(behind):
                continue
            if _OR.search(bare, m.end()):
                continue
            if _answers(behind, asked, m["set"]):
                yield every - found if m["but"] else found
        for m in _EVERY.finditer(bare):
            rest = m["rest"].strip(" *_.)!")
            if not _REJECTS.search(rest) and _answers(rest, asked, "both"):
                yield every


def _named(text: str, n: int) -> frozenset[int]:
    """The statements that a phrase names."""
    count = re.search(r"(first|last) (two|three)", text)
    if count:
        many = _NUMBER[count[2]]
        begin = 1 if count[1] == "first" else n - many + 1
        return (
            frozenset(range(begin, begin + many))
            if many < n or count[1] == "first"
            else frozenset()
        )
    names = re.findall(rf"\b(?:{_ONE}|{_ORD})\b", text)
    found = frozenset(_NUMBER[name] for name in names)
    return found if all(one <= n for one in found) else frozenset()


def _answers(behind: str, asked: set[str], name: str) -> bool:
    """Whether what is said of them is that they are so, or what the question asks for; bare numbers
    may be values."""
    if not behind:
        return not re.fullmatch(r"[\d ,&]*(?:and [\d ]+)?|i", name)
    if _FITS.match(behind):
        return not name.isdigit()
    words = stems(behind)
    return bool(words) and sum(word in asked for word in words) * 2 >= len(words)

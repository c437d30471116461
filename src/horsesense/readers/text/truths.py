"""Options that judge several statements at once ("True, False"; "Not wrong, Wrong"; "Both true, and
the reason explains the assertion"), and replies that judge the statements one by one.

No option's text is there to be found. What the reply says of each statement is put together, and
chooses the option that says the same; nothing is read where a statement has no verdict, or two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest

from horsesense.readers.reading import Reading
from horsesense.readers.text.impression import Impression
from horsesense.readers.text.normalise import DEFAULT
from horsesense.readers.text.standing import WITHDRAWS
from horsesense.readers.text.targets import Scene

_CONFIDENCE = 0.91
_LONGEST = 6000
_NEAR = 30
_MOST = 6
_TRUE = "true|correct|valid|right|yes|t"
_FALSE = "false|incorrect|invalid|untrue|no|f"
_FINE = r"fine|acceptable|permissible|okay|ok|harmless|praiseworthy|kind|considerate|innocent"
_BAD = "wrong|immoral|unethical|impermissible"
_NEGATION = r"(?:not|never|neither|hardly|nothing|isn['’]?t|doesn['’]?t|n['’]t)"
_PART = re.compile(rf"(?P<not>not )?(?:morally )?(?P<word>{_TRUE}|{_FALSE}|wrong)")
_SPLIT = re.compile(r"\s*(?:,|;|/|\band\b)\s*")
_VERDICT = re.compile(
    rf"(?P<not>\b{_NEGATION}(?: [\w'’]+){{0,6}}? )?"
    rf"(?<![\w`\"“'’])(?P<word>{_TRUE}|{_FALSE}|{_BAD}|{_FINE})(?![\w`”]|-\w)"
)
_SUPPOSED = re.compile(
    r"\b(?:if|would|might|could|may|some(?:one|body)?|people|many|often|seems?|unless|were|had"
    r"|sounds?|looks?|tempting|suppose"
    r"|contradicts?)\b|\?"
)
"""In a sentence: that its verdict is not the reply's own."""
_NOT_ITS_OWN = re.compile(
    r"\b(?:not|n['’]t|myth|doubt\w*|people|students?|sa(?:y|ys|id)|think\w*|thought|claim(?:s|ed)"
    r"|if|whether|would|unless|suppose|assum\w+|believe\w*|means?|for|unlikely|opposite|converse"
    r"|negation|instead)\b|\boptions? "
)
"""Before a statement is named, in its sentence: that its verdict is not the reply's own."""
_HEAD = re.compile(r"[^.!?;\n]*\Z")
_ONLY_FOR = re.compile(
    r"[\w ,]{0,12}\b(?:only|of|in|under|for (?!example|instance)|if|when|unless|but)\b"
)
"""Behind a verdict: that it holds for something else, or not always."""
_TURN = re.compile(r"\b(?:wait|hmm+|hold on|actually|on second thought|correction|i was wrong)\b")
_SENTENCE = re.compile(r"[^.!?;\n]*(?:[.!?;](?!\s|\Z|\*)[^.!?;\n]*)*[.!?;\n]?")
_ALONE = re.compile(
    rf"(?:\A[^\w\n]*|[.,;:→] )((?:not )?(?:(?:morally|clearly) )?"
    rf"(?:{_TRUE}|{_FALSE}|{_BAD}|{_FINE}))"
    r"(?=[.,;(]|\s*(?:\n|\(|\Z))"
)
"""A verdict that is a sentence or a clause of its own."""
_NUMBERS = {
    **{word: at for at, words in enumerate(("1 i one first", "2 ii two second", "3 iii three third",
        "4 iv four fourth", "5 v five fifth")) for word in words.split()},
}  # fmt: skip
_NUMBER = r"(?:[1-5]|i{1,3}|iv|v|one|two|three|four|five)"
_NOUN = r"(?:statements?|scenarios?|claims?|sentences?|propositions?|cases?|halves|half|actions?)"
_MARKER = re.compile(
    rf"\b(?P<but>only )?{_NOUN}\W{{0,3}}(?P<named>{_NUMBER})\b"
    rf"|(?:\A|\n)[\s*_>#-]*\(?(?P<line>[1-5])\)?[\s*_]*(?:[.):=]|→|->|[–—-] )(?!\d)"
    rf"|(?:\A|[,;:(]|\band)\s*(?P<bare>[1-5])(?= (?:is |= ?)?(?:not |clearly |morally )*"
    rf"(?:{_TRUE}|{_FALSE}|wrong)\b)"
    rf"|\b(?P<only>only )?the (?P<ordinal>first|second|third|fourth|fifth)\b"
    rf"(?: (?:one|of (?:them|the two)|{_NOUN})\b)?"
)
_IS_NOT = re.compile(
    r"(?:is not|isn['’]?t|does not|doesn['’]?t)(?: so)?[\s*_]*(?=[:;.,]|\Z)|\Wfails\b|\bholds\b"
)
_ALL = re.compile(
    rf"\b(?:both|all (?:of (?:them|these)|two|three|four|five|(?:the )?{_NOUN})|each)\b"
    rf"(?P<rest>[^.;\n]{{0,40}}?\b(?:are|is|were|as)\b[^.;\n]{{0,30}}|\W*(?={_TRUE}|{_FALSE}|wrong))"
)
_NONE = re.compile(
    rf"\b(?:neither|none)\b(?: (?:one|of (?:them|the \w+|these)|{_NOUN}))*"
    r"(?P<rest>[^.;\n]{0,40})"
)
_LISTED = re.compile(
    rf"(?:\A|[\n:]|\bso|\bhence)[\s*_]*((?:(?:not )?(?:{_TRUE}|{_FALSE}|wrong)(?:[\s*_]*[,;/]\s*"
    rf"|[\s*_]+and\s+|\Z|[\s*_.)]+\Z)){{2,5}})[\s*_.)]*\Z"
)
_ASSERTS = re.compile(r"\bassertion\b|\(a\)")
_EXPLAINS = re.compile(
    r"(?P<not>\b(?:not|n['’]t|isn['’]t|doesn['’]t|yet|without)\b[^.;\n]{0,30})?"
    r"\b(?:expla(?:ins|in|nation)|(?:the|a) (?:reason|cause) (?:for|of|why) \(?(?:it|a\b|the))"
)
_A_OR_R = re.compile(
    r"(?:\b(?:the )?(?P<word>assertion|reason)\b(?:[\s*_]*\([ar]\))?"
    r"|(?<!\w)\(?(?P<letter>[ar])\)?(?= (?:is|are|holds|does)\b))"
)

Truths = tuple[bool, ...]


def truths(scene: Scene, first: Impression) -> Reading | None:
    """The option that judges the statements as the reply does, where it names none by label."""
    low = scene.response.low
    if len(low) > _LONGEST or first.said or not scene.options.texts:
        return None
    if first.first is not None and first.first.target.by == "label":
        return None
    known = _known(tuple(scene.options.texts))
    if known is not None:
        wrongs, wanted = known
        found = _judged(low, len(wanted[0]), wrongs)
    else:
        wanted = _explained(tuple(scene.options.texts))
        found = _assertion(low) if wanted else None
    if found is None or wanted.count(found) != 1 or WITHDRAWS.search(low) or _TURN.search(low):
        return None
    return Reading("answer", (wanted.index(found),), "truths", None, _CONFIDENCE)


@lru_cache(maxsize=4096)
def _known(texts: tuple[str, ...]) -> tuple[bool, list[Truths]] | None:
    """Whether the options say what is wrong, and what each says of every statement; "wrong" counts
    as false."""
    wanted, words = [], set()
    for text in texts:
        parts = [_PART.fullmatch(part) for part in _SPLIT.split(_plain(text))]
        found = [part for part in parts if part]
        if len(found) != len(parts):
            return None
        words |= {part["word"] == "wrong" for part in found}
        wanted.append(tuple(bool(part["not"]) != _holds(part["word"]) for part in found))
    sizes = {len(one) for one in wanted}
    if len(wanted) < 2 or len(sizes) != 1 or not 2 <= sizes.pop() < _MOST or len(words) != 1:
        return None
    return words.pop(), wanted


def _plain(text: str) -> str:
    return text.translate(DEFAULT).lower().strip(" .()[]")


@lru_cache(maxsize=64)
def _holds(word: str) -> bool:
    return re.fullmatch(rf"{_TRUE}|{_FINE}", word) is not None


def _judged(low: str, n: int, wrongs: bool) -> Truths | None:
    """What a reply says of each of `n` statements."""
    listed = _LISTED.search(low)
    if listed:
        parts = [_PART.fullmatch(one.strip(" *_.)")) for one in _SPLIT.split(listed[1]) if one]
        if len(parts) == n and all(parts):
            return tuple(bool(p["not"]) != _holds(p["word"]) for p in parts if p)
    said: list[set[bool]] = [set() for _ in range(n)]
    for at, only, text in _segments(low):
        if at >= n:
            return None
        verdict = _verdict(text, wrongs)
        if verdict is None:
            continue
        said[at].add(verdict)
        if only:
            for other in {*range(n)} - {at}:
                said[other].add(not verdict)
    for verdict in _of_all(low, wrongs):
        for one in said:
            one.add(verdict)
    return tuple(one.pop() for one in said) if all(len(one) == 1 for one in said) else None


def _segments(low: str) -> Iterator[tuple[int, bool, str]]:
    """What is said behind each mention of a statement, up to the next one."""
    found = list(_MARKER.finditer(low))
    for m, after in zip_longest(found, found[1:]):
        if reported(low, m.start()):
            continue
        name = m["named"] or m["line"] or m["bare"] or m["ordinal"]
        yield (
            _NUMBERS[name],
            bool(m["only"] or m["but"]),
            low[m.end() : after.start() if after else len(low)],
        )


def reported(low: str, start: int) -> bool:
    """Whether what is said from `start` on is a condition, or somebody else's view."""
    head = _HEAD.search(low, max(0, start - _NEAR * 3), start)
    return head is not None and _NOT_ITS_OWN.search(head.group()) is not None


def _verdict(text: str, wrongs: bool) -> bool | None:
    """The one verdict of a stretch of text; a sentence of its own outweighs the rest."""
    alone = {one for m in _ALONE.finditer(text) for one in _said(m[1], wrongs)}
    if len(alone) == 1:
        return alone.pop()
    found: set[bool] = set()
    for m in _SENTENCE.finditer(text):
        sentence = m.group()
        if not _SUPPOSED.search(sentence):
            found |= set(_said(sentence, wrongs))
    if not found and not wrongs and (m := _IS_NOT.search(text[:_NEAR])):
        return m.group() == "holds"
    return found.pop() if len(found) == 1 else None


def _said(text: str, wrongs: bool) -> Iterator[bool]:
    """All verdicts of a sentence: what is wrong, or what is true."""
    for m in _VERDICT.finditer(text):
        word = m["word"]
        moral = re.fullmatch(rf"{_BAD}|{_FINE}", word) is not None
        if (moral == wrongs or (word == "wrong" and not wrongs)) and not _ONLY_FOR.match(
            text, m.end()
        ):
            yield bool(m["not"]) != _holds(word)


def _of_all(low: str, wrongs: bool) -> set[bool]:
    """What is said of all statements together."""
    found: set[bool] = set()
    for m in _ALL.finditer(low):
        if reported(low, m.start()):
            continue
        found |= set() if _SUPPOSED.search(m.group()) else set(_said(m["rest"], wrongs))
        behind = _VERDICT.match(low, m.end())
        if behind and (_holds(behind["word"]) or not wrongs):
            found.add(bool(behind["not"]) != _holds(behind["word"]))
    for m in _NONE.finditer(low):
        if not (_SUPPOSED.search(m.group()) or reported(low, m.start())):
            said = {not one for one in _said(m["rest"], wrongs)}
            found |= said or ({False} if not wrongs and "holds" in m["rest"] else set())
    return found


@lru_cache(maxsize=4096)
def _explained(texts: tuple[str, ...]) -> list[Truths]:
    """What each option says of assertion, reason, and whether the one explains the other."""
    wanted = []
    for text in map(_plain, texts):
        found = _assertion(text)
        if found is None:
            return []
        wanted.append(found)
    return wanted if sum(map(len, wanted)) > 2 * len(wanted) else []


def _assertion(low: str) -> Truths | None:
    """What is said of assertion and reason, and whether the one explains the other."""
    said: dict[str, set[bool]] = {"a": set(), "r": set()}
    marks = list(_A_OR_R.finditer(low))
    for m, after in zip_longest(marks, marks[1:]):
        name = m["letter"] or m["word"][0]
        text = low[m.end() : after.start() if after else len(low)]
        verdict = _verdict(_EXPLAINS.sub("", text.split(" explanation")[0]), False)
        if verdict is not None:
            said[name].add(verdict)
    both = re.search(rf"\bboth\b[^.;\n]{{0,40}}?\b(?P<word>{_TRUE}|{_FALSE})\b", low)
    if both:
        said["a"].add(_holds(both["word"]))
        said["r"].add(_holds(both["word"]))
    if any(len(one) != 1 for one in said.values()):
        return None
    truth = (*said["a"], *said["r"])
    if truth != (True, True):
        return truth
    explains = {not m["not"] for m in _EXPLAINS.finditer(low)}
    return (*truth, *explains) if len(explains) == 1 else None

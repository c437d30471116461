"""Clause by clause: which options a response names, wholly or by a word of their own, and how.

`survey` knows labels, whole texts and places. Here an option also counts as named where a clause
has a word that no other option has ("the scattering idea"), and each naming is affirmed, turned
down, compared, supposed or merely reported.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from horsesense.readers.text.claims.survey import Mention
from horsesense.readers.text.names.likeness import option_stems, stem

_CLAUSE = re.compile(
    r"[.!?;:]+(?=\s|\Z)|\n|,? (?=(?:but|yet|whereas|while|although|though|however|so|because|since"
    r"|therefore|which)\b)|, (?=and\b)| [–—] "
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_OWN = 0.3
"""The share of an option's weight that a word of its own must have to name it."""
_PREFIX = 6
_MOST = 6000
_REACH = 60
_AFTER = 200

_AGAINST = re.compile(
    r"\b(?:not|no|never|nor|neither|cannot|incorrect\w*|wrong\w*|false\w*|invalid|unlikely"
    r"|impossible|implausible|irrelevant|eliminat\w*|(?:is|are|was|were|be|rul\w+|cross\w*|falls?|drops?|knock\w*|leaves?|left|count\w*|both|all)"
    r" (?:\w+ly |now |also )?out|(?:is|are|was|were|be|both|all) off"
    r"|exclud\w*"
    r"|reject\w*|fails?|too(?= \w)|misleading|distractor|inaccurate|untrue"
    r"|unsupported|contradict\w*"
    r"|discard\w*|dismiss\w*|nonsense|myth|mistaken\w*|misconception|tempting|worse|less|drops?"
    r"|dropped|strike|gone|nah|nope|bad|poor\w*|hardly|doubtful|without|lacks?"
    r"|nicht|kein\w*|nein|non|pas|ningun\w*|aucun\w*|falsch\w*|falso|falsa|faux|weg|raus"
    r"|scheid\w*|descart\w*|instead of|rather than|differ\w*|absurd|ridiculous|overkill|clums\w*)\b"
    r"|n't\b|[✗✘❌✖❎🚫👎⛔]"
)
_FOR = re.compile(
    r"\b(?:yes|correct\w*|true|right\w*|valid|fits?|match\w*|best|accurate\w*|holds|plausib\w*"
    r"|likel\w+|works|appl(?:y|ies)|better|prefer\w*|suits?|favou?rite|stimmt|winner|winning"
    r"|chosen"
    r"|indeed|sound|richtig\w*|correct[ao]|vrai\w*|exactly|certainly|perfect\w*|yep|keep|ideal"
    r"|closest|wins|clearly|remain\w*|pick|leaves?|left|stands|good|sensible|obvious\w*|settle\w*"
    r"|most|lean\w*|choos\w+|i'd|i would|i'll|we get|gives|give|is|are|was|were)\b"
    r"|[✓✔✅☑👍🎯★⭐🏆👉]|<-+|←"
)
_HEARSAY = re.compile(
    r"\b(?:people|many|some|others?|most|everyone|everybody|they|textbooks?|students?|common\w*"
    r"|popular\w*|frequent\w*|often|usual\w*|famous\w*|widely|myth|legend|at first|initially"
    r"|originally|my first|first thought|instinct\w*|gut|tempt\w*|you might|one might|one may"
    r"|might think|viele|oft|häufig|muchos|beaucoup|(?:student|learner|candidate|pupil|examinee)s?"
    r"|you(?:'ve| have)? (?:\w+ )?(?:wrote|written|ticked|chose|chosen|picked|put|said|circled"
    r"|marked|answered|selected|crossed)|(?:got|submitted|given)(?=:)|not accept|confus\w+ with)\b"
)
_SUPPOSED = re.compile(
    r"\b(?:if|unless|would (?:be|have|only|need)|had been|were it|could be|might be|suppose|imagine"
    r"|assuming|wäre|hätte|si|serait)\b"
)
_SETTLES = re.compile(
    r"\b(?:so|therefore|thus|hence|then|in short|overall|in sum|summary|conclu\w*|final\w*|my"
    r"|i|we|answer|leav(?:es|ing)|remain\w*|which is why|that is why|that's why|must be|has to be"
    r"|it's|it is|it was|that's|that is|this is|also|daher|somit|bleibt|donc|por tanto|entonces"
    r"|in the end|on balance|all in all|ultimately|after all|result"
    r"|verdict|choice|settle\w*|go with|going with|i'd|come down"
    r"|revert\w*|return\w*|back to|stands?|stick\w*|stay\w*|opt\w*|plump\w*)\b|→|=>"
)
_MINE = re.compile(
    r"\b(?:i|i'd|i'll|i'm|my|me|we|our|ich|je|yo|io)\b(?! (?:don't|do not|wouldn't|can't|cannot)\b)"
)
_THAN = re.compile(
    r"\b(?:than|over|rather than|instead of|not|as opposed to|unlike|beats|outranks|als|que)\b"
    r"(?: (?:the|a|an|by|with|it|to|for|in))*\W*\Z"
)
_MORE = re.compile(
    r"\b(?:better|more|closer|rather|stronger|likelier|greater|likely|prefer\w*|suits?|fits?"
    r"|beats|outranks|superior|safer|best|besser|mejor|mieux)\b"
)


_SIGN = re.compile(r"[\s>#|•·\-–+\d.)]*(?:(?P<yes>[✓✔✅☑👍]|\[x\])|[✗✘❌✖❎🚫👎⛔]|\[ \])")


_IT = re.compile(
    r"\W*(?:so |but |and |because |since )?(?:that|this|it|they|these|those|which|both)\b"
)
_SHORT = 80
_TURN = re.compile(
    r"\b(?:leav(?:es|ing)|so|thus|therefore|hence|then)\b|\b(?:no|nope|nah|nein|non|wait|sorry)\s*(?:[,.!:-]|wait\b|actually\b)"
)
_CONTRAST = re.compile(
    r"\W*(?:and |or )?(?:but|yet|however|instead|rather|actually|wait|no|so|therefore|then|hence"
    r"|leav(?:es|ing)|aber|pero|mais|doch)\b"
)
_ADDS = re.compile(
    r"\b(?:also|too|as well|likewise|equally|just as|no less|on top of that|besides|in addition"
    r"|so (?:is|are|does|do|did|has|was)|both|alike|auch|ebenfalls|ebenso|gleich\w*|también|aussi"
    r"|également|anche|ook)\b"
)
_JOINS = re.compile(r"[\s\"')\].,/&]*(?:and|or|und|oder|et|ou|y|o|nor)?[\s\"'(\[]*(?:the |an? )?")


_TAKEN_BACK = re.compile(
    r"\b(?:let me (?:correct|revise|rethink|reconsider|redo|fix)|i (?:have to |must )?take (?:that"
    r"|it|this|back)\b|scratch that|on reflection|on second thought|revised (?:answer|choice)"
    r"|correction|i was wrong|(?:my|a) (?:mistake|slip)\b|strike that|i misread|changed my mind"
    r"|hold on|wait)\b"
)


class Said(NamedTuple):
    """What one clause says of one option.

    Attributes:
        clause: its number.
        verdict: 1 affirmed, -1 turned down, else 0.
        whole: named by label, whole text or place.
        settles, mine, hearsay, supposed, turns, adds: the clause concludes; speaks in the first
            person; reports what others think; says what would be; begins with a turn ("but");
            says of one what was said of another ("too").
    """

    position: int
    clause: int
    verdict: int
    whole: bool
    settles: bool
    mine: bool
    hearsay: bool
    supposed: bool
    turns: bool
    adds: bool


class Clauses(NamedTuple):
    """All that is said of options, in order, and how many clauses with words there are."""

    said: list[Said]
    n: int


def clauses(low: str, options: Sequence[str], mentions: Sequence[Mention]) -> Clauses:
    """What the clauses of a folded response say of each option.

    Of a response longer than `_MOST` the last part is gone through alone.
    """
    begin = max(0, len(low) - _MOST)
    own = _own_words(options)
    found: list[Said] = []
    n = at = 0
    while at < len(mentions) and mentions[at].start < begin:
        at += 1
    for start, end in _spans(low, begin):
        here: list[tuple[int, int, int, bool]] = []
        while at < len(mentions) and mentions[at].start < end:
            m = mentions[at]
            here.append((m.start, min(m.end, end), m.position, True))
            at += 1
        named = {position for _, _, position, _ in here}
        for word in _WORD.finditer(low, start, end):
            position = own.get(stem(word.group()))
            if position is None:
                position = own.get(word.group()[:_PREFIX])
            if position is not None and position not in named:
                here.append((word.start(), word.end(), position, False))
                named.add(position)
        n += 1
        if not here and found and found[-1].clause == n - 1:
            found[-1] = _said_of_it(low, start, end, found[-1])
        if here:
            found += _of_clause(low, start, end, sorted(here), n)
    return Clauses(_taken_back(low, begin, found), n)


def _taken_back(low: str, begin: int, found: list[Said]) -> list[Said]:
    """What was said before the last words that take it back is no longer the reply's own, where
    something is affirmed after them."""
    turns = [m.start() for m in _TAKEN_BACK.finditer(low, begin)]
    if not turns:
        return found
    after = sum(start < turns[-1] for start, _ in _spans(low, begin))
    later = {one.position for one in found if one.clause > after and one.verdict >= 0}
    if len(later) != 1:
        return found
    return [one if one.clause > after else one._replace(hearsay=True) for one in found]


def named_by_word(low: str, options: Sequence[str]) -> set[int]:
    """Positions that a word names which no other option has."""
    own = _own_words(options)
    found = {own.get(stem(m.group()), own.get(m.group()[:_PREFIX])) for m in _WORD.finditer(low)}
    return {position for position in found if position is not None}


def _line_sign(low: str, start: int) -> int:
    """1 or -1 where the line begins with a tick or a cross, else 0."""
    line = low.rfind("\n", max(0, start - 200), start + 1) + 1
    m = _SIGN.match(low, line)
    return 0 if m is None else 1 if m["yes"] else -1


def _spans(low: str, begin: int) -> list[tuple[int, int]]:
    spans = []
    start = begin
    for m in _CLAUSE.finditer(low, begin):
        if low[start : m.start()].strip():
            spans.append((start, m.end()))
        start = m.end() if low[start : m.start()].strip() else start
    if low[start:].strip():
        spans.append((start, len(low)))
    return spans


def _own_words(options: Sequence[str]) -> dict[str, int]:
    """Stems, and beginnings of long ones, that one option alone has -> its position."""
    held = [frozenset(option_stems(text)) for text in options]
    owners: dict[str, set[int]] = {}
    for position, stems in enumerate(held):
        for one in stems:
            owners.setdefault(one, set()).add(position)
            if len(one) >= _PREFIX and not one.startswith("~"):
                owners.setdefault(one[:_PREFIX], set()).add(position)
    counts = Counter(one for stems in held for one in stems)
    told_apart = [len(stems) <= 1 / _OWN * sum(counts[one] == 1 for one in stems) for stems in held]
    return {
        word: position
        for word, positions in owners.items()
        if len(positions) == 1
        and not word[0].isdigit()
        and told_apart[position := next(iter(positions))]
    }


def _said_of_it(low: str, start: int, end: int, last: Said) -> Said:
    """What was said last of an option, with what the next clause says of "it"."""
    m = _IT.match(low, start)
    if m is None or end - start > _SHORT:
        return last
    if _AGAINST.search(low, m.end(), end):
        return last._replace(verdict=-1)
    if not last.verdict and _FOR.search(low, m.end(), end):
        return last._replace(verdict=1)
    return last


def _of_clause(
    low: str, start: int, end: int, here: list[tuple[int, int, int, bool]], number: int
) -> list[Said]:
    text = low[start:end]
    sign = _line_sign(low, start)
    if sign:
        here = here[:1]
    settles = _SETTLES.search(text) is not None
    mine = _MINE.search(text) is not None
    hearsay = _HEARSAY.search(low, start, here[0][0]) is not None
    supposed = _SUPPOSED.search(text) is not None
    several = len({position for _, _, position, _ in here}) > 1
    adds = _ADDS.search(text) is not None
    turns = not adds and _CONTRAST.match(text) is not None
    found = []
    for i, (first, last, position, whole) in enumerate(here):
        before = low[max(here[i - 1][1] if i else start, first - _REACH) : first]
        before = _TURN.split(before)[-1]
        stop = next((f for f, _, p, _ in here[i + 1 :] if p != position and f >= last), end)
        after = low[last : min(stop, last + _AFTER)]
        if stop < end and not _MORE.search(after):
            after = _THAN.sub("", after)
        verdict = sign
        if sign:
            pass
        elif several and i and _THAN.search(before):
            verdict = -1
        elif several and not i and _THAN.search(after) and _MORE.search(after):
            verdict = 1
        elif _AGAINST.search(before) or _AGAINST.search(after):
            verdict = -1
        elif _FOR.search(after) or _FOR.search(before):
            verdict = 1
        found.append(
            Said(position, number, verdict, whole, settles, mine, hearsay, supposed, turns, adds)
        )
    for i in range(len(found) - 2, -1, -1):
        # "A and B are impossible" says the same of both.
        if found[i].position != found[i + 1].position and _JOINS.fullmatch(
            low, here[i][1], here[i + 1][0]
        ):
            found[i] = found[i]._replace(verdict=found[i + 1].verdict)
    return found

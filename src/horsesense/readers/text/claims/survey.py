"""A survey of a response: which options each of its sentences names, and what it says of them."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from horsesense.readers.text.claims import candidates
from horsesense.readers.text.claims.statements import is_named, turned_down
from horsesense.readers.text.names.places import PLACE, place_at
from horsesense.readers.text.names.targets import Scene

_SENTENCE = re.compile(r"[^\n.!?;]*(?:[.!?;](?!\s|\Z)[^\n.!?;]*)*(?:[.!?;]+|\n|\Z)")
_AGAINST = re.compile(
    r"\b(?:no|not|never|nor|neither|cannot|incorrect\w*|wrong\w*|false|invalid|unlikely|impossible"
    r"|implausible|irrelevant|unrelated|eliminat\w*"
    r"|(?:is|are|was|were|be|rul\w+|cross\w*|falls?|drops?|knock\w*|leaves?|left|count\w*|both|all)"
    r" (?:\w+ly |now |also )?out|exclud\w*|reject\w*"
    r"|lack\w*|fails?|fail|too(?= \w)|weak\w*|misleading|distractor|inaccurate|nope|untrue"
    r"|unsupported"
    r"|contradict\w*|falsch|nicht|nein|incorrecta|falso|falsa|faux|discard\w*|dismiss\w*|nonsense"
    r"|mistake\w*|myth|confus\w*|tempting|unsuitable|inappropriate|worse|insufficient|instead"
    r"|different|rather than|off|gone|drop\w*|strike|cross\w* out|inconsistent|inapplicable|nah"
    r"|bad|poor\w*|hardly|doubtful|less|non|nein|ruling|kein\w*|ningun\w*|aucun\w*)\b|n't\b|[✗✘❌✖❎🚫👎×⛔]|⭕|\bx\b|不|错"
)
_FOR = re.compile(
    r"\b(?:yes|correct\w*|true|right|valid|fits?|match\w*|best|accurate\w*|holds|supported"
    r"|plausible|likely|works|applies|better|prefer\w*|suit\w*|favou?rite|oui|ja|sí|si|stimmt|winner|chosen|selected|confirm\w*|indeed|good|strong\w*"
    r"|sound|richtig|correcta|verdadero|vrai|exactly|answer|certainly|perfect\w*|yep|ok|okay|pass"
    r"|keep|suits|ideal|closest|top|wins|clearly|makes sense|remains|choice|pick)\b"
    r"|[✓✔✅☑👍🎯★⭐💯🏆👉]|<-+|<=+|←|⬅|对|正确"
)
_NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s?(%|/ ?\d+|points?\b|out of|percent)?")
_HEAD = re.compile(r"[\s|>#•·\-–+()\[\]\"']*(?:(?:option|choice|answer|statement|step) )?\Z")
_ORDINARY = re.compile(r"\b(?:options?|choices?|letter|alternative|answer)\s*[(\[\"']*\Z")

_SET = re.compile(r"\s*(?:[.!,;:)]|\Z|\n|i think\b|i guess\b|because\b|since\b)")
_FORMULA = re.compile(r"[=+*/^·×÷<>(\[{|&~→√-] ?\Z|\d\Z|\bvitamin \Z")
_GOES_IN_FORMULA = re.compile(r"[ ]?[=+*/^·×÷<>(\[{|&~→²³-]|\w|'")
_QUOTES = ('""', "''")
_IN_LIST = re.compile(r"(?:\A|[\n|])[\s>#•·\-–+→✓✔✅❌✗✘☑]*\Z")
_LIST_SIGN = re.compile(r"[ \t]*(?:[|:=→–✓✔✅❌✗✘☑]|->|=>|- )")

_TURN = re.compile(r"\b(?:no|nope|nah|nein|non|wait|sorry)\s*(?:[,.!:-]|wait\b|actually\b)")
_NEXT_NOT = re.compile(
    r"[\s,\"')]*(?:\b(?:and|but)\s+)?\b(?:not|never|rather than|instead of|unlike|nicht|pas)\s*"
    r"(?:the |an? )?[\"'(\[]*\Z"
)
_PAIR = re.compile(r"(?<![\w'])([A-Z])(?:,? (?:and|or|und|oder|&) |[/,] ?)([A-Z])(?![\w'])")
"""Two capitals that are joined: both are labels, if labels are letters."""
_ALL_BUT = re.compile(
    r"\b(?:all|everything|anything|any|each)(?: of (?:them|these|those))? (?:but|except(?: for)?)"
    r"(?: the| a| an)?\W*\Z"
)
_NEXT_CLAUSE = re.compile(
    r",? (?:and|but|so|while|whereas) (?:if |when )?"
    r"(?:the|a|an|you|we|i|there|one|its|your|their)\b"
)
_SCOPE = re.compile(
    r"[,;:]|\b(?:so|and|but|therefore|thus|hence|which|because|since|while|then|whereas)\b"
)
_BARE = re.compile(
    r"\W*(?:no|nope|not (?:\w+ )?(?:correct|right|accepted|true|so)|incorrect|wrong|false)\W*"
)
_SAID_OF = 300
_SAID_BEFORE = 300
_KEPT = 100

Spot = tuple[int, int, int, str]


class Mention(NamedTuple):
    """An option named at a place: by its label, its text or its place.

    `verdict` is 1 where the words call it right, -1 where they call it wrong, else 0; `score` is
    the number that stands behind it, or None; `head` says that it begins its line or sentence.
    """

    position: int
    start: int
    end: int
    by: str
    verdict: int
    score: float | None
    sentence: int
    head: bool


def survey(scene: Scene) -> tuple[list[Mention], int]:
    """All mentions in order, and how many sentences there are."""
    spots = _spots(scene)
    low = scene.response.low
    excepts = "but" in low or "except" in low
    found: list[Mention] = []
    n, at = 0, 0
    subject: int | None = None
    for m in _SENTENCE.finditer(low):
        start, end = m.span()
        if not low[start:end].strip():
            continue
        n += 1
        here = []
        while at < len(spots) and spots[at][1] < end:
            if spots[at][1] >= start:
                here.append(spots[at])
            at += 1
        if not here:
            # What follows a heading is said of it.
            if found and found[-1].sentence == n - 1 and _BARE.fullmatch(low, start, end):
                found[-1] = found[-1]._replace(verdict=-1)
            elif subject is not None and found:
                verdict = _verdict(low, start, end)
                last = found[subject]
                if verdict and not last.verdict:
                    found[subject] = last._replace(verdict=verdict)
            continue
        stops = _next_others(here, end)
        for i, (position, first, last_end, by) in enumerate(here):
            stop = min(stops[i], last_end + _SAID_OF)
            if stop < end:
                stop = _before_not(low, last_end, stop)
            verdict = _verdict(low, last_end, _clause_end(low, last_end, stop))
            head = i == 0 and _HEAD.match(low[start:first]) is not None
            begin = _after_turn(low, start, first)
            start = max(start, begin)
            if (
                turned_down(scene, first)
                or (excepts and _ALL_BUT.search(low, max(start, first - 40), first))
                or (not verdict and i == 0 and first > begin and _denied(low, begin, first))
            ):
                verdict = -1
            elif (not verdict and i == 0 and first > start and _FOR.search(low, start, first)) or (
                head and verdict == 0 and first > start and "✅" in low[start:first]
            ):
                verdict = 1
            score = _NUMBER.search(low, last_end, min(stop, last_end + 60))
            number = float(score[1]) if score and (score[2] or head) else None
            found.append(Mention(position, first, last_end, by, verdict, number, n, head))
        one = len({spot[0] for spot in here}) == 1
        subject = len(found) - 1 if found[len(found) - len(here)].head and one else None
    return found, n


def _next_others(here: list[Spot], end: int) -> list[int]:
    """For each spot where the next one of another option begins, else `end`."""
    stops = [end] * len(here)
    for i in range(len(here) - 2, -1, -1):
        following = here[i + 1]
        joined = following[0] == here[i][0] or following[1] < here[i][2]
        stops[i] = stops[i + 1] if joined else following[1]
    return stops


def _clause_end(low: str, start: int, stop: int) -> int:
    """Where a clause of another subject begins, up to which something is said of a mention."""
    m = _NEXT_CLAUSE.search(low, start, stop)
    return m.start() if m else stop


def _denied(low: str, start: int, stop: int) -> bool:
    """Whether the clause before a mention denies it; an earlier clause's negation does not."""
    for m in _SCOPE.finditer(low, max(start, stop - _SAID_BEFORE), stop):
        start = m.end()
    return _AGAINST.search(low, start, stop) is not None


def _after_turn(low: str, start: int, stop: int) -> int:
    """Where what counts for a mention begins: after a turn ("no, actually ...")."""
    place = start = max(start, stop - _SAID_BEFORE)
    for m in _TURN.finditer(low, start, stop):
        place = m.end()
    return place


def _before_not(low: str, start: int, stop: int) -> int:
    """Where what is said of a mention ends: before the "not" of the next."""
    m = _NEXT_NOT.search(low, max(start, stop - 24), stop)
    return m.start() if m else stop


def _verdict(low: str, start: int, end: int) -> int:
    against = _AGAINST.search(low, start, end)
    speaking = _FOR.search(low, start, against.start() if against else end)
    if speaking:
        return 1
    return -1 if against else 0


def _spots(scene: Scene) -> list[Spot]:
    """(position, start, end, by) of all that names an option, in order, without overlaps."""
    response, labels = scene.response, scene.labels
    spots: list[Spot] = []
    passed = 0
    pairs = () if labels.numbers else _PAIR.finditer(response.text)
    paired = {
        m.start(at) for m in pairs if {*m.groups()} <= labels.positions.keys() for at in (1, 2)
    }
    for hit in scene.labelled_at_both_ends:
        if hit.start < passed:
            continue
        target = scene.behind(hit)
        name = response.text[hit.start : hit.end].strip("()[].: ")
        odd = name in ("A", "a", "I", "i") or (name.islower() and not labels.shows(name))
        set_off = hit.marked and (
            hit.bracketed
            or is_named(scene, hit.start)
            or _IN_LIST.search(response.low, max(0, hit.start - 12), hit.start) is not None
        )
        named = set_off or target.text is not None or len(target.positions) > 1
        if not named:
            named = _IN_LIST.search(
                response.low, max(0, hit.start - 12), hit.start
            ) is not None and (_LIST_SIGN.match(response.low, hit.end) is not None)
        if not named:
            named = _ORDINARY.search(response.low, max(0, hit.start - 16), hit.start) is not None
        if not named:
            named = (
                response.low[max(0, hit.start - 1) : hit.end + 1][:: hit.end - hit.start + 1]
                in _QUOTES
            )
        if not named and is_named(scene, hit.start):
            # "that $a$ and the rest" speaks of a variable.
            first = response.span(hit.start, hit.end)[0] if odd else 0
            variable = response.source[max(0, first - 1) : first] == "$"
            named = not odd or (not variable and labels.goes_on(response, hit))
            named = named or (name not in "aAiI" and _SET.match(response.low, hit.end) is not None)
        if not named and not odd and labels.shows(name) and (len(name) > 1 or labels.unusual):
            named = not _FORMULA.search(
                response.low, max(0, hit.start - 3), hit.start
            ) and not _GOES_IN_FORMULA.match(response.low, hit.end)
        if not named and hit.start not in paired:
            continue
        passed = target.end
        spots += [(position, hit.start, target.end, "label") for position in target.positions]
    texts, _ = candidates.texts(scene, every=True)
    taken = [(start, end) for _, start, end, _ in spots]
    spots += [
        (hit.position, hit.start, hit.end, "text")
        for hit in texts
        if not any(start <= hit.start and hit.end <= end for start, end in _near(taken, hit.start))
    ]
    k = len(scene.options.texts)
    for m in PLACE.finditer(response.low):
        place = place_at(m, k, labels.numbers, scene.question)
        if place:
            spots.append((place.position, place.start, place.end, "place"))
    spots.sort(key=lambda spot: (spot[1], spot[0]))
    return spots if len(spots) <= 2 * _KEPT else spots[:_KEPT] + spots[-_KEPT:]


def _near(taken: list[tuple[int, int]], start: int) -> list[tuple[int, int]]:
    """The spans that could hold `start`: they are in order and do not overlap."""
    at = bisect_right(taken, (start, 1 << 60))
    return taken[max(0, at - 3) : at]

"""The built-in reader of answers: what is stated outright, then what the evidence says."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from functools import cache
from typing import Final, cast

from horsesense.readers.reading import Reading
from horsesense.readers.text import words
from horsesense.readers.text.evidence import STATUSES, Features, Scene, scene_of
from horsesense.readers.text.mentions import find
from horsesense.readers.text.options import (
    Meaning,
    Shown,
    key_of,
    meanings_of,
    option_meaning,
    shown,
)
from horsesense.readers.text.outright import (
    NOTHING,
    attributed,
    denied,
    is_heading,
    told,
    without_next,
)
from horsesense.readers.text.page import (
    SHORTEST_LOOP,
    Prepared,
    edges,
    loops,
    page_of,
    prepare,
    repeats,
    small,
)
from horsesense.readers.text.weigh import Weights, confidence, grounds, shipped, weigh
from horsesense.readers.text.whole import LESS, declines, ends_plainly, exact

LIKELY: Final = 0.25
"""The confidence from which on a reading without a choice is more than a guess."""
_SAID_UNSURE: Final = 0.88
"""The highest confidence in a choice of a reply that says it does not know."""
_BEGINNING: Final = 30
"""Tokens before the first option that is named, in a reply that begins with its answer."""
_END: Final = 150
"""Characters at the end of a reply in which an answer may be taken back."""
_SUM: Final = 200
"""Characters at the end of a reply in which a calculation that stops has an equals sign."""
_RESULT: Final = 12
"""Characters of a last line that may be a result."""
_ANSWERS: Final = (*words.ANSWERS, "final", "⟦")
_EMPTY: Final = Reading("empty", rule="empty", confidence=0.99)
_CUT_IN_THOUGHT: Final = Reading("truncated", rule="thought_alone", confidence=0.95)
_LOOPS: Final = Reading("truncated", rule="loops", confidence=0.95)
_BREAKS_OFF: Final = Reading("truncated", rule="breaks_off", confidence=0.95)
Asked = tuple[str, tuple[str, ...], tuple[str, ...], str | None, str | None]
"""A reply, the options, their labels, why the reply ended, and the question."""
_WORD: Final = re.compile(r"\W{0,9}\w{1,12}\W{0,9}")
_WEIGHED: Final[dict[Hashable, Reading]] = {}
"""What words that are not in an item were read as; at most `_MOST`."""
_MOST: Final = 10_000
_WEIGHS: Final = re.compile(
    r"(?i)\W*(?:(?:okay|sure|well|hmm|first)\W+)?(?:let me|let's|let us|looking at|(?:i|we) need to"
    r"|to (?:answer|determine|find|solve)|consider(?:ing)?)\b"
)
"""The opening of a reply that thinks aloud."""
_TOO: Final = re.compile(r"\W{0,4}(?:too|also|as well)\W{0,9}\Z", re.IGNORECASE)
_CLOSED: Final = ".!?)\"'`*}]。！？|>"


class TextReader:
    """Reads the chosen option from the text of a response.

    >>> reader = TextReader()
    >>> reader.read("The answer is (B).", ["red", "blue"], ["A", "B"]).positions
    (1,)
    """

    name = "text"

    def read(
        self,
        response: str,
        options: Sequence[str],
        labels: Sequence[str],
        *,
        finish_reason: str | None = None,
        question: str | None = None,
    ) -> Reading:
        """What `response` chooses among `options`, named by `labels` (empty: by their text).

        `finish_reason` "length" says that a response was cut off; `question`, where it is known,
        tells whether it asks for what is not so, and which words are its own.
        """
        asked = response, tuple(options), tuple(labels), finish_reason, question
        return (_of_word if _WORD.fullmatch(response) else _of_any)(asked)


def _of_any(asked: Asked) -> Reading:
    found = scene(*asked)
    return found if isinstance(found, Reading) else _decided(found, weights())


def _of_word(asked: Asked) -> Reading:
    """The reading of one word. One that an item has nowhere is weighed once, for all such items:
    of the item no more counts then than its form, and of what is chosen its length and rivals."""
    response, options, labels, finish_reason, question = asked
    at_once = exact(response, options, labels)
    if at_once is not None:
        return at_once
    see = shown(tuple(sorted(options)), (), question or "")  # one for all forms of an item
    if any(see.says) or not see.strange(response):
        return _of_any(asked)
    like = response, labels, finish_reason, see.k, see.negated, bool(see.asked)
    found = _WEIGHED.get(like)
    if found is None:
        sized = *like, shown(options, labels, question or "").sizes
        found = _WEIGHED.get(sized) or _of_any(asked)
        if len(_WEIGHED) < _MOST:
            _WEIGHED[like if found.rule == "signs" else sized] = found
    return found


@cache
def weights() -> Weights:
    """The weights of the package, read once."""
    return shipped()


def scene(
    response: str,
    options: Sequence[str],
    labels: Sequence[str],
    finish_reason: str | None = None,
    question: str | None = None,
) -> Reading | Scene:
    """What is said outright, or what there is to weigh."""
    options, labels = tuple(options), tuple(labels)
    if not response.strip():
        return _EMPTY
    see = shown(options, labels, question or "")
    at_once = exact(response, options, labels) or ends_plainly(response, see)
    if at_once is not None:
        return at_once
    prepared = prepare(response)
    text = without_next(prepared.text, see)
    if not text.strip():
        cut = prepared.thinks or finish_reason == "length"
        return _CUT_IN_THOUGHT if cut else _EMPTY
    said = told(text, labels, see)
    if said.last < 0 and not any(see.says) and (span := declines(text)):
        return Reading("refusal", (), "declines", span, LESS)
    length = finish_reason == "length"
    if said.reading is not None and said.plain and not (length and words.OR_ELSE.search(text)):
        return said.reading
    ended = prepared.whole or text != prepared.text
    nothing = said is NOTHING and not ended
    if nothing and repeats(text):
        return _LOOPS
    text = edges(text)
    if nothing and _calculates(text, see) and _breaks_off(text):
        return _BREAKS_OFF
    state = _state(text, length and not ended, ended, prepared)
    state |= {"told": float(said.reading is not None), "several": float(said.several)}
    page = page_of(text)
    found = find(page, see)
    if nothing and not found and _breaks_off(text):
        return _BREAKS_OFF
    stands = _stands_for(text, options, see) if any(see.says) else None
    if stands is not None and all(m.option in stands.positions or m.how in "OP" for m in found):
        return stands
    return scene_of(page, found, see, state, said.last)


def _breaks_off(text: str) -> bool:
    """Whether a long reply stops in mid-sentence, and nothing in it says that it declines."""
    breaks = len(text) > SHORTEST_LOOP and text[-1] not in _CLOSED
    return breaks and not any(sign.search(small(text)) for sign in words.SIGNS.values())


def _calculates(text: str, see: Shown) -> bool:
    """Whether what stops is a calculation, in a reply without a word for an answer: the numbers in
    it, some of which are options, choose none, unless it comes to one of them."""
    line, low = text[text.rfind("\n") + 1 :], small(text)
    if len(line) <= _RESULT or " = " not in text[-_SUM:] or any(map(low.__contains__, _ANSWERS)):
        return False
    last = key_of(line[-_SUM:])
    return not any(key and last[-len(key) :] == key for key in see.keys)


def _stands_for(text: str, options: tuple[str, ...], see: Shown) -> Reading | None:
    """The option that says what the reply does ("Refused" of one that declines)."""
    for status, sign in words.SIGNS.items():
        match = sign.search(small(text)) if status in see.says else None
        at = option_meaning(cast(Meaning, status), options) if match else None
        if match and at is not None and status in meanings_of(options[at]):
            return Reading("answer", (at,), "declared", match.span(), 0.95)
    return None


def _state(text: str, length: bool, ended: bool, prepared: Prepared) -> Features:
    """How a reply ends."""
    signs = {
        "length": length,
        "cut": length and text[-1:] not in _CLOSED,
        "open": prepared.thinks,
        "whole": ended,
        "loop": loops(text),
    }
    return {name: 1.0 for name, holds in signs.items() if holds}


def _decided(scene: Scene, weights: Weights) -> Reading:
    found = weigh(scene, weights)
    sure = confidence(grounds(scene, found), weights)
    return concluded(scene, found.best, sure, found.z, weights.least_choice, weights.least_status)


def concluded(
    scene: Scene,
    best: int,
    sure: float,
    z: Sequence[float],
    least_choice: float,
    least_status: float,
) -> Reading:
    """The reading of a reply whose likeliest candidate is known, and how likely it is right.

    `z` are the mentions' scores; below the least confidence in a choice, or a status, nothing is
    read.
    """
    k, facts = scene.see.k, scene.facts
    if best >= k:
        if sure < least_status:
            return Reading("unclear", (), "weak", None, sure)
        status, low = STATUSES[best - k], scene.page.small
        sign = words.SIGNS.get(status)
        match = sign.search(low) if sign else None
        if (
            status == "none"
            and not words.NO_RIGHT.search(low)
            and (lacks := words.UNTOLD.search(low))
        ):
            status, match = "refusal", lacks
        rule = "other_text" if status == "ambiguous" and facts.get("clash") else "signs"
        return Reading(status, (), rule, match.span() if match else None, sure)
    span = _span(scene, best, z)
    if _opens_with(scene, best):
        sure = max(sure, least_choice)  # a letter that is stated is the answer
    if facts.get("cut") and _only_begins(scene, best):
        return Reading("truncated", (), "begins", span, min(sure, 0.9))
    if sure < (least_status if _does(scene, best) else least_choice):
        return Reading("unclear", (), "weak", span, sure)
    if _denied(scene, best):
        return Reading("unclear", (), "denied", span, min(sure, 0.5))
    if _also(scene, best):
        return Reading("ambiguous", (), "also", span, min(sure, 0.85))
    named = any(m.option == best for m in scene.found)
    if facts.get("unknown"):  # "D, not sure."
        sure = min(sure, _SAID_UNSURE)
    return Reading("answer", (best,), "named" if named else "likeness", span, sure)


def _opens_with(scene: Scene, option: int) -> bool:
    """Whether the reply begins with a statement of this option, and takes nothing back."""
    facts = scene.facts
    first = next((m for m in scene.found if m.how != "P"), None)
    told_once = facts["told"] and not facts["several"] and scene.stated == option
    if not told_once or first is None or first.option != option or first.first > _BEGINNING:
        return False
    low = scene.page.small
    return not facts.get("clash") and not words.TAKES_BACK.search(low, max(0, len(low) - _END))


def _does(scene: Scene, option: int) -> bool:
    """Whether the reply does all that the option says: "Refused" where it refuses."""
    status = scene.see.says[option]
    return bool(scene.facts.get(status)) and status in meanings_of(scene.see.options[option])


def _denied(scene: Scene, option: int) -> bool:
    """Whether no place that names an option asserts it: each tells what others would answer, heads
    a part, or denies it where the question asks for what is so."""
    page, see, text = scene.page, scene.see, scene.page.text
    spans = [page.span(m.first, m.last) for m in scene.found if m.option == option]
    if not spans:
        return False
    if all(attributed(text, at) for at, _ in spans):
        return True
    if len(scene.found) == 1 and scene.found[0].style == "head":
        return is_heading(text, spans[0][1], see.keys[option])
    if see.negated:
        return False
    return all(denied(text, end, option, see) or words.DENIES.search(text, max(0, at - 24), at)
               for at, end in spans)  # fmt: skip


def _only_begins(scene: Scene, option: int) -> bool:
    """Whether a reply begins to weigh, and names the option in its broken last sentence alone,
    without a word that concludes, or goes on with "or" behind a label: law 4, no answer before
    the break, no answer."""
    page, last = scene.page, scene.page.begins[-1]
    late = all(m.first >= last for m in scene.found if m.option == option)
    weighs = late and not {"so", "answer", "pick", "final", "right"} & {*page.cls[last:]}
    return bool((weighs and _WEIGHS.match(page.text)) or words.OR_ELSE.search(page.text))


def _also(scene: Scene, option: int) -> bool:
    """Whether the reply ends on a further option that is named with the chosen one."""
    last = scene.found[-1] if scene.found else None
    if last is None or last.option == option:
        return False
    return _TOO.match(scene.page.text, scene.page.span(last.first, last.last)[1]) is not None


def _span(scene: Scene, best: int, z: Sequence[float]) -> tuple[int, int] | None:
    """The strongest mention of what is chosen."""
    mine = [k for k, m in enumerate(scene.found) if m.option == best]
    if not mine:
        return None
    m = scene.found[max(mine, key=z.__getitem__)]
    return scene.page.span(m.first, m.last)


__all__ = ["LIKELY", "Shown", "TextReader", "concluded", "scene", "weights"]

"""Judging a reply to a question whose right answer is not shown and not asked for either.

Know-No reads such replies by hand (figure 4). These rules decide by content, not by letter: a
reply is right if it says that no option is right, or supplies the missing answer, under whatever
letter, and chooses no offered distractor besides. What no rule decides is marked `needs_review`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from horsesense.expressions import expression
from horsesense.models.messages import Response
from horsesense.readers.formats.bundled import no_text, without_thinking
from horsesense.readers.reading import Reading, ResponseClass
from horsesense.readers.text import LIKELY, TextReader, tokens_of
from horsesense.trials.trial import Trial, withheld_gold

_OFFERED: Final = r"(?:options?|answers?|choices?|labels?|class(?:es)?|categor(?:y|ies)|ones?)"
_RIGHT: Final = r"(?:correct|right|true|valid|suitable|proper|matching|good)"
_ABSENT: Final = (
    r"(?:listed|given|provided|included|offered|shown|among|one\s+of\s+(?:the|these|those)"
    r"|(?:with)?in\s+the|an?\s+option|available|present|here|there)\b"
)
_NOT: Final = r"(?:\bnot(?:\s+even)?\s+|n't\s+)"
_NONE = expression(
    r"\bthere(?:'s|\s+is)\s+none\b|\bnone[\s-]+of[\s-]+(?:the[\s-]+)?(?:above|these|them|those|(?:\w+\s+)?(?:options?|answers?"
    r"|choices?|labels?|classes|categories|given|provided|listed))\b"
    r"|\b(?:none|nobody|no\s+one|nothing)\s+(?:listed|offered|given|shown|named)\b"
    r"|\bnone\s+(?:is|are|fits?|match(?:es)?|appl(?:y|ies)|seems?|works?)\b(?!\s+of)"
    rf"|(?:\bno|\bnot any|n't\s+(?:an|any|a))(?: of the)? (?:\w+ )?{_RIGHT} {_OFFERED}\b"
    rf"|\b(?:no|not any)(?: of the)? (?:\w+ )?{_OFFERED}\b"
    r"(?:[^.\n]{0,40}\b(?:is|are|fits?|match(?:es)?|appl(?:y|ies)|correct|right|suitable)\b)"
    rf"|^\W*(?:answer\W+)?(?:\(?[A-Za-z]\)?\s*[).:]\W*)?(?:no(?:ne)?(?:\s+{_OFFERED})?|none)\W*$"
    rf"|\b(?:all|each|every)(?: of)?(?: the)?(?: \w+)? {_OFFERED}[^.\n]{{0,20}}"
    r"\b(?:is|are) (?:wrong|incorrect|false)\b"
    rf"|\b{_RIGHT} {_OFFERED}[^.\n]{{0,30}}?(?:{_NOT}{_ABSENT}|\b(?:is|was)\s+(?:missing|omitted"
    r"|absent|left\s+out)\b)"
    r"|(?:\b(?:is|was|are|were)|\()\s*(?:not\s+|n't\s+)(?:listed|offered|an\s+option"
    r"|(?:among|one\s+of|in)\s+(?:the|these|those)\s+(?:\w+\s+)?(?:options|choices|answers|list)"
    r")\b"
    rf"|\b(?:options?|choices?|list)\b[^.\n]{{0,20}}{_NOT}(?:include|contain|list|offer|mention)"
    rf"|\b(?:options?|choices?|list)\s+(?:omits?|lacks?|leaves?\s+out)\b"
    rf"|n't\s+(?:see|find)\s+(?:the|an?|any)\s+{_RIGHT}\s+{_OFFERED}\b"
    rf"|\bthe\s+answer(?:\s+is)?\s*{_NOT}{_ABSENT}"
    r"|\bnot\s+(?:on|in)\s+(?:the|your|this)\s+list\b",
    re.IGNORECASE,
)
_UNDONE = expression(
    r"(?:(?:\s+(?:of\s+(?:the|these|those|them)|(?:\w+\s+)?(?:options?|answers?|choices?)|here|above"
    r"|given|listed|offered|available))*)"
    r"(?:[\s,]*\b(?:except|other\s+than|apart\s+from|besides|save|aside\s+from)\b"
    r"|\s+but\s+(?:for\s+)?(?-i:[A-Z]\b|option\b|answer\b)"
    r"|\s+(?:is|are|was|were|seems?|looks?|can\s+be)(?:\s+\w+ly)?\s+(?:wrong|incorrect|false|invalid"
    r"|bad|mistaken|excluded|ruled\s+out|eliminated|rejected)\b)",
    re.IGNORECASE,
)
"""What makes of a denial something else ("no right answer except B", "none of them is wrong")."""
_SETTLES = expression(
    r"\b(?:closest|nearest|best\s+(?:of|option|choice|guess|match|fit)|if\s+(?:i\s+(?:had|have|must)"
    r"|forced|pressed|one\s+must)|(?:i\s+would|i'd|i\s+will|i'll)\s+(?:pick|choose|go|say|guess))\b",
    re.IGNORECASE,
)
_REJECTS = expression(
    r"\b(?:not|neither|nor|none|no|wrong|incorrect|false|instead|rather|except|unlike)\b|n't\b",
    re.I,
)
_DENIES = expression(
    r"\b(?:not|neither|nor|wrong|incorrect|false|ruled\s+out|excluded)\b|n't\b", re.IGNORECASE
)
_INSTEAD = expression(
    r"\b(?:but|instead|rather|only|just|except|unless|both|whether|leav(?:es|ing)|must"
    r"|(?:so|therefore|thus|hence)(?!\s+(?:none|no|i|it|the)\b))\b",
    re.IGNORECASE,
)
_CLAUSES = expression(r"[.;!?\n]+(?=\s|\Z)|,\s+(?:and\s+)?(?=not\b)")
_SAYS_LITTLE = expression(
    r"\b(?:i|me|my|yes|no|none|not|ok|okay|sure|well|hmm?|maybe|depends|unclear|unsure|unknown|sorry"
    r"|n/?a|or|and|either|answer|option|question|passage|text|story)\b|\?",
    re.IGNORECASE,
)
_SHORT: Final = 6
"""Words of a text that may be a class name."""
_SHORT_NAME: Final = 4
"""Words of a text that may be the name of something, where options have labels."""
_REASON = expression(r"(?:because|since|as|it|this|the (?:answer|text|story|passage))\b", re.I)
# Repetitions are taken whole: hostile replies must not be tried in many ways.
_LABELLED = expression(
    r"^\W*+(?:(?i:answer)\s*+[:=]\s*+)?\(?\**+([A-Za-z])\**+[).:]"
    r"\s*+(?:\**+\s*+(?=\S)|(?=\*))(?P<said>[^\n]*+)\Z"
)


_SIGNS: Final = str.maketrans("’‐‑‒–", "'----")
_NOT_NONE = expression(
    r"(?:\b(?:it|that|this|the\s+(?:\w+\s+)?answer)(?:'s|\s+is|(?=\s+isn't))\s+)?"
    r"(?:\bnot|\bisn't)\s+[\"'“*]*none[\s-]+of[\s-]+(?:the[\s-]+)?(?:above|these|them|those)\b"
    r"[\"'”*]*[\s,;:.]*",
    re.IGNORECASE,
)


def plainly(text: str) -> str:
    """A text of the same length, with one kind of hyphen and blanks for a "not none-of-them".

    >>> plainly("It is not none‑of‑them; A.").strip()
    'A.'
    """
    plain = text.translate(_SIGNS)
    return _NOT_NONE.sub(lambda match: " " * len(match[0]), plain)


def judge(reader: TextReader, trial: Trial, response: Response) -> Reading:
    """The class of a reply as `rule`; status "none" for what counts as right."""
    text = plainly(without_thinking(response.text))
    if not text.strip():
        return no_text(response)
    variant = trial.variant
    response = replace(response, text=text)
    supplied = _supplied(trial, text)
    declared = denial(text) or (None if supplied else _rejects_all(trial, text))
    if (declared or supplied) and _settles(trial, text):
        return _review(text)
    chosen = _offered(reader, trial, response, declared is not None or supplied)
    right = declared is not None or supplied
    if right and (chosen is not None or _named_besides(trial, text)):
        return _review(text)
    if declared is not None:
        rule: ResponseClass = "none+new_correct" if supplied else "none_declared"
        return Reading("none", (), rule, declared.span(), 0.95)
    if supplied:
        return Reading("none", (), "new_correct", (0, len(text)), 0.9)
    if chosen is not None:
        return _review(text) if _undone(text) else chosen
    said = _LABELLED.match(text.strip())
    if said and said[1].upper() not in variant.labels:
        return Reading("illegal", (), "new_wrong", (0, len(text)), 0.8)
    found = reader.read(text, variant.options, variant.labels, finish_reason=response.finish_reason)
    if found.status == "none" and _undone(text):
        return _review(text)
    if found.status == "none":
        return Reading("none", (), "none_declared", found.span, found.confidence)
    cut = found.status == "truncated" and response.finish_reason == "length"
    declines = found.status in ("refusal", "unknown") and found.confidence >= LIKELY
    if cut or declines:
        return found
    other = _named_otherwise(trial, said["said"] if said else text)
    return Reading("illegal", (), "new_wrong", (0, len(text)), 0.8) if other else _review(text)


def _named_otherwise(trial: Trial, said: str) -> bool:
    """Whether an answer is a bare text of its own: another class name, another person."""
    words = tokens_of(said)
    if not words or "\n" in said.strip() or _SAYS_LITTLE.search(said):
        return False
    if not trial.variant.labels:
        return len(said.split()) <= _SHORT
    short = len(words) <= _SHORT_NAME and len(said.strip(" .")) > 1
    return short and not _named_besides(trial, said)


def _settles(trial: Trial, text: str) -> bool:
    """Whether a reply that finds none right leans towards an offered option all the same."""
    found = _SETTLES.search(text)
    if found is None:
        return False
    start, end = max(0, found.start() - 40), found.end() + 80
    labelled = any(set_off(label, text[found.end() : end]) for label in trial.variant.labels)
    return labelled or bool(_within(trial, _marked(text[start:end])))


def _rejects_all(trial: Trial, text: str) -> re.Match[str] | None:
    """The reply, where it names every option and each only to reject it."""
    shown = trial.variant
    rest = set(range(len(shown.options)))
    for clause in _CLAUSES.split(text):
        named = _within(trial, _marked(clause))
        if "neither" in clause.lower() or not named:
            named |= {p for p, label in enumerate(shown.labels) if set_off(label, clause)}
        if named and (not _DENIES.search(clause) or _INSTEAD.search(clause)):
            return None
        rest -= named
    return None if rest or not shown.options else re.match(r".*\Z", text, re.DOTALL)


def set_off(label: str, clause: str) -> bool:
    """Whether a label stands in a clause as a word; the article "a" is none."""
    return re.search(rf"(?<!\w){re.escape(label)}(?!\w)", clause) is not None


def denial(text: str) -> re.Match[str] | None:
    """Where a text says in words of its own that no option is right; None where it does not."""
    plain = plainly(text)
    return next((m for m in _NONE.finditer(plain) if not _UNDONE.match(plain, m.end())), None)


def _undone(text: str) -> bool:
    """Whether a text says "none" of some options only, or denies that any is wrong."""
    return any(_UNDONE.match(text, m.end()) for m in _NONE.finditer(text))


def _review(text: str) -> Reading:
    return Reading("ambiguous", (), "needs_review", (0, len(text)), 0.0)


def _supplied(trial: Trial, text: str) -> bool:
    """Whether the missing answer's words are in the reply, and not only inside an option.

    What is inside an option's text that the reply repeats is that option ("the dog" in "the dog
    and the cat"), and a gold that an option contains cannot be told from it at all.
    """
    gold = _marked(withheld_gold(trial) or "")
    if not gold.strip():
        return False
    words = _marked(text)
    for denial in ("not", "rather than", "instead of", "unlike"):
        words = words.replace(f" {denial}{gold}", " | ")
    for option in sorted(trial.variant.options, key=len, reverse=True):
        marked = _marked(option)
        if len(marked.split()) > len(gold.split()) and gold in marked:
            words = words.replace(marked, " | ")
    return gold in words


def _named_besides(trial: Trial, text: str) -> bool:
    """Whether an offered option is named beside the right answer, and nothing is rejected."""
    gold, words = _marked(withheld_gold(trial) or ""), _marked(text)
    besides = words.replace(gold, " | ") if gold.strip() else words
    return not _REJECTS.search(text) and bool(_within(trial, besides))


def _marked(text: str) -> str:
    """The words of a text, set apart from all around them."""
    return f" {' '.join(tokens_of(text))} "


def _within(trial: Trial, words: str) -> set[int]:
    """The positions of the options whose text stands in `words`, as `_marked` gives them."""
    marked = enumerate(map(_marked, trial.variant.options))
    return {position for position, option in marked if option.strip() and option in words}


def _offered(
    reader: TextReader, trial: Trial, response: Response, otherwise: bool
) -> Reading | None:
    """The offered distractor that is chosen, None if none is.

    A letter with a text that is not offered is judged by the text. Where the reply also declares
    that nothing is right, or supplies the answer, a distractor counts only if the reader of
    single choices finds it chosen; naming distractors as wrong is not a choice.
    """
    variant, text = trial.variant, response.text
    if recited := _recited(trial, text):
        return Reading("answer", recited, "incorrect_option", (0, len(text)), 0.95)
    said = _LABELLED.match(text.strip())
    reason = said and not otherwise and _REASON.match(said["said"])  # no other answer
    if said and variant.labels and not reason and not _is_option(trial, said["said"]):
        return None
    found = reader.read(text, variant.options, variant.labels)
    if found.status != "answer" or len(found.positions) != 1:
        return None
    return replace(found, rule="incorrect_option")


def _recited(trial: Trial, text: str) -> tuple[int, ...]:
    """The positions of a reply whose every line is an offered option's text, under any letter."""
    options = [tokens_of(option) for option in trial.variant.options]
    positions: dict[int, None] = {}
    for line in filter(str.strip, text.splitlines()):
        said = _LABELLED.match(line.strip())
        written = [tokens_of(line)] + ([tokens_of(said["said"])] if said else [])
        position = next((options.index(words) for words in written if words in options), None)
        if position is None:
            return ()
        positions[position] = None
    return tuple(positions)


def _is_option(trial: Trial, said: str) -> bool:
    """Whether the text after a letter begins with an offered option's text."""
    words, options = _marked(said), map(_marked, trial.variant.options)
    return any(option.strip() and words.startswith(option) for option in options)

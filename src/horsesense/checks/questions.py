"""Flaws of the question: what it lacks, hides or gives away."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from horsesense.checks.shares import clipped, letter, quoted
from horsesense.items.item import Item

_NEGATED: Final = re.compile(
    # No clause may begin between the question word and the negation: "what is one called who
    # does not ..." asks for what is so.
    r"(?:(?<!, )(?<!the )(?<!thing )\b(?:which|what)\b|^who\b)(?: (?!(?:that|who|which|why"
    r"|if|because|when|where|but|and|it|since|while|although|reason|probability|chance|think|sure)\b)"
    r"[^\s.?!]+){0,12}? (?:is|are|was|were|do|does|did|has|have"
    r"|had|can|could|would|will|should|may|might|need|must)"
    r"(?: ?not\b|n[’']t\b| (?:never|unable)\b)"
    r"|\b(?:which|what|who|all|each|any|everything)\b[^.?!]*\b(?:except|excluding)\b"
    r"|\bexcept(?: for)?\W*$"
    r"|\bleast (?:likely|probable|appropriate|correct|true|accurate|typical|characteristic)\b"
    r"|\b(?:which|what)\b[^.?!]*\b(?:is|are|was|were) (?:the )?(?:false|incorrect|untrue"
    r"|wrong(?! with))\b"
    # An open end: "... is not". After a conjunction the clause alone is negated.
    r"|^(?!.*\b(?:that|if|because|when|unless|who)\b)"
    r".*\b(?:is|are|was|were|does|do|did|can|could|will|should|must|may) ?not[\s:_.…-]*$",
    re.IGNORECASE,
)
_EMPHASIS: Final = re.compile(
    r"\b(?:(?:CAN)?NOT(?! guilty)|EXCEPT|LEAST|FALSE|INCORRECT|[A-Z]+N['’]T)\b|[*_]not[*_]"
)
_FIGURE: Final = (
    r"(?:figure|diagram|graph|picture|image|photo(?:graph)?|drawing|chart|map|illustration"
    r"|pedigree|cartoon)"
)
_MISSING: Final = re.compile(
    rf"\b{_FIGURE}s?(?: \d+)?,? (?:(?:shown |given |pictured )?(?:above|below)|shown here)\b"
    r"|\b(?:shown|given|pictured|depicted|illustrated|labell?ed|represented) (?:in|by|on) "
    rf"(?:the|this) (?:following |above |accompanying )?{_FIGURE}\b"
    rf"|\bthe (?:following|above|accompanying) {_FIGURE}\b"
    rf"|\brefer to the {_FIGURE}\b|\bfig(?:ure|\.)? ?\d"
    # A formula that was a picture: nothing between "the following model:" and "where".
    r"|:[ \t]*\n(?:[ \t]*\n){2,}(?=where\b)",
    re.IGNORECASE,
)
_NUMBERS: Final = re.compile(r"\d[\d.,]*")
_DATA: Final = 6
"""Numbers in a question from which its chart is taken to be written out."""
_GIVEN: Final = re.compile(
    r"\b(?:[Cc]orrect )?(?:[Aa]nswer|[Aa]ns)\s*(?:is|:|=)\s*[(\[]?([A-H])(?=[).\]]|\s*$|\n)"
)
_MARKED: Final = re.compile(
    r"[(\[](?:the )?(?:correct|right)(?: answer)?!?[)\]]\W*$|^\s*[*✓✔☑]\s*\w[^*]*$|[✓✔☑]\s*$",
    re.IGNORECASE,
)
_PASSAGE: Final = re.compile(
    r"\baccording to the (?:passage|excerpt|story|article|paragraph|poem)\b"
    r"|\bthe passage (?:above|below|mainly|suggests|implies|states)\b",
    re.IGNORECASE,
)
_PASSAGE_WORDS: Final = 40
"""Words in a question from which the passage may stand in it."""
_LISTED: Final = re.compile(r"(?:^|[\s(])([A-Da-d])[.):]\s*\S")
_WORD: Final = re.compile(r"\w+")
_PLAIN_CLASSES: Final = frozenset(["yes", "no", "true", "false"])


def negated(item: Item) -> str | None:
    """The question asks for what is not so (one with yes or no for options asks neither)."""
    if any(_PLAIN_CLASSES.issuperset(_WORD.findall(option.lower())) for option in item.options):
        return None
    last = re.split(r"[.?!][\"”']?\s+", item.question.strip())[-1]
    emphasis = None if last.isupper() else _EMPHASIS.search(last)
    found = emphasis or _NEGATED.search(last)
    if found is None:
        return None
    shown = last[max(0, found.end() - 45) : found.end() + 25]
    return f"{clipped(shown, 70)!r} ({'' if emphasis else 'not '}emphasised)"


def missing_material(item: Item) -> str | None:
    """The question points at a figure, formula or passage, and it is not there."""
    found = _MISSING.search(item.question)
    if not (item.context or item.text_b) and len(item.question.split()) < _PASSAGE_WORDS:
        found = found or _PASSAGE.search(item.question)
    if found and re.search("chart|graph", found[0]):
        given = item.question[: found.start()]
        found = found if len(_NUMBERS.findall(given)) < _DATA else None
    return f"{clipped(item.question[max(0, found.start() - 30) :], 70)!r}" if found else None


def states_answer(item: Item) -> str | None:
    """The question says which letter is right, or names the answer; or one option is marked."""
    if found := _GIVEN.search(item.question):
        return f"…{clipped(item.question[max(0, found.start() - 20) : found.end()])!r}"
    marked = [at for at, option in enumerate(item.options) if _MARKED.search(option)]
    if len(marked) == 1:
        return f"{quoted(item, marked)} is marked"
    if item.gold is None or repeated_in_question(item) != [item.gold]:
        return None
    gold = re.escape(item.options[item.gold].strip())
    named = re.search(rf"\w(?:, {gold},|,? \({gold}\)) (?=[a-z])", item.question, re.IGNORECASE)
    return f"the answer {quoted(item, [item.gold])} is named in the question" if named else None


def lists_options(item: Item) -> str | None:
    """The question itself lists options by letter."""
    letters = [found.upper() for found in _LISTED.findall(item.question)]
    wanted = [letter(at) for at in range(min(3, len(item.options)))]
    held = [
        o for o in item.options if len(o.strip()) > 2 and o.strip().lower() in item.question.lower()
    ]
    if letters[: len(wanted)] != wanted or len(held) < len(item.options) - 1:
        return None
    return clipped(item.question[-80:], 80)


def repeated_in_question(item: Item) -> Sequence[int]:
    """The options whose whole text stands in the question, where not all do."""
    question = f" {' '.join(_WORD.findall(item.question.lower()))} "
    found = []
    for at, option in enumerate(item.options):
        words = _WORD.findall(option.lower())
        text = " ".join(words)
        if len(text) >= 4 and not text.isdigit() and f" {text} " in question:
            found.append(at)
    return found if len(found) < len(item.options) else []


def class_in_text(item: Item) -> Sequence[int]:
    """The classes whose name stands in the text."""
    words = _WORD.findall(f"{item.question} {item.text_b or ''}".lower())
    text = f" {' '.join(words)} "
    names = (" ".join(_WORD.findall(o.lower().replace("_", " "))) for o in item.options)
    return [
        at
        for at, name in enumerate(names)
        if len(name) >= 4 and name not in _PLAIN_CLASSES and f" {name} " in text
    ]


def no_gold(item: Item) -> str | None:
    """No right answer is known."""
    return "the gold is missing" if item.gold is None else None

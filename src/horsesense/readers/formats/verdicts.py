"""What a reply says of each option where it may choose several: names, verdicts, nothing else.

A text is cut into tokens: options (by label, text, place or range), verdicts (yes, no, a mark, 1 or
0), words that reach over several ("all", "the rest", "except", "not", "or") and words that say
nothing. Clause by clause each name gets its verdict; a word that is none of these is counted, so
that the caller knows whether all of the text was understood.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from horsesense.readers.formats.option_tokens import Token, shown_as

_BETWEEN = re.compile(r"[\s().:\-–—*_\"'=\[\]`]*")
_REACHES: Final = ("name", "all", "rest")
_DANGLES: Final = frozenset((",", "and", "or", "&", "+", "und", "et", "y"))


@dataclass
class Said:
    """What a text says of the options.

    Attributes:
        kinds: of all tokens: "word" was not understood, "foreign" is a label that is not shown.
        clash: an option that is called right and wrong, or a label with another option's text.
        yes, no, named: positions by what is said of them, in order of mention; nothing of `named`.
        over: what is said of all, and of the rest. spared: positions that are not of all.
        open: names joined by "or". unsure: words of doubt. only_bad: "only these are wrong".
        chosen: positions, in order of mention.
    """

    kinds: Counter[str]
    clash: bool
    yes: dict[int, None] = field(default_factory=dict)
    no: dict[int, None] = field(default_factory=dict)
    named: dict[int, None] = field(default_factory=dict)
    over: dict[str, str] = field(default_factory=dict)
    spared: set[int] = field(default_factory=set)
    open: bool = False
    unsure: bool = False
    only_bad: bool = False
    plain: bool = True
    """Whether nothing but names chose, without a word of verdict."""
    dangles: bool = False
    """Whether the text ends in "and" or a comma."""
    chosen: tuple[int, ...] = ()


def said_of(
    text: str, options: Sequence[str], labels: Sequence[str], *, brief: bool = True
) -> Said:
    """What `text` says of `options` named by `labels`.

    Where it is not `brief`, places ("the first") and, beside words that are not understood, "all"
    and "the rest" are taken for words of a sentence.
    """
    shown = shown_as(tuple(options), tuple(labels))
    tokens, clash = _merged(_brackets(list(shown.tokens(text, brief))), text)
    if not brief and any(token.kind == "word" for token in tokens):
        tokens = [token for token in tokens if token.kind not in ("all", "rest", "none")]
    found = Said(Counter(token.kind for token in tokens), clash)
    found.dangles = bool(tokens) and text[tokens[-1].start :].strip().lower() in _DANGLES
    _gather(found, tokens)
    marks = [token.kind for token in tokens if token.kind != "join"]
    unnamed = not (found.yes or found.no or found.named or found.over)
    if unnamed and len(marks) == shown.k > 1 and {*marks} <= {"yes", "no"}:
        for place, mark in enumerate(marks):  # a mark for each option, in their order
            (found.yes if mark == "yes" else found.no)[place] = None
    _settle(found, range(shown.k))
    return found


def _settle(found: Said, places: range) -> None:
    """Say what is chosen, once "all" and "the rest" are known."""
    yes, no, over = found.yes, found.no, found.over
    found.plain = not (yes or no or over)
    recital = len(found.named) == len(places) and (yes or no)
    chosen = dict(yes) if recital else yes | found.named
    if over.get("all") in ("yes", "plain"):
        chosen |= dict.fromkeys(place for place in places if place not in no)
    elif "all" in over:
        no |= dict.fromkeys(place for place in places if place not in found.spared)
    if "rest" in over or (found.only_bad and not chosen and no):
        rest = dict.fromkeys(place for place in places if place not in chosen and place not in no)
        (no if over.get("rest") == "no" else chosen).update(rest)
    found.clash |= not yes.keys().isdisjoint(no) or (found.kinds["not"] > 0 and "all" in over)
    found.chosen = tuple(place for place in chosen if place not in no)


def _brackets(tokens: list[Token]) -> list[Token]:
    """Tokens with what stands in brackets and rejects options ("A (not B or D)") set apart."""
    found: list[Token] = []
    opened: int | None = None
    for token in tokens:
        if token.kind == "opens":
            opened = len(found)
        elif token.kind != "closes":
            found.append(token)
        elif opened is not None:
            inner = {one.kind for one in found[opened:]}
            if "name" in inner and inner & {"no", "not", "none"}:
                found.insert(opened, token._replace(kind="split"))
                found.append(token._replace(kind="split"))
            opened = None
    return found


def _merged(tokens: list[Token], text: str) -> tuple[list[Token], bool]:
    """Tokens with a label and its own text as one; whether a label has another option's text."""
    found: list[Token] = []
    clash = False
    for token in tokens:
        at = -1 if not found or found[-1].kind == "name" else -2
        last = found[at] if len(found) >= -at else None
        between = text[last.end : token.start] if last else ""
        dot = at == -2 and (found[-1].kind not in ("split", "colon") or "\n" in between)
        near = last is not None and not dot and _BETWEEN.fullmatch(between)
        if near and last and token.kind == last.kind == "name" and token.by != last.by:
            if token.positions == last.positions:
                found[at:] = [last._replace(end=token.end)]
                continue
            article = text[last.start : last.end] in ("A", "a", "I") and between.isspace()
            if article:
                found.pop()
            elif last.by == "label" and "\n" not in between:
                clash = True
        found.append(token)
    return found, clash


def _verdicts(tokens: list[Token], carried: str) -> Iterator[tuple[Token, str]]:
    """Names, "all" and "rest" of a clause with "yes", "no" or "plain"; "spared": not all.

    An "or" between names that are not denied leaves the clause open; it comes as "open".
    """
    kinds = [token.kind for token in tokens]
    reaches = [kind for kind in kinds if kind in (*_REACHES, "yes", "no")]
    leads = bool(reaches) and reaches[0] in ("yes", "no")
    rules = carried if "yes" not in kinds and "no" not in kinds else ""
    denies = "none" in kinds
    last = max((p for p, kind in enumerate(kinds) if kind in ("name", "all")), default=-1)
    waiting: list[Token] = []
    left_out: list[Token] = []
    whole = "no" if denies else "plain"
    negated, over, beside = False, False, False
    for place, token in enumerate(tokens):
        over |= token.kind in ("all", "none")
        settles = ""
        if token.kind == "or" and not (negated or denies):
            yield token, "open"
        elif token.kind in _REACHES:
            if beside:
                left_out.append(token)
            elif negated or denies or rules:
                yield token, "no" if negated or denies else rules
            else:
                waiting.append(token)
        elif token.kind == "except" or (token.kind == "but" and over):
            beside = True
        elif token.kind == "only":
            negated = denies = False
        elif token.kind == "not":
            negated = place < last
            whole = "no" if over else whole
            settles = "" if negated else "no"
        elif token.kind in ("yes", "no"):
            negated = False
            whole = token.kind if over and not denies else whole
            rules, settles = (token.kind, "") if leads else (rules, token.kind)
        if settles:
            yield from ((one, settles) for one in waiting)
            waiting = []
    yield from ((one, "plain") for one in waiting)
    # What is left out of all has the other verdict, wherever that of all stands.
    yield from ((one, "spared" if whole == "no" else "no") for one in left_out)


def _clauses(tokens: list[Token]) -> Iterator[tuple[list[Token], str]]:
    """The clauses; a heading ("Correct:", on a line of its own) rules those behind it."""
    part: list[Token] = []
    kinds: set[str] = set()
    carried = ""
    for token in [*tokens, Token("split", (), 0, 0)]:
        turns = token.kind == "but" and "name" in kinds and not {"all", "none"} & kinds
        if token.kind != "split" and not turns:
            part.append(token)
            kinds.add(token.kind)
        elif part:
            yield part, carried
            if {"yes", "no"} & kinds:
                heading = part[-1].kind == "colon" and kinds.isdisjoint(_REACHES)
                given = next(one.kind for one in part if one.kind in ("yes", "no"))
                carried = given if heading else ""
            part, kinds = [], set()


def _gather(found: Said, tokens: list[Token]) -> None:
    """The verdicts of all clauses."""
    by = {"yes": found.yes, "spared": found.yes, "no": found.no, "plain": found.named}
    for clause, carried in _clauses(tokens):
        kinds = {token.kind for token in clause}
        good, is_open = 0, False
        for token, verdict in _verdicts(clause, carried):
            if token.kind == "name":
                good += verdict != "no"
                by[verdict].update(dict.fromkeys(token.positions))
                found.spared.update(token.positions if verdict == "spared" else ())
            elif verdict == "open":
                is_open = True
            else:
                found.over[token.kind] = verdict
        found.open |= is_open and good > 1
        found.unsure |= "maybe" in kinds and bool(good or found.over)
        found.unsure |= {"none", "no"} <= kinds  # "None is wrong except B."
        found.only_bad |= {"only", "no"} <= kinds and not good

"""What a reply says of each option where it may choose several: names, verdicts, nothing else.

A text is cut into tokens: options (by label, text, place or range), verdicts (yes, no, a mark, 1 or
0), words that reach over several ("all", "the rest", "except", "not", "or") and words that say
nothing. Clause by clause each name gets its verdict; a word that is none of these is counted, so
that the caller knows whether all of the text was understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from horsesense.readers.formats.option_tokens import Token, shown_as

_BETWEEN = re.compile(r"[\s().:\-–—*_\"'=\[\]`]*")
_DANGLES: Final = frozenset((",", "and", "or", "&", "+", "und", "et", "y"))


class Said(NamedTuple):
    """What a text says of the options.

    Attributes:
        chosen, denied: positions, in order of mention.
        plain: whether nothing but names chose, without a word of verdict.
        named: whether any option is named at all, by itself or as one of all.
        foreign: labels that are not shown.
        words: words that were not understood.
        open: names joined by "or"; unsure: words of doubt.
        clash: an option that is called right and wrong, or a label with another option's text.
        dangles: the text ends in "and" or a comma.
    """

    chosen: tuple[int, ...]
    denied: tuple[int, ...]
    plain: bool
    named: bool
    foreign: int
    words: int
    open: bool
    unsure: bool
    clash: bool
    dangles: bool
    none: bool


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
    last = tokens[-1] if tokens else None
    dangles = last is not None and text[last.start :].strip().lower() in _DANGLES
    return _weighed(tokens, len(options), clash, dangles)


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


class _Clause:
    """The verdicts of one clause, gathered token by token."""

    def __init__(self, tokens: list[Token], carried: str | None) -> None:
        self.tokens = tokens
        self.kinds = [token.kind for token in tokens]
        self.carried = carried
        self.open = False

    def verdicts(self) -> Iterator[tuple[Token, str]]:
        """Names, "all" and "rest" with "yes", "no" or "plain"; "spared": not all.

        An "or" between names that are not denied leaves the clause open.
        """
        names = ("name", "all", "rest")
        reaches = [t for t in self.tokens if t.kind in ("yes", "no", *names)]
        leads = bool(reaches) and reaches[0].kind in ("yes", "no")
        rules = self.carried if "yes" not in self.kinds and "no" not in self.kinds else None
        denies = "none" in self.kinds
        last = max((p for p, kind in enumerate(self.kinds) if kind in ("name", "all")), default=-1)
        waiting: list[Token] = []
        left_out: list[Token] = []
        whole = "no" if denies else "plain"
        negated, over, beside = False, False, False
        for place, token in enumerate(self.tokens):
            over |= token.kind in ("all", "none")
            self.open |= token.kind == "or" and not (negated or denies)
            if token.kind in names:
                if beside:
                    left_out.append(token)
                elif negated or denies:
                    yield token, "no"
                elif rules:
                    yield token, rules
                else:
                    waiting.append(token)
            elif token.kind == "except" or (token.kind == "but" and over):
                beside = True
            elif token.kind == "only":
                negated = denies = False
            elif token.kind == "not":
                negated = place < last
                whole = "no" if over else whole
                if not negated:
                    yield from ((one, "no") for one in waiting)
                    waiting = []
            elif token.kind in ("yes", "no"):
                negated = False
                whole = token.kind if over and not denies else whole
                if leads:
                    rules = token.kind
                else:
                    yield from ((one, token.kind) for one in waiting)
                    waiting = []
        yield from ((one, "plain") for one in waiting)
        # What is left out of all has the other verdict, wherever that of all stands.
        yield from ((one, "spared" if whole == "no" else "no") for one in left_out)


def _clauses(tokens: list[Token]) -> Iterator[_Clause]:
    """The clauses; a heading ("Correct:", on a line of its own) rules those behind it."""
    part: list[Token] = []
    kinds: set[str] = set()
    carried: str | None = None
    for place, token in enumerate([*tokens, Token("split", (), 0, 0)]):
        turns = token.kind == "but" and "name" in kinds and not {"all", "none"} & kinds
        if token.kind != "split" and not turns:
            part.append(token)
            kinds.add(token.kind)
            continue
        if part:
            yield _Clause(part, carried)
            if {"yes", "no"} & kinds:
                heading = part[-1].kind == "colon" and not {"name", "all", "rest"} & kinds
                given = next(one.kind for one in part if one.kind in ("yes", "no"))
                carried = given if heading and place < len(tokens) else None
        part, kinds = [], set()


def _weighed(tokens: list[Token], k: int, clash: bool, dangles: bool) -> Said:
    """One decision on all clauses."""
    given: dict[str, dict[int, None]] = {"yes": {}, "no": {}, "plain": {}}
    over: dict[str, str] = {}
    spared: set[int] = set()
    is_open = unsure = only_bad = False
    for clause in _clauses(tokens):
        spoken: set[int] = set()
        good = 0
        for token, verdict in clause.verdicts():
            if token.kind != "name":
                over[token.kind] = verdict
                continue
            spoken.update(token.positions)
            good += verdict != "no"
            if verdict == "spared":
                spared.update(token.positions)
                verdict = "yes"
            given[verdict].update(dict.fromkeys(token.positions))
        is_open |= clause.open and good > 1
        unsure |= "maybe" in clause.kinds and bool(good or over)
        unsure |= "none" in clause.kinds and "no" in clause.kinds  # "None is wrong except B."
        only_bad |= "only" in clause.kinds and "no" in clause.kinds and not good
    masked = not given["yes"] and not given["no"] and not given["plain"] and not over
    marks = [token.kind for token in tokens if token.kind in ("yes", "no")]
    if masked and len(marks) == k > 1 and all(t.kind in ("yes", "no", "join") for t in tokens):
        for place, mark in enumerate(marks):
            given[mark][place] = None
    return _settled(given, over, tokens, (k, spared), (clash, is_open, unsure, only_bad, dangles))


def _settled(
    given: dict[str, dict[int, None]],
    over: dict[str, str],
    tokens: list[Token],
    among: tuple[int, set[int]],
    signs: tuple[bool, bool, bool, bool, bool],
) -> Said:
    """What is chosen once "all" and "the rest" are known; `signs` are what clauses told.

    `among` is the number of options, and those that "all" leaves out.
    """
    k, spared = among
    clash, is_open, unsure, only_bad, dangles = signs
    yes, no, plain = dict(given["yes"]), dict(given["no"]), dict(given["plain"])
    recital = len(plain) == k and (yes or no)
    chosen = yes if recital else {**yes, **plain}
    if over.get("all") in ("yes", "plain"):
        chosen |= {place: None for place in range(k) if place not in no}
    elif "all" in over:
        no |= {place: None for place in range(k) if place not in spared}
    if "rest" in over or (only_bad and not chosen and no):
        rest = [place for place in range(k) if place not in chosen and place not in no]
        (no if over.get("rest") == "no" else chosen).update(dict.fromkeys(rest))
    kinds = [token.kind for token in tokens]
    clash |= bool(yes.keys() & no.keys()) or ("not" in kinds and "all" in over)
    return Said(
        chosen=tuple(place for place in chosen if place not in no),
        denied=tuple(no),
        plain=not yes and not no and not over,
        named=bool(chosen or no),
        foreign=kinds.count("foreign"),
        words=kinds.count("word"),
        open=is_open,
        unsure=unsure,
        clash=clash,
        dangles=dangles,
        none="none" in kinds,
    )

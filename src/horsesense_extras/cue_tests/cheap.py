"""Cheap cues that need no vocabulary: length, its rank, position, overlap, negation, punctuation.

Every column belongs to a family, and every family is a feature vector of its own, so that a
report can say which of them carries the label.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from horsesense_extras.cue_tests.tokens import WORD, plain

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ALL: Final = "all cheap cues"

NEGATION: Final = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|except)\b|n['’]t\b"
)
ABSOLUTE: Final = re.compile(r"\b(?:all|always|every|only|must|entirely|completely)\b")
_MARKS: Final = {"commas": ",", "question marks": "?", "exclamation marks": "!", "colons": ":"}


@dataclass(frozen=True)
class CueTable:
    """Cheap cues of all rows.

    Attributes:
        x: (rows, columns).
        names: what each column says.
        families: the family of each column.
    """

    x: Floats
    names: tuple[str, ...]
    families: tuple[str, ...]

    def vectors(self) -> dict[str, Ints]:
        """Columns of each family, and of all together."""
        kinds = dict.fromkeys(self.families)
        found = {f"{kind} alone": np.flatnonzero(np.array(self.families) == kind) for kind in kinds}
        return {**found, ALL: np.arange(len(self.names))}


def cues_of_texts(texts: Sequence[str], seconds: Sequence[str]) -> CueTable:
    """Cheap cues of labelled texts; `seconds` are the second texts of pairs, "" where none."""
    columns = _surface(texts)
    if any(seconds):
        columns |= _overlap(seconds, texts, "the two texts")
    return _table(columns)


def cues_of_options(options: Sequence[str], questions: Sequence[str], starts: Ints) -> CueTable:
    """Cheap cues of options; rows `starts[i]` to `starts[i + 1]` belong to item i."""
    columns = _surface(options)
    length = np.array([len(option) for option in options], float)
    overlap = _overlap(options, questions, "question and option")
    columns["length", "rank of the option's length"] = _ranks(length, starts)
    columns["length", "is the longest option"] = _is_extreme(length, starts, 1)
    columns["length", "is the shortest option"] = _is_extreme(length, starts, -1)
    shared = overlap["overlap", "share of words that question and option have in common"]
    columns["overlap", "shares most words with the question"] = _is_extreme(shared, starts, 1)
    position = np.arange(len(options)) - np.repeat(starts[:-1], np.diff(starts))
    for at in range(min(int(position.max()) + 1, 10)):
        columns["position", f"is in position {at + 1}"] = (position == at).astype(float)
    return _table(columns | overlap)


def _surface(texts: Sequence[str]) -> dict[tuple[str, str], Floats]:
    """Columns that depend on one text alone."""
    lowered = [text.lower() for text in texts]
    columns = {
        ("length", "characters (log)"): [np.log1p(len(t)) for t in texts],
        ("length", "words (log)"): [np.log1p(t.count(" ") + 1) for t in texts],
        ("negation", "negation words"): [len(NEGATION.findall(t)) for t in lowered],
        ("negation", "words like all, always, only"): [len(ABSOLUTE.findall(t)) for t in lowered],
        ("punctuation", "ends with a full stop"): [t.rstrip().endswith(".") for t in texts],
        ("punctuation", "digits"): [np.log1p(sum(map(str.isdigit, t))) for t in texts],
        ("punctuation", "capital letters"): [np.log1p(sum(map(str.isupper, t))) for t in texts],
        ("punctuation", "quotation marks"): [t.count('"') + t.count("“") for t in texts],
    }
    for name, mark in _MARKS.items():
        columns["punctuation", name] = [np.log1p(t.count(mark)) for t in texts]
    return {key: np.array(values, float) for key, values in columns.items()}


def _overlap(
    firsts: Sequence[str], seconds: Sequence[str], what: str
) -> dict[tuple[str, str], Floats]:
    rows = [_shared(a, b) for a, b in zip(firsts, seconds, strict=True)]
    table = np.array(rows, float)
    return {
        ("overlap", f"share of words that {what} have in common"): table[:, 0],
        ("overlap", f"share of the shorter side's words found in the other ({what})"): table[:, 1],
    }


def _shared(first: str, second: str) -> tuple[float, float]:
    a, b = {*WORD.findall(plain(first))}, {*WORD.findall(plain(second))}
    if not a or not b:
        return 0.0, 0.0
    common = len(a & b)
    return common / len(a | b), common / min(len(a), len(b))


def _ranks(values: Floats, starts: Ints) -> Floats:
    """Rank of each row within its item, from 0 (smallest) to 1; ties share the mean."""
    from scipy.stats import rankdata

    out = np.zeros(len(values))
    for begin, end in pairwise(starts):
        if end - begin > 1:
            out[begin:end] = (rankdata(values[begin:end]) - 1) / (end - begin - 1)
    return out


def _is_extreme(values: Floats, starts: Ints, sign: int) -> Floats:
    """1 for the row that alone has the largest (`sign` 1) or smallest (-1) value of its item."""
    signed = values * sign
    owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    top = np.maximum.reduceat(signed, starts[:-1])[owner] == signed
    alone = np.bincount(owner, weights=top)[owner] == 1
    extreme: Floats = (top & alone).astype(float)
    return extreme


def _table(columns: dict[tuple[str, str], Floats]) -> CueTable:
    ordered = sorted(columns, key=lambda key: key[0])
    return CueTable(
        x=np.column_stack([columns[key] for key in ordered]),
        names=tuple(name for _, name in ordered),
        families=tuple(family for family, _ in ordered),
    )

#!/usr/bin/env python
"""Learn the weights of the reader of answers, and how sure its readings are.

    python scripts/learn_reader.py [--write] [--errors]

Learns weights and confidence from the packaged corpus: its development part, and the further,
later, everyday and recent replies, which were written when the patterns were there. The labelled
answers of the shared benchmark data are learnt from too where they are there.

Prints how the reader reads kinds that were left out of learning: each with all that are like it
(`kinds_alike.json`), and then with the writers of what is read left out as well, with a table for
each writer and one of reliability. `--write` puts the weights learnt on all rows into the package,
with confidences and thresholds measured on the latter.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "benchmarks")]

from annotated_answers import Answer, mmlu, opinions  # noqa: E402
from horsesense.readers.corpus.load import Part, examples  # noqa: E402
from horsesense.readers.reading import Reading  # noqa: E402
from horsesense.readers.text.reader import evidence_of  # noqa: E402
from horsesense.readers.text.weighing.weigh import (  # noqa: E402
    CHOICES,
    STATUSES,
    WAYS,
    grounds,
    limit_of,
    probabilities,
    trust,
    way,
)

WEIGHTS = ROOT / "src/horsesense/readers/text/weights.json"
FOLDS = 10
WRITERS = 4
"""Groups of writers that are left out together with kinds."""
PENALTY = 15.0
ANNOTATED = 3.0
"""What an annotated answer of the shared data counts, beside a row of the corpus."""
FURTHER = 2.0
"""What a further reply counts: patterns know its kind less well, as they do that of a new one."""
ALIKE = ROOT / "scripts/kinds_alike.json"
"""Groups of kinds of which one tells something of another."""
RARE = 3
"""Features of fewer rows are left out."""
TRUST = 1.0
"""How freely the weights of trust move: the inverse of their penalty."""
SHARES = {
    "development": 0.1,
    "further": 1.0,
    "later": 1.0,
    "everyday": 2.0,
    "recent": 4.0,
    "annotated": 1.0,
}
"""What the replies of a part count together when confidence is learnt.

A confidence is for a writer whom nobody has read, not for a row: the two further writers together,
the two later ones, and each two of the twelve who wrote what logs hold most or as models write
today, count as much as all models whose answers people labelled, and the development part, whose
kinds the patterns were written with, a tenth of that.
"""
AT_ONCE = 1500
"""For how many replies all parts stand together when confidence is learnt."""
BLIND = ("further", "later", "everyday", "recent")
"""Parts whose writers knew no pattern: on them, left out, thresholds and caution are measured."""
RIGHT = {"answer": 0.975, "other": 0.97}
"""The share of readings of `SURE[0]` and more that is to be right, on blind writers left out: more
of choices, since a wrong one changes a score unseen."""
CAUTION = 12.0
"""By no more than this are the odds of a confidence divided."""
ALLOWED = 0.01
"""Wrong choices, as a share of all rows, that the threshold of choices allows blind writers: fewer
than the 1.5 % that are the goal, since a writer left out has more than those who set it."""
OTHER = 0.37
"""The threshold of readings that choose no option, before caution."""
GUESS = 0.2
"""The threshold of an option that says what a status does, or stands beside several that do, and
that no rule of order found. Words without any bearing on the question come to less than .2."""
LOST = 12
"""Labelled answers to MMLU, of 3,098, that may be unclear or wrong."""
MARGIN = 0.002
"""By so much the threshold stays below the first labelled answer that it may not lose."""
COSTS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Thresholds of choices of which it is printed what they cost."""
SURE = (0.9, 0.985)
"""Confidences from which on readings are counted as sure."""
LEVELS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 1.01)
"""Limits of the table of reliability."""
WORTH = {
    "said": 1.0,
    "list": 0.7,
    "doubt": 0.5,
    "other": 0.2,
    "reported": 0.3,
    "rejected": 0.3,
    "recited": 0.1,
    "asked": 0.2,
    "turned": 0.3,
    "shared": 0.3,
    "contested": 0.2,
}
"""What a feature of an option is worth in replies of a form, as a share of what it is elsewhere."""

PRIOR = {
    **{"list mark:only": 3.0, "list mark:bold": 2.5, "list line:only": 2.0},
    **{"mark:only": 3.0, "mark:bold": 1.5, "line:only": 2.0, "line:last": 1.0, "line:first": 0.5},
    **{"verdict:only_for": 1.5, "verdict:left_over": 3.0, "verdict:left_of_two": 1.5},
    **{"verdict:highest": 3.0, "verdict:against": -1.5, "verdict:for": 0.5},
    **{"verdict:others_for": 1.0, "named:all_but": 1.0, "named:by_place": 1.5},
    **{"named:only": 1.5, "named:only_standing": 1.0, "named:final": 1.0, "named:last": 0.3},
    **{"named:most_lines": 1.5, "named:last_word": 0.5, "stated:last_word": 1.0},
    **{"stated:last": 2.0, "stated:only": 1.0, "stated:concludes": 1.0, "stated:after_turn": 1.0},
    **{"like:written_only": 2.0, "like:tail_margin": 1.0, "like:whole_margin": 1.0},
    **{"like:head_margin": 1.0, "value:last": 1.0, "value:only": 1.5, "first:sure": 1.5},
    **{
        "together:all_for": 2.0,
        "together:just_these": 2.0,
        "together:said": 1.0,
        "together:all_stand": 1.0,
    },
    **{"part:left_over": 2.0, "part:left_of_two": 1.0, "part:left_unsaid": 2.0, "part:final": 1.0},
    **{"part:only_affirmed": 1.0, "part:last_affirmed": 0.5, "part:only_settled": 0.7},
    **{"part:last_settled": 0.5, "part:only_own": 0.7, "part:last_own": 0.3, "part:only": 1.0},
    **{"part:only_firm": 0.5, "part:for": 0.3, "part:against": -1.0, "part:hearsay": -1.2},
    **{"part:supposed": -0.4, "part:ending": 0.5, "part:last_firm": 0.3},
    **{"not verdict:only_against": 2.5, "not verdict:against": 0.3, "not verdict:for": -0.2},
    **{"not verdict:others_for": 2.5, "not verdict:only_for": 0.3, "not verdict:left_over": 0.5},
    **{"not named:all_but": 2.5, "not part:all_but": 1.5, "not part:left_unsaid": 1.0},
    **{"not part:others_for": 2.0, "not part:only_against": 2.0, "not part:against": 0.3},
    **{"part:others_for": 0.5, "illegal|repeats": 4.0, "illegal|off_topic": 1.5},
    **{"scale:all_side": 1.0, "scale:last_side": 0.7, "scale:all_nearest": 0.7},
    **{"scale:last_nearest": 0.7, "scale:same_sign": 0.7},
    **{
        "rest": 5.0,
        "together:parts_said": 2.0,
        "together:both_said": 1.5,
        "value:ending": 0.7,
        "value:near": 0.5,
        "returns": 2.5,
        "ambiguous|or_pair": 1.7,
        "ambiguous|and_pair": 0.7,
        "ambiguous|plural_pair": 2.5,
        "elim_rest": 2.0,
        "part:all_but": 1.0,
    },
    **{
        "none|none": 3.0,
        "none|missing": 3.0,
        "none|not_offered": 1.3,
        "none|not_listed": 2.5,
        "none|undetermined": 2.0,
    },
    **{"none|all_against": 3.0, "none|foreign_value": 0.5, "none|lacking": 1.0},
    **{
        "refusal|refusal": 2.0,
        "refusal|policy": 0.5,
        "refusal|neutral": 1.0,
        "refusal|neutral@end": 0.7,
        "refusal|back@end": 1.0,
        "refusal|to_you@end": 1.5,
        "refusal|invites@end": 0.7,
        "refusal|sides": 1.2,
        "refusal|sides@end": 0.3,
        "refusal|absent": -1.5,
        "refusal|unknown": -1.5,
        "refusal|no_guess": -1.0,
        "refusal|no_side": 2.0,
        "refusal|danger": 1.0,
        "none|absent": 2.0,
        "unknown|absent": -0.5,
    },
    **{
        "refusal|back": 1.0,
        "refusal|scruples": 0.5,
        "unknown|unknown": 2.5,
        "unknown|unsure": 1.2,
        "unknown|no_guess": 2.0,
    },
    **{
        "ambiguous|undecided": 1.0,
        "ambiguous|undecided@end": 2.0,
        "ambiguous|several": 2.5,
        "ambiguous|for_several": 1.0,
    },
    **{"ambiguous|by_case": 1.5, "ambiguous|but_one": 2.0},
    **{"ambiguous|and_other": 1.5, "ambiguous|end_two": 0.5, "ambiguous|says_two": 1.2},
    **{
        "ambiguous|open": 1.0,
        "ambiguous|stated_both": 3.0,
        "ambiguous|places_two": 3.0,
        "ambiguous|beside": 3.0,
        "ambiguous|two_marked": 2.0,
    },
    **{"ambiguous|back_and_forth": 0.3, "ambiguous|then_one": -2.0, "ambiguous|two_bold": 0.3},
    **{
        "ambiguous|two_affirmed": 0.7,
        "ambiguous|either": 0.5,
        "first:several": 4.0,
        "first:several, then one": 2.0,
        "first:label_with_other_text": 3.0,
    },
    **{
        "illegal|listed_only": 3.0,
        "illegal|nothing_named": 0.5,
        "illegal|nothing_like": 0.5,
        "first:other_label": 4.0,
    },
    **{
        "truncated|length": 1.5,
        "truncated|cut_open": 3.0,
        "truncated|cut_unsaid": 1.5,
        "truncated|announcing": 1.5,
        "truncated|thought_open": 4.0,
    },
}
"""What a feature is thought to weigh before anything is learnt (0 where nothing is said).

Each says outright what it is about, but may be rare in what is learnt from.
"""


class Row(NamedTuple):
    """One reply: `truth` is an option, or a status after the options (-1: no candidate).

    `weight` is what it counts where weights are learnt; `said` the confidence of what is read
    outright, `exact`.
    """

    id: str
    kind: str
    writer: str
    part: str
    weight: float
    k: int
    truth: int
    features: list[dict[str, float]] | None
    exact: int
    said: float
    source: dict[str, object]


LEARNT_FROM: dict[Part, float] = {
    "development": 1.0,
    "further": FURTHER,
    "later": FURTHER,
    "everyday": FURTHER,
    "recent": FURTHER,
}
"""Part of the corpus -> what one of its replies counts where weights are learnt."""


class Problem(NamedTuple):
    """Rows as arrays: candidates x features, the first candidate of each row, and the truth."""

    x: csr_matrix
    starts: np.ndarray
    truth: np.ndarray
    weight: np.ndarray


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="put the weights into the package")
    parser.add_argument("--errors", action="store_true", help="list what is read wrong")
    parser.add_argument("--quick", action="store_true", help="leave out kinds alone, not writers")
    asked = parser.parse_args()
    parts = {part: list(corpus_rows(part, weight)) for part, weight in LEARNT_FROM.items()}
    extra = list(annotated_rows())
    for name, some in (*parts.items(), ("annotated", extra)):
        told = [row for row in some if row.features is None]
        right = sum(row.exact == row.truth for row in told)
        print(f"{name}: {len(some)}, {len(told)} said outright, {right} of them right")
    everything = [row for rows in (*parts.values(), extra) for row in rows]
    names = feature_names(everything)
    weights = dict(zip(names, learn(everything, names), strict=True))
    for joint in (False,) if asked.quick else (False, True):
        decisions, found = left_out(everything, folds(everything, joint))
        known = learn_trust(everything, decisions)
        scale = scale_of(everything, found, lost_below(everything, weights, known))
        print(f"\nkinds{' and writers' if joint else ''} left out: {scale}")
        said = cautious(everything, found, scale)
        start = 0
        for name, rows in (*parts.items(), ("annotated", extra)):
            print(name)
            table(rows, said[start : start + len(rows)], scale, brief=rows is extra)
            start += len(rows)
    costs(everything, said, scale)
    by_writer(everything, found, said, scale)
    if asked.errors:
        errors(everything, said)
    if asked.write:
        n = sum(row.weight > 0 for row in everything)
        write(weights, known, scale, n)


def corpus_rows(part: Part, weight: float) -> Iterable[Row]:
    for e in examples(part):
        k = len(e.options)
        truth = k + STATUSES.index(e.status) if e.status in STATUSES else -1
        truth = truth if e.position is None else e.position
        yield make_row(
            e.id, e.kind, e.writer, part, weight, truth, e.options, e.labels,
            e.response, e.finish_reason, e.question, e._asdict(),
        )  # fmt: skip


def make_row(
    identity: str, kind: str, writer: str, part: str, weight: float, truth: int,
    options: Sequence[str], labels: Sequence[str], response: str, reason: str | None,
    question: str | None, source: dict[str, object],
) -> Row:  # fmt: skip
    found = evidence_of(response, options, labels, finish_reason=reason, question=question)
    k = len(options)
    of = identity, kind, writer, part, weight, k, truth
    if not isinstance(found, Reading):
        return Row(*of, found.features, -2, 0.0, source)
    return Row(*of, None, as_truth(found, k), found.confidence, source)


def as_truth(reading: Reading, k: int) -> int:
    if reading.status == "answer":
        return reading.positions[0]
    return k + STATUSES.index(reading.status) if reading.status in STATUSES else -1


def annotated_rows() -> Iterable[Row]:
    try:
        answers: list[Answer] = [*mmlu(), *opinions("train"), *opinions("test")]
    except (SystemExit, OSError):
        return
    for answer in answers:
        if not answer.scored or answer.label is None:
            continue
        k = len(answer.options)
        if answer.label in ("X", "Y") and answer.label not in answer.letters:
            truth = k + STATUSES.index("none" if answer.label == "X" else "refusal")
        else:
            truth = answer.letters.index(answer.label)
        yield make_row(
            answer.id, *(annotated_group(answer),) * 2, "annotated", ANNOTATED, truth,
            answer.options, answer.letters, answer.response, None, answer.question,
            answer._asdict(),
        )  # fmt: skip


def annotated_group(answer: Answer) -> str:
    """The model that answered and the fold of the question: left out as a kind is."""
    return f"annotated {answer.file.split()[0]} {answer.fold}"


def feature_names(rows: Sequence[Row]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for row in rows:
        if row.weight:
            counts.update({name for one in row.features or () for name in one})
    kept = {name for name, count in counts.items() if count >= RARE or thought(name)}
    return {name: i for i, name in enumerate(sorted(kept | PRIOR.keys()))}


def thought(name: str) -> float:
    """What a feature is thought to weigh, by the form of the reply that it is set apart for."""
    if name in PRIOR:
        return PRIOR[name]
    form = name.partition(" ")[0]
    return WORTH.get(form, 0.0) * PRIOR.get(name.removeprefix(f"{form} "), 0.0)


def problem(rows: Sequence[Row], names: dict[str, int]) -> Problem:
    data, columns, ends = [], [], [0]
    starts, truth, weight = [], [], []
    for row in rows:
        starts.append(len(ends) - 1)
        truth.append(starts[-1] + row.truth)
        weight.append(row.weight)
        for one in row.features or ():
            for name, value in one.items():
                if name in names:
                    columns.append(names[name])
                    data.append(value)
            ends.append(len(columns))
    x = csr_matrix((data, columns, ends), shape=(len(ends) - 1, len(names)))
    return Problem(x, np.array(starts), np.array(truth), np.array(weight))


def learn(rows: Sequence[Row], names: dict[str, int]) -> np.ndarray:
    """The weights that make the truths likeliest, with a normal prior."""
    p = problem([r for r in rows if r.features is not None and r.truth >= 0 and r.weight], names)
    prior = np.array([thought(name) for name in names])
    sizes = np.diff([*p.starts, p.x.shape[0]])

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        sums = p.x @ w
        highest = np.repeat(np.maximum.reduceat(sums, p.starts), sizes)
        powers = np.exp(sums - highest)
        totals = np.add.reduceat(powers, p.starts)
        chances = powers / np.repeat(totals, sizes)
        wrong = chances * np.repeat(p.weight, sizes)
        wrong[p.truth] -= p.weight
        value = -np.sum(p.weight * np.log(np.maximum(chances[p.truth], 1e-300)))
        away = w - prior
        return value + PENALTY / 2 * away @ away, p.x.T @ wrong + PENALTY * away

    return minimize(loss, prior, jac=True, method="L-BFGS-B",
                    options={"maxiter": 400}).x  # fmt: skip


class Decision(NamedTuple):
    """What is read: the likeliest candidate and what confidence in it rests on."""

    best: int
    grounds: dict[str, float] | None


def decision(row: Row, weights: dict[str, float]) -> Decision:
    """The likeliest candidate; what is exact has no grounds."""
    if row.features is None:
        return Decision(row.exact, None)
    chances = probabilities(row.features, weights)
    best = max(range(len(chances)), key=chances.__getitem__)
    return Decision(best, grounds(row.features, best, chances))


Found = list[tuple[int, float]]
"""(the likeliest candidate, the confidence in it) of each row."""


class Fold(NamedTuple):
    """What is left out together: kinds that are alike, and writers (-1: no writer)."""

    kinds: int
    writers: int

    def leaves(self, other: Fold) -> bool:
        """Whether a row of another fold stays when this one is left out."""
        return other.kinds != self.kinds and (self.writers < 0 or other.writers != self.writers)


def folds(rows: Sequence[Row], joint: bool) -> list[Fold]:
    """The fold of each row. A kind that is like no other is in one of `FOLDS`, by chance."""
    alike = {kind: i for i, kinds in enumerate(json.loads(ALIKE.read_text())) for kind in kinds}
    alone = sorted({row.kind for row in rows} - alike.keys())
    np.random.default_rng(1).shuffle(alone)
    alike |= {kind: -1 - i % FOLDS for i, kind in enumerate(alone)}
    names = {row.part: sorted({r.writer for r in rows if r.part == row.part}) for row in rows}
    groups = [
        *(set(names["development"][i::WRITERS]) for i in range(WRITERS)),
        *({name} for part in BLIND for name in names[part]),
    ]
    writers = {name: i for i, some in enumerate(groups) for name in some}
    return [Fold(alike[row.kind], writers.get(row.writer, -1) if joint else -1) for row in rows]


def left_out(rows: Sequence[Row], fold: Sequence[Fold]) -> tuple[list[Decision], Found]:
    """What is read, and how surely, when the row's fold is learnt from nowhere."""
    decisions: list[Decision] = [Decision(-1, None)] * len(rows)
    for out in sorted(set(fold)):
        learnt = [row for row, other in zip(rows, fold, strict=True) if out.leaves(other)]
        names = feature_names(learnt)
        weights = dict(zip(names, learn(learnt, names), strict=True))
        for at, row in enumerate(rows):
            if fold[at] == out:
                decisions[at] = decision(row, weights)
    found: Found = [(d.best, row.said) for d, row in zip(decisions, rows, strict=True)]
    for out in sorted(set(fold)):
        known = learn_trust(
            [row for row, other in zip(rows, fold, strict=True) if out.leaves(other)],
            [d for d, other in zip(decisions, fold, strict=True) if out.leaves(other)],
        )
        for at, one in enumerate(decisions):
            if fold[at] == out and one.grounds is not None:
                found[at] = (one.best, trust(one.grounds, known))
    return decisions, found


def learn_trust(rows: Sequence[Row], decisions: Sequence[Decision]) -> dict[str, float]:
    """What makes decisions right, from decisions on rows that were left out."""
    used = [(r, d) for r, d in zip(rows, decisions, strict=True) if d.grounds is not None]
    names = sorted({name for _, d in used for name in d.grounds or ()})
    at = {name: i for i, name in enumerate(names)}
    x = np.zeros((len(used), len(names)))
    for i, (_, d) in enumerate(used):
        for name, value in (d.grounds or {}).items():
            x[i, at[name]] = value
    right = np.array([d.best == r.truth for r, d in used])
    sizes = Counter(r.part for r, _ in used)
    weight = np.array([SHARES[r.part] / sizes[r.part] for r, _ in used])
    model = LogisticRegression(C=TRUST, fit_intercept=False, max_iter=2000)
    model.fit(x, right, weight / weight.sum() * AT_ONCE)
    return dict(zip(names, model.coef_[0], strict=True))


class Scale(NamedTuple):
    """How readings are called, for choices ("answer") and for all others ("other").

    By `caution` the odds of a confidence are divided; below a threshold, which is met by the
    cautious confidence, a reading that is weighed is `unclear`.
    """

    caution: dict[str, float]
    thresholds: dict[str, float]

    def __str__(self) -> str:
        return f"caution {self.caution}, thresholds {self.thresholds}"

    def cautious(self, c: float, sort: str) -> float:
        return c / (c + self.caution[sort] * (1 - c))


def sort_of(row: Row, best: int) -> str:
    """Whose threshold holds for a reading that is weighed."""
    return "other" if row.features is None else limit_of(row.features, best)


def manner(row: Row, best: int) -> str:
    """Whose caution holds for a reading: an option is chosen as such, or all else."""
    if row.features is None:
        return "answer" if 0 <= best < row.k else "other"
    return "answer" if way(row.features, best) in CHOICES else "other"


def clear(row: Row, best: int, c: float, scale: Scale) -> bool:
    """Whether a reading of this cautious confidence is given."""
    return row.features is None or c >= scale.thresholds[sort_of(row, best)]


def cautious(rows: Sequence[Row], found: Found, scale: Scale) -> Found:
    """What is read, with the confidences that are said."""
    return [
        (best, c if row.features is None else scale.cautious(c, manner(row, best)))
        for row, (best, c) in zip(rows, found, strict=True)
    ]


def scale_of(rows: Sequence[Row], found: Found, highest: float = 1.0) -> Scale:
    """The least caution with which `RIGHT` of what is called sure is right, and the thresholds,
    on the writers of `BLIND` parts; that of choices is at most `highest` (before caution)."""
    blind = [(r, *one) for r, one in zip(rows, found, strict=True) if r.part in BLIND]
    caution = {}
    for name in RIGHT:
        own = [(c, best == r.truth, r.features is None) for r, best, c in blind
               if manner(r, best) == name]  # fmt: skip
        for tenths in range(10, int(10 * CAUTION) + 1):
            caution[name] = tenths / 10
            trial = Scale(caution, {})
            said = [(c if told else trial.cautious(c, name), ok) for c, ok, told in own]
            sure = [ok for c, ok in said if c >= SURE[0]]
            if not sure or np.mean(sure) >= RIGHT[name]:
                break
    told = sum(r.features is None and 0 <= best < r.k and best != r.truth for r, best, _ in blind)
    wrong = sorted(c for r, best, c in blind if best != r.truth and sort_of(r, best) == "answer")
    allowed = max(0, int(ALLOWED * len(blind)) - told)
    need = wrong[-allowed - 1] + 1e-6 if len(wrong) > allowed else 0.0
    final = Scale(caution, {})
    limits = {"answer": min(need, highest), "other": OTHER}
    limits = {s: round(final.cautious(c, s), 6) for s, c in limits.items()}
    return Scale(caution, {**limits, "guess": GUESS})


def lost_below(rows: Sequence[Row], weights: dict[str, float], known: dict[str, float]) -> float:
    """The highest threshold of choices, before caution, with which no more than `LOST` of the
    labelled answers to MMLU are unclear or wrong, read by weights that know them."""
    lost, right = 0, [1.0]
    for row in rows:
        if row.part != "annotated" or "opinionqa" in row.kind:
            continue
        found = decision(row, weights)
        c = row.said if found.grounds is None else trust(found.grounds, known)
        sort = sort_of(row, found.best)
        low = found.grounds and (sort == "other" and c < OTHER)
        if found.best != row.truth or low:
            lost += 1
        elif found.grounds and sort == "answer":
            right.append(c)
    print(f"labelled answers that are lost whatever the threshold of choices: {lost}; "
          f"right choices from {np.round(sorted(right)[:10], 3)}")  # fmt: skip
    return sorted(right)[min(len(right) - 1, max(0, LOST - lost))] - MARGIN


def costs(rows: Sequence[Row], said: Found, scale: Scale) -> None:
    """Print what some thresholds of choices cost."""
    for part in LEARNT_FROM:
        own = [(row, one) for row, one in zip(rows, said, strict=True) if row.part == part]
        for limit in (*COSTS, scale.thresholds["answer"]):
            other = Scale(scale.caution, {**scale.thresholds, "answer": limit})
            cost = tally(*zip(*own, strict=True), other)
            print(f"  {part} {limit}", {n: cost[n] for n in ("right", "wrong choice", "unclear")})


def tally(rows: Sequence[Row], said: Found, scale: Scale) -> dict[str, float]:
    n = len(rows)
    counts: Counter[str] = Counter()
    for row, (best, c) in zip(rows, said, strict=True):
        choice = 0 <= best < row.k
        read = clear(row, best, c, scale)
        right = best == row.truth
        counts["right"] += right and read
        counts["wrong choice"] += choice and read and not right
        counts["unclear"] += not read
        counts["best right"] += right
        for level in SURE:
            counts[f"sure {level}"] += read and c >= level
            counts[f"right {level}"] += read and c >= level and right
    return {
        "n": n,
        **{name: round(counts[name] / n, 4)
           for name in ("best right", "right", "wrong choice", "unclear")},
        **{f"from {level}": round(counts[f"sure {level}"] / n, 4) for level in SURE},
        **{f"right of {level}": round(counts[f"right {level}"] / max(1, counts[f"sure {level}"]), 4)
           for level in SURE},
    }  # fmt: skip


def table(rows: Sequence[Row], found: Found, scale: Scale, brief: bool = False) -> None:
    print(tally(rows, found, scale))
    if brief:
        return
    by_kind: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        by_kind.setdefault(row.kind, []).append(i)
    share = {
        kind: np.mean([found[i][0] == rows[i].truth for i in places])
        for kind, places in by_kind.items()
    }
    for kind in sorted(share, key=share.__getitem__)[:25]:
        print(f"  {share[kind]:.2f} of {len(by_kind[kind]):3}  {kind}")


def by_writer(rows: Sequence[Row], found: Found, said: Found, scale: Scale) -> None:
    """Print how each writer is read, and the share right by confidence, in each part.

    Writers of `BLIND` parts are read a second time by the caution and threshold that the other
    such writers ask for.
    """
    apart: Found = []
    read: list[Row] = []
    counts: list[dict[str, float]] = []
    for part, name in dict.fromkeys((row.part, row.writer) for row in rows):
        at = [i for i, row in enumerate(rows) if row.writer == name]
        own = [rows[i] for i in at]
        if part != "annotated":
            print(part, name, tally(own, [said[i] for i in at], scale))
        if part in BLIND:
            others = [i for i, row in enumerate(rows) if row.writer != name]
            without = scale_of([rows[i] for i in others], [found[i] for i in others])
            one = cautious(own, [found[i] for i in at], without)
            counts.append(tally(own, one, without))
            print("  by the scale of others", without, counts[-1])
            apart += one
            read += own
    total = sum(one["n"] for one in counts)
    print("blind writers, each by the scale of the others:", {
        key: round(sum(one[key] * one["n"] for one in counts) / total, 4)
        for key in ("right", "wrong choice", "unclear", f"from {SURE[0]}")
    }, f"right of {SURE[0]}", np.round(np.mean([
        best == row.truth for row, (best, c) in zip(read, apart, strict=True) if c >= SURE[0]
    ]), 4))  # fmt: skip
    for part in dict.fromkeys(row.part for row in rows):
        pairs = [(c, best == r.truth) for r, (best, c) in zip(rows, said, strict=True)
                 if r.part == part]  # fmt: skip
        for low, high in pairwise(LEVELS):
            inside = [one for one in pairs if low <= one[0] < high]
            if inside:
                mean, right = np.mean(inside, axis=0)
                print(f"  {part} {low}-{high}: n {len(inside)}, says {mean:.3f}, right {right:.3f}")


def errors(rows: Sequence[Row], found: Found) -> None:
    """List what is read wrong, the most confident first."""

    def name(row: Row, at: int) -> str:
        return "empty" if at < 0 else str(at + 1) if at < row.k else STATUSES[at - row.k]

    for row, (best, c) in sorted(zip(rows, found, strict=True), key=lambda pair: -pair[1][1]):
        if best == row.truth:
            continue
        said, of = name(row, best), row.source
        print(f"\n{row.id} [{row.kind}] truth {name(row, row.truth)} read {said} {c:.3f}")
        print(f"  {of['labels']} {of['options']} finish {of.get('finish_reason')}")
        print(f"  {str(of['response'])[:1500]!r}")


def write(
    weights: dict[str, float], known: dict[str, float], scale: Scale, n: int,
    path: Path = WEIGHTS,
) -> None:  # fmt: skip
    """Put what was learnt into the package, caution within the weights of trust."""
    for one in WAYS:
        whose = "answer" if one in CHOICES else "other"
        known = {**known, one: known.get(one, 0.0) - math.log(scale.caution[whose])}
    found = {
        "learnt_from": n,
        "thresholds": scale.thresholds,
        "trust": rounded(known),
        "weights": rounded(weights),
    }
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(found['weights'])} weights in {path}")


def rounded(weights: dict[str, float]) -> dict[str, float]:
    return {name: round(float(w), 4) for name, w in sorted(weights.items()) if abs(w) >= 0.02}


if __name__ == "__main__":
    main()

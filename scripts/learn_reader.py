#!/usr/bin/env python
"""Learn the weights of the reader of answers, and how sure its readings are.

    python scripts/learn_reader.py [--write] [--errors]

Learns from the packaged corpus: its development part, and the further replies, which were written
when the patterns were there. The human-labelled answers of the shared benchmark data are learnt
from too where they are there.

Prints how the reader reads kinds that were left out of learning: each with all that are like it
(`kinds_alike.json`), and then with the writers of what is read left out as well. `--write` puts the
weights learnt on all rows into the package, with confidences and thresholds measured on the latter.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "benchmarks")]

from annotated_answers import Answer, mmlu, opinions  # noqa: E402
from horsesense.readers.corpus.load import Part, examples  # noqa: E402
from horsesense.readers.reading import Reading  # noqa: E402
from horsesense.readers.text.reader import evidence_of  # noqa: E402
from horsesense.readers.text.weigh import STATUSES, grounds, probabilities, trust  # noqa: E402

WEIGHTS = ROOT / "src/horsesense/readers/text/weights.json"
FOLDS = 10
WRITERS = 4
"""Groups of writers that are left out together with kinds."""
PENALTY = 15.0
ANNOTATED = 3.0
"""What an annotated answer of the shared data counts, beside a row of the corpus."""
FURTHER = 2.0
"""What a further reply counts: patterns know its kind less well, as they do that of a new one."""
AS_NEW = 4
"""How often a further reply counts in the calibration, so that both parts count about alike."""
ALIKE = ROOT / "scripts/kinds_alike.json"
"""Groups of kinds of which one tells something of another."""
RARE = 3
"""Features of fewer rows are left out."""
TRUST = 0.2
"""How freely the weights of trust move: the inverse of their penalty."""
ALLOWED = 0.015
"""Wrong choices, as a share of all rows, that the threshold allows."""
OTHER = 0.4
"""The threshold of readings that choose no option."""
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
}
"""What a feature of an option is worth in replies of a form, as a share of what it is elsewhere."""
SLOPE = 0.01
"""How much a confidence rises over a stretch of trusts whose shares do not."""
CAP = 0.995
"""No confidence is higher: it could not be told from 1 on this many rows."""


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
    """One reply: `truth` is an option, or a status after the options (-1: no candidate)."""

    id: str
    kind: str
    writer: str
    weight: float
    k: int
    truth: int
    features: list[dict[str, float]] | None
    shape: dict[str, float]
    exact: int
    source: dict[str, object]


LEARNT_FROM: dict[Part, float] = {"development": 1.0, "further": FURTHER}
"""Part of the corpus -> what one of its replies counts."""


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
    for joint in (False,) if asked.quick else (False, True):
        decisions, found = left_out(everything, folds(everything, joint))
        knots = calibration(everything, found)
        limits = thresholds(everything, found, knots)
        print(f"\nkinds{' and writers' if joint else ''} left out: thresholds {limits}")
        start = 0
        for name, rows in (*parts.items(), ("annotated", extra)):
            print(name)
            table(rows, found[start : start + len(rows)], knots, limits, brief=rows is extra)
            start += len(rows)
    if asked.errors:
        errors(everything, found, knots)
    if asked.write:
        names = feature_names(everything)
        weights = dict(zip(names, learn(everything, names), strict=True))
        write(weights, knots, limits, learn_trust(everything, decisions), len(everything))


def corpus_rows(part: Part, weight: float) -> Iterable[Row]:
    for e in examples(part):
        k = len(e.options)
        truth = k + STATUSES.index(e.status) if e.status in STATUSES else -1
        yield make_row(
            e.id, e.kind, e.writer, weight, truth if e.position is None else e.position, e.options,
            e.labels, e.response, e.finish_reason, e.question, e._asdict(),
        )  # fmt: skip


def make_row(
    identity: str, kind: str, writer: str, weight: float, truth: int, options: Sequence[str],
    labels: Sequence[str], response: str, reason: str | None, question: str | None,
    source: dict[str, object],
) -> Row:  # fmt: skip
    found = evidence_of(response, options, labels, finish_reason=reason, question=question)
    k = len(options)
    if not isinstance(found, Reading):
        return Row(
            identity, kind, writer, weight, k, truth, found.features, found.shape, -2, source
        )
    return Row(identity, kind, writer, weight, k, truth, None, {}, as_truth(found, k), source)


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
            answer.id, *(annotated_group(answer),) * 2, ANNOTATED, truth, answer.options,
            answer.letters, answer.response, None, answer.question, answer._asdict(),
        )  # fmt: skip


def annotated_group(answer: Answer) -> str:
    """The model that answered and the fold of the question: left out as a kind is."""
    return f"annotated {answer.file.split()[0]} {answer.fold}"


def feature_names(rows: Sequence[Row]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for row in rows:
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
    p = problem([row for row in rows if row.features is not None and row.truth >= 0], names)
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
    return Decision(best, grounds(row.features, best, chances, row.shape, weights))


Found = list[tuple[int, float]]
"""(the likeliest candidate, trust in it) of each row; 2 where the reply is exact."""
Knots = tuple[np.ndarray, np.ndarray]


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
    writers = {name: i % WRITERS for i, name in enumerate(sorted({row.writer for row in rows}))}
    return [
        Fold(alike[row.kind], writers[row.writer] if joint and row.weight == 1 else -1)
        for row in rows
    ]


def left_out(rows: Sequence[Row], fold: Sequence[Fold]) -> tuple[list[Decision], Found]:
    """What is read, and with what trust, when the row's fold is learnt from nowhere."""
    decisions: list[Decision] = [Decision(-1, None)] * len(rows)
    for out in sorted(set(fold)):
        learnt = [row for row, other in zip(rows, fold, strict=True) if out.leaves(other)]
        names = feature_names(learnt)
        weights = dict(zip(names, learn(learnt, names), strict=True))
        for at, row in enumerate(rows):
            if fold[at] == out:
                decisions[at] = decision(row, weights)
    found: Found = [(d.best, 2.0) for d in decisions]
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
    counts = Counter(name for _, d in used for name in d.grounds or ())
    names = sorted(name for name, count in counts.items() if count >= RARE)
    at = {name: i for i, name in enumerate(names)}
    x = np.zeros((len(used), len(names)))
    for i, (_, d) in enumerate(used):
        for name, value in (d.grounds or {}).items():
            if name in at:
                x[i, at[name]] = value
    right = np.array([d.best == r.truth for r, d in used])
    weight = np.array([r.weight for r, _ in used])
    model = LogisticRegression(C=TRUST, fit_intercept=False, max_iter=2000)
    return dict(zip(names, model.fit(x, right, weight).coef_[0], strict=True))


def calibration(rows: Sequence[Row], found: Found) -> Knots:
    """Trust -> share right, rising, on rows that were left out."""
    pairs = sorted((t, best == row.truth) for row, (best, t) in zip(rows, found, strict=True)
                   if t <= 1 and row.weight != ANNOTATED
                   for _ in range(AS_NEW if row.weight == FURTHER else 1))  # fmt: skip
    bins = np.array_split(np.array(pairs, float), max(2, len(pairs) // 50))
    mids = np.array([b[:, 0].mean() for b in bins])
    shares = np.array([(b[:, 1].sum() + 0.25) / (len(b) + 0.5) for b in bins])
    smooth = IsotonicRegression(y_min=0.02, y_max=CAP).fit(mids, shares)
    shares = smooth.predict(mids)
    # No two trusts have one confidence: where the shares do not rise, they rise by a little.
    rising = np.maximum.accumulate(shares + SLOPE * (np.arange(len(shares)) + 1) / len(shares))
    ends = np.array([pairs[0][0], *mids, pairs[-1][0]])
    levels = np.clip([rising[0] - SLOPE, *(rising - SLOPE / 2), rising[-1]], 0.02, CAP)
    return ends, levels


def sure(t: float, knots: Knots) -> float:
    return 0.99 if t > 1 else float(np.interp(t, *knots))


def thresholds(rows: Sequence[Row], found: Found, knots: Knots) -> dict[str, float]:
    """The lowest confidences that keep wrong choices within `ALLOWED`, in each part."""
    limits = [0.5]
    for weight in LEARNT_FROM.values():
        own = [(row, one) for row, one in zip(rows, found, strict=True) if row.weight == weight]
        wrong = [(sure(t, knots), t > 1) for row, (best, t) in own
                 if 0 <= best < row.k and best != row.truth]  # fmt: skip
        weighed = sorted(c for c, outright in wrong if not outright)
        allowed = max(0, int(ALLOWED * len(own)) - (len(wrong) - len(weighed)))
        if len(weighed) > allowed:
            limits.append(weighed[-allowed - 1] + 1e-6)
    return {"answer": round(max(limits), 6), "other": OTHER}


def tally(
    rows: Sequence[Row], found: Found, knots: Knots, limits: dict[str, float]
) -> dict[str, float]:
    n = len(rows)
    counts: Counter[str] = Counter()
    for row, (best, p) in zip(rows, found, strict=True):
        c = sure(p, knots)
        choice = 0 <= best < row.k
        clear = c >= limits["answer" if choice else "other"]
        right = best == row.truth
        counts["right"] += right and clear
        counts["wrong choice"] += choice and clear and not right
        counts["unclear"] += not clear
        counts["best right"] += right
        counts["sure"] += c >= 0.9
        counts["sure right"] += c >= 0.9 and right
    return {
        "n": n,
        **{name: round(counts[name] / n, 4)
           for name in ("best right", "right", "wrong choice", "unclear")},
        "coverage of .9": round(counts["sure"] / n, 4),
        "right of .9": round(counts["sure right"] / max(1, counts["sure"]), 4),
    }  # fmt: skip


def table(
    rows: Sequence[Row], found: Found, knots: Knots, limits: dict[str, float], brief: bool = False
) -> None:
    print(tally(rows, found, knots, limits))
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
    for low in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95):
        at = [best == row.truth for row, (best, p) in zip(rows, found, strict=True)
              if p <= 1 and 0 <= sure(p, knots) - low < (0.05 if low >= 0.9 else 0.1)]  # fmt: skip
        if at:
            print(f"  confidence from {low}: {np.mean(at):.3f} right of {len(at)}")


def errors(rows: Sequence[Row], found: Found, knots: Knots) -> None:
    """List what is read wrong, the most confident first."""

    def name(row: Row, at: int) -> str:
        return "empty" if at < 0 else str(at + 1) if at < row.k else STATUSES[at - row.k]

    for row, (best, t) in sorted(zip(rows, found, strict=True), key=lambda pair: -pair[1][1]):
        if best == row.truth:
            continue
        said, of = name(row, best), row.source
        print(
            f"\n{row.id} [{row.kind}] truth {name(row, row.truth)} read {said} {sure(t, knots):.3f}"
        )
        print(f"  {of['labels']} {of['options']} finish {of.get('finish_reason')}")
        print(f"  {str(of['response'])[:1500]!r}")


def write(
    weights: dict[str, float], knots: Knots, limits: dict[str, float], known: dict[str, float],
    n: int, path: Path = WEIGHTS,
) -> None:  # fmt: skip
    """Put what was learnt into the package."""
    points = [[round(float(p), 6), round(float(c), 6)] for p, c in zip(*knots, strict=True)]
    found = {
        "learnt_from": n,
        "thresholds": limits,
        "calibration": points,
        "trust": rounded(known),
        "weights": rounded(weights),
    }
    path.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(found['weights'])} weights in {path}")


def rounded(weights: dict[str, float]) -> dict[str, float]:
    return {name: round(float(w), 4) for name, w in sorted(weights.items()) if abs(w) >= 0.02}


if __name__ == "__main__":
    main()

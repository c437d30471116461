#!/usr/bin/env python
"""Learn the weights of the reader of answers, and how sure its readings are.

    python scripts/learn_reader.py [--write] [--errors FILE]

Learns from the packaged corpus (all parts but `unread`) and, where the shared benchmark data are
there, from annotated answers and the labelled replies to MMLU-Pro. Prints how replies are read
whose writers, and whose whole part, were left out of learning; `--write` puts weights learnt on all
rows into the package.

Three steps, each learnt from scores of the step before on writers that step had not seen: how
strongly a mention names the answer (logistic), which option or status a reply comes to (softmax),
and how likely that decision is right (small trees, added up). The last is learnt from odd
replies (`development`, `recent`, `further` with `later`) whose whole part was left out: writers of
one part had the same instructions, and those of a new part have others.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402
from scipy.optimize import minimize  # noqa: E402
from scipy.sparse import csr_matrix  # noqa: E402
from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "benchmarks")]

from horsesense.readers.reading import Reading  # noqa: E402
from horsesense.readers.text import around, reader, weigh  # noqa: E402
from horsesense.readers.text.evidence import STATUSES, Scene  # noqa: E402
from horsesense.readers.text.reader import concluded, scene  # noqa: E402
from recorded_truth import Truth, learnt_from  # noqa: E402

WEIGHTS = ROOT / "src/horsesense/readers/text/weights.json"
FOLDS = 16
MIN_MENTION, MIN_CHOICE = 8, 6
"""Features of fewer rows are left out."""
PENALTY_MENTION, PENALTY_CHOICE = 1.5, 1.5
SMALL_MENTION, SMALL_CHOICE = 0.04, 0.04
"""Weights below are left out."""
ITERATIONS = 60
TREES = 60
COUNTS = {"annotated": 1.0, "mmlu_pro": 1.5, "everyday": 1.5}
"""What a row counts beside one of the corpus."""
ANSWER, STATUS = 0.88, 0.35
"""Confidence from which on a choice, or a status, is read."""
KNOWN = {"annotated": 8.0, "mmlu_pro": 1.5, "everyday": 4.0}
"""Parts with replies as most logs have them, and what a row counts for confidence: of these parts
the writers are left out."""
SURE = 0.9
EDGES = (0.86, 0.88, 0.9, 0.91, 0.92, 0.93, 0.94, 0.96)


BY_THEIR_END = {"loops": "repeats", "breaks_off": "_breaks_off", "declines": "declines"}
"""Rules that read long replies at once, and what decides them: their replies teach all the same,
since of shorter ones the same has to be known."""


@dataclass
class Row:
    """A reply with its truth: a candidate (options, then statuses), None where it is neither."""

    truth: Truth
    target: int | None
    scene: Scene | None
    exact: Reading | None
    mentions: list[list[str]] = field(default_factory=list)

    @property
    def weight(self) -> float:
        return COUNTS.get(self.truth.part.split()[0], 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="put the weights into the package")
    parser.add_argument("--errors", help="write what is read wrong to this file (JSONL)")
    asked = parser.parse_args()
    rows = [row_of(truth) for truth in learnt_from()]
    stages = learn(rows)
    for name, read in (("writers", stages.writers), ("parts", stages.parts)):
        table(name, rows, read)
        curve(name, rows, read)
    if asked.errors:
        errors(rows, stages.writers, Path(asked.errors))
    if asked.write:
        write(rows, stages)


def row_of(truth: Truth) -> Row:
    asked = truth.response, truth.options, truth.labels, truth.finish_reason, truth.question
    found = scene(*asked)
    k = len(truth.options)
    target = truth.position
    if target is None and truth.status in STATUSES:
        target = k + STATUSES.index(truth.status)
    exact = found if isinstance(found, Reading) else None
    if exact is not None and exact.rule in BY_THEIR_END:
        never = dict.fromkeys(BY_THEIR_END.values(), lambda text: None)
        with mock.patch.multiple(reader, **never):
            found = scene(*asked)
    if isinstance(found, Reading):
        return Row(truth, target, None, exact)
    mentions = [around.of_mention(found, i) for i in range(len(found.found))]
    return Row(truth, target, found, exact, mentions)


def folds_of(rows: Sequence[Row]) -> tuple[list[int], list[int]]:
    """The fold of each row's writer, and its part: small ones of one time together."""
    writers = sorted({row.truth.writer for row in rows})
    place = {writer: i % FOLDS for i, writer in enumerate(writers)}
    of = [{"later": "further"}.get(p, p) for p in (row.truth.part.split()[0] for row in rows)]
    parts = sorted(set(of))
    return [place[row.truth.writer] for row in rows], [parts.index(part) for part in of]


@dataclass
class Left:
    """What was found of each row with its fold left out: scores, decision, confidence."""

    z: dict[int, list[float]] = field(default_factory=dict)
    decided: dict[int, tuple[int, list[float]]] = field(default_factory=dict)
    sure: dict[int, float] = field(default_factory=dict)


class Stages(NamedTuple):
    """The same with writers, and with parts, left out."""

    writers: Left
    parts: Left


def learn(rows: Sequence[Row]) -> Stages:
    scored = [i for i, row in enumerate(rows) if row.scene is not None]
    mentions = Mentions(rows, scored)
    folds = folds_of(rows)
    stages = Stages(*(decided(rows, scored, mentions, each) for each in folds))
    told = to_trust(rows, stages)
    for left, each in zip(stages, folds, strict=True):
        for _, learnt, out in parted(scored, each):
            trees = fit_trust(rows, told, learnt)
            sure = trees.predict_proba(np.array([left.decided[i][1] for i in out]))[:, 1]
            left.sure |= dict(zip(out, sure.tolist(), strict=True))
    return stages


def to_trust(rows: Sequence[Row], stages: Stages) -> dict[int, tuple[int, list[float]]]:
    """The decisions from which confidence is learnt: odd replies are of kinds never seen."""
    return {
        i: (stages.writers if rows[i].truth.part.split()[0] in KNOWN else stages.parts).decided[i]
        for i in stages.parts.decided
    }


def decided(
    rows: Sequence[Row], scored: Sequence[int], mentions: Mentions, folds: Sequence[int]
) -> Left:
    found = Left()
    for _, learnt, left in parted(scored, folds):
        weights = mentions.fit(learnt)
        found.z |= {i: mentions.scores(i, weights) for i in left}
    choices = Choices(rows, found.z, scored)
    for out, learnt, left in parted(scored, folds):
        weights = choices.fit(learnt)
        found.decided |= {i: choices.decide(i, weights) for i in left}
        print("left out:", out, flush=True)
    return found


def parted(
    scored: Sequence[int], folds: Sequence[int]
) -> Iterator[tuple[int, list[int], list[int]]]:
    for out in sorted({folds[i] for i in scored}):
        yield out, [i for i in scored if folds[i] != out], [i for i in scored if folds[i] == out]


def names_of(rows: Iterable[Iterable[str]], least: int) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for names in rows:
        counts.update(set(names))
    return {name: i for i, name in enumerate(sorted(n for n, c in counts.items() if c >= least))}


def matrix(rows: Sequence[dict[str, float]], names: dict[str, int]) -> csr_matrix:
    data, columns, ends = [], [], [0]
    for row in rows:
        for name, value in row.items():
            at = names.get(name)
            if at is not None and value:
                data.append(value)
                columns.append(at)
        ends.append(len(columns))
    return csr_matrix((data, columns, ends), shape=(len(rows), len(names)))


def smallest(loss: Callable[[np.ndarray], tuple[float, np.ndarray]], n: int) -> np.ndarray:
    return minimize(
        loss, np.zeros(n), jac=True, method="L-BFGS-B", options={"maxiter": ITERATIONS}
    ).x


def cut(weights: np.ndarray, least: float) -> np.ndarray:
    return np.where(np.abs(weights) > least, weights, 0.0)


class Mentions:
    """All mentions with their features: which of them name the answer is learnt (logistic)."""

    def __init__(self, rows: Sequence[Row], scored: Sequence[int]) -> None:
        found, right, weight = [], [], []
        self.place: dict[int, slice] = {}
        for i in scored:
            row, start = rows[i], len(found)
            assert row.scene is not None
            for m, names in zip(row.scene.found, row.mentions, strict=True):
                found.append({n: float(c) for n, c in Counter(names).items()})
                right.append(float(m.option == row.truth.position))
                weight.append(row.weight / len(row.mentions) ** 0.5)
            self.place[i] = slice(start, len(found))
        self.names = names_of(found, MIN_MENTION)
        self.x, self.y, self.w = matrix(found, self.names), np.array(right), np.array(weight)

    def fit(self, learnt: Sequence[int]) -> np.ndarray:
        mine = np.concatenate([np.arange(len(self.y))[self.place[i]] for i in learnt])
        x, y, w = self.x[mine], self.y[mine], self.w[mine]
        xt = x.T.tocsr()

        def loss(b: np.ndarray) -> tuple[float, np.ndarray]:
            s = x @ b
            p = 1 / (1 + np.exp(-s))
            value = (w * (np.logaddexp(0, s) - y * s)).sum() + PENALTY_MENTION / 2 * (b @ b)
            return value, xt @ (w * (p - y)) + PENALTY_MENTION * b

        return cut(smallest(loss, len(self.names)), SMALL_MENTION)

    def scores(self, i: int, weights: np.ndarray) -> list[float]:
        found: list[float] = (self.x[self.place[i]] @ weights).tolist()
        return found

    def table(self, weights: np.ndarray) -> dict[str, float]:
        return {name: float(weights[i]) for name, i in self.names.items() if weights[i]}


class Choices:
    """All candidates with their features: which a reply comes to is learnt (softmax)."""

    def __init__(
        self, rows: Sequence[Row], z: dict[int, list[float]], scored: Sequence[int]
    ) -> None:
        self.rows = rows
        self.at = {i: at for at, i in enumerate(scored)}
        self.found, options = {}, []
        sizes = []
        for i in scored:
            row = rows[i]
            assert row.scene is not None
            found = self.found[i] = weigh.featured(row.scene, z[i])
            sizes.append(len(found.options))
            for option, f in enumerate(found.options):
                k = found.named.strongest.get(option)
                beside = row.mentions[k] if k is not None else ()
                options.append(f | {weigh.BESIDE + name: 1.0 for name in beside})
        status = [self.found[i].status for i in scored]
        self.names, self.statuses = names_of(options, MIN_CHOICE), names_of(status, MIN_CHOICE)
        self.x, self.s = matrix(options, self.names), matrix(status, self.statuses)
        self.ends = np.cumsum([0, *sizes])

    def fit(self, learnt: Sequence[int]) -> np.ndarray:
        rows = [i for i in learnt if self.rows[i].target is not None]
        at = np.array([self.at[i] for i in rows])
        starts, ends = self.ends[at], self.ends[at + 1]
        mine = np.concatenate([np.arange(a, b) for a, b in zip(starts, ends, strict=True)])
        target = np.array([self.rows[i].target for i in rows])
        weight = np.array([self.rows[i].weight for i in rows])
        loss = choice_loss(self.x[mine], self.s[at], ends - starts, target, weight)
        n = len(self.names) + len(STATUSES) * len(self.statuses)
        return cut(smallest(loss, n), SMALL_CHOICE)

    def decide(self, i: int, weights: np.ndarray) -> tuple[int, list[float]]:
        at, n, scene = self.at[i], len(self.names), self.rows[i].scene
        assert scene is not None
        options = self.x[self.ends[at] : self.ends[at + 1]] @ weights[:n]
        status = self.s[at] @ weights[n:].reshape(len(STATUSES), -1).T
        scores = [*options.tolist(), *np.ravel(status).tolist()]
        found = weigh.settled(self.found[i], scores)
        return found.best, weigh.grounds(scene, found)

    def table(self, weights: np.ndarray) -> dict[str, float]:
        n = len(self.names)
        table = {name: float(weights[i]) for name, i in self.names.items() if weights[i]}
        for name, each in zip(STATUSES, weights[n:].reshape(len(STATUSES), -1), strict=True):
            own = {f"{name}|{key}": float(each[i]) for key, i in self.statuses.items() if each[i]}
            table |= own
        return table


def choice_loss(
    x: csr_matrix, s: csr_matrix, sizes: np.ndarray, target: np.ndarray, weight: np.ndarray
) -> Callable[[np.ndarray], tuple[float, np.ndarray]]:
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    group = np.repeat(np.arange(len(sizes)), sizes)
    is_option = target < sizes
    chosen = np.where(is_option, starts + np.minimum(target, sizes - 1), 0)
    state = np.where(is_option, 0, target - sizes)
    rows = np.arange(len(sizes))
    xt, st, cut = x.T.tocsr(), s.T.tocsr(), x.shape[1]

    def loss(b: np.ndarray) -> tuple[float, np.ndarray]:
        each = b[cut:].reshape(-1, s.shape[1])
        a, c = x @ b[:cut], s @ each.T
        top = np.maximum(np.maximum.reduceat(a, starts), c.max(axis=1))
        ea, ec = np.exp(a - top[group]), np.exp(c - top[:, None])
        norm = np.add.reduceat(ea, starts) + ec.sum(axis=1)
        gold = np.where(is_option, a[chosen], c[rows, state])
        value = (weight * (np.log(norm) + top - gold)).sum() + PENALTY_CHOICE / 2 * (b @ b)
        pa, pc = ea / norm[group] * weight[group], ec / norm[:, None] * weight[:, None]
        np.subtract.at(pa, chosen[is_option], weight[is_option])
        np.subtract.at(pc, (rows[~is_option], state[~is_option]), weight[~is_option])
        return value, np.concatenate([xt @ pa, (st @ pc).T.ravel()]) + PENALTY_CHOICE * b

    return loss


def fit_trust(
    rows: Sequence[Row], decided: dict[int, tuple[int, list[float]]], learnt: Sequence[int]
) -> HistGradientBoostingClassifier:
    x = np.array([decided[i][1] for i in learnt])
    y = np.array([float(decided[i][0] == rows[i].target) for i in learnt])
    counts = [KNOWN.get(rows[i].truth.part.split()[0], 1.0) for i in learnt]
    return HistGradientBoostingClassifier(
        max_iter=TREES, max_depth=4, max_leaf_nodes=10, learning_rate=0.12, min_samples_leaf=30,
        l2_regularization=5, max_bins=64,
        max_features=0.3, random_state=0,
    ).fit(x, y, sample_weight=counts)  # fmt: skip


def exported(fitted: HistGradientBoostingClassifier) -> list[Sequence[float]]:
    """The trees as `weigh.Trees`."""
    nodes: list[tuple[int, float, int, int]] = []
    roots = [grow(predictor.nodes, 0, nodes) for (predictor,) in fitted._predictors]
    return [roots, *zip(*nodes, strict=True)]


def grow(nodes: Any, k: int, out: list[tuple[int, float, int, int]]) -> int:
    at, node = len(out), nodes[k]
    out.append((-1, round(float(node["value"]), 3), 0, 0))
    if node["is_leaf"]:
        return ~at
    low, high = grow(nodes, node["left"], out), grow(nodes, node["right"], out)
    out[at] = int(node["feature_idx"]), round(float(node["num_threshold"]), 3), low, high
    return at


def verdict(row: Row, i: int, left: Left, least: float = ANSWER) -> tuple[Reading, bool]:
    """A row as it is read, and whether that is right."""
    found = row.exact
    if found is None:
        assert row.scene is not None
        best = left.decided[i][0]
        found = concluded(row.scene, best, left.sure[i], left.z[i], least, STATUS)
    truth = row.truth
    chosen = () if truth.position is None else (truth.position,)
    return found, found.status == truth.status and found.positions == chosen


def table(name: str, rows: Sequence[Row], left: Left) -> None:
    groups: dict[str, list[tuple[Reading, bool]]] = defaultdict(list)
    for i, row in enumerate(rows):
        groups[row.truth.part].append(verdict(row, i, left))
    print(f"{name} left out: n; right, wrong choice, wrong status, sure (of all), right (of sure)")
    for part, found in sorted(groups.items()):
        n = len(found)
        sures = [ok for one, ok in found if one.confidence >= SURE and one.status != "unclear"]
        shares = [
            sum(ok for _, ok in found) / n,
            sum(bool(one.positions) and not ok for one, ok in found) / n,
            sum(not one.positions and one.status != "unclear" and not ok for one, ok in found) / n,
            len(sures) / n,
            sum(sures) / max(len(sures), 1),
        ]
        print(f"{part:16}{n:6}" + "".join(f"{100 * share:8.2f}" for share in shares), flush=True)


def curve(name: str, rows: Sequence[Row], left: Left) -> None:
    """Right readings and wrong choices by the confidence from which on a choice is read."""
    print(f"{name} left out: right / wrong choice from a confidence on")
    for least in EDGES:
        line = f"{least:5.2f}"
        for parts in (("everyday",), ("recent",), ("development",), ("further", "later")):
            mine = [i for i, row in enumerate(rows) if row.truth.part in parts]
            found = [verdict(rows[i], i, left, least) for i in mine]
            right = sum(ok for _, ok in found)
            wrong = sum(bool(one.positions) and not ok for one, ok in found)
            line += f" | {100 * right / len(mine):.1f} / {100 * wrong / len(mine):.2f}"
        print(line, flush=True)


def errors(rows: Sequence[Row], left: Left, path: Path) -> None:
    with path.open("w", encoding="utf-8") as stream:
        for i, row in enumerate(rows):
            found, right = verdict(row, i, left)
            if not right:
                told = {"status": found.status, "positions": found.positions, "rule": found.rule,
                        "p": round(found.confidence, 3), "target": row.target}  # fmt: skip
                stream.write(
                    json.dumps({"read": told} | row.truth._asdict(), ensure_ascii=False) + "\n"
                )


def write(rows: Sequence[Row], stages: Stages) -> None:
    scored = [i for i, row in enumerate(rows) if row.scene is not None]
    mentions, choices = Mentions(rows, scored), Choices(rows, stages.writers.z, scored)
    mention = mentions.table(mentions.fit(scored))
    choice = choices.table(choices.fit(scored))
    trust = fit_trust(rows, to_trust(rows, stages), scored)
    value = {
        "mention": {name: round(weight, 2) for name, weight in mention.items()},
        "choice": {name: round(weight, 2) for name, weight in choice.items()},
        "base": round(float(np.ravel(trust._baseline_prediction)[0]), 4),
        "trees": exported(trust),
        "answer": ANSWER,
        "status": STATUS,
    }
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    WEIGHTS.write_text(text + "\n", encoding="utf-8")
    print(f"{len(text)} characters written")


if __name__ == "__main__":
    main()

"""How well `check --responses` finds wrong golds: MMLU-Redux's annotations, seven models' answers.

    python benchmarks/label_errors.py ../shared

The positive class is `wrong_groundtruth`. Ties are broken by chance (20 draws, averaged), and once
as horsesense prints its list. One number is chosen by the annotations: how much it counts that the
suggested option is unlike the gold. The last line chooses it anew, of whole numbers to 8, on nine
tenths of the subjects for each last tenth (mean of 10 divisions). Baselines: the largest share of
models on one other option, and the normalised margin of confident learning (Northcutt and others
2021) with vote shares as probabilities.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.metrics import average_precision_score

from horsesense.items.files import load_rows
from horsesense.items.item import ItemSet
from horsesense.items.load import load_items
from horsesense_extras.checks import label_errors as shipped
from horsesense_extras.checks.label_errors import label_errors
from horsesense_extras.cue_tests.answers import load_choices

DRAWS = 20
DIVISIONS = 10
LAST = -1000.0
"""Score of an item on which no vote fell on another option."""


def measured(scores: Mapping[str, float], wrong: Mapping[str, bool]) -> list[float]:
    """Average precision, precision at 100 and recall at 200."""
    truth = np.array(list(wrong.values()))
    score = np.array([scores.get(item, LAST) for item in wrong])
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(DRAWS):
        broken = score + 1e-12 * rng.random(len(score))
        order = np.argsort(-broken)
        rows.append(
            [
                average_precision_score(truth, broken),
                truth[order[:100]].mean(),
                truth[order[:200]].sum() / truth.sum(),
            ]
        )
    return [float(mean) for mean in np.mean(rows, axis=0)]


def subjects_apart(
    items: ItemSet, choices: shipped.Choices, wrong: Mapping[str, bool]
) -> list[float]:
    """The three figures with likeness weighed as other subjects say; mean of divisions."""
    asked, votes = shipped._votes(items, choices)
    odds, like = shipped._log_odds(asked, votes), shipped._likeness(asked, votes)
    names, subject = np.unique([str(item.subject) for item in asked], return_inverse=True)
    truth = np.array([wrong[item.id] for item in asked])

    def worth(weight: int, kept: npt.NDArray[np.bool_]) -> float:
        ranked = truth[kept][np.argsort(-(odds - weight * like)[kept], kind="stable")]
        hundred = round(100 * len(ranked) / len(truth))
        precision = np.cumsum(ranked) / np.arange(1, len(ranked) + 1)
        recall = ranked[: 2 * hundred].sum() / ranked.sum()
        return float(precision[ranked].mean() + precision[hundred - 1] + recall)

    rows = []
    for division in range(DIVISIONS):
        fold = np.random.default_rng(division).permutation(len(names)) % 10
        score = np.zeros(len(asked))
        for tenth in range(10):
            held = fold[subject] == tenth
            best = max(range(9), key=lambda weight: worth(weight, ~held))
            score[held] = (odds - best * like)[held]
        rows.append(measured({i.id: s for i, s in zip(asked, score, strict=True)}, wrong))
    return [float(mean) for mean in np.mean(rows, axis=0)]


def main(shared: Path) -> None:
    """Print one line for each score."""
    source = shared / "data/mmlu_redux/mmlu_redux.jsonl.gz"
    answers = shared / "responses/helm_mmlu_redux/multi_expert_letters.jsonl.gz"
    items = load_items(source)
    choices = load_choices([answers], items)
    found = label_errors(items, choices)
    answered = set().union(*choices.values())
    wrong = {
        str(row["id"]): row["error_type_norm"] == "wrong_groundtruth"
        for _, row in load_rows(source)
        if row["id"] in answered
    }
    print(f"{found.n:,} items, {sum(wrong.values())} wrong golds, {len(found.models)} models")
    print(f"{'score':<36}{'AP':>7}{'P@100':>7}{'R@200':>7}")
    printed = {e.item: 1.0 / place for place, e in enumerate(found.found, 1)}
    scores = {
        "share of models on one other option": {e.item: e.agreement for e in found.found},
        "normalised margin": {e.item: e.agreement - e.right for e in found.found},
        "horsesense": {e.item: e.probability for e in found.found},
        "horsesense, in the order printed": printed,
    }
    figures = {name: measured(score, wrong) for name, score in scores.items()}
    voting = {model: choices[model] for model in found.models}
    figures["the same, chosen on other subjects"] = subjects_apart(items, voting, wrong)
    for name, values in figures.items():
        print(f"{name:<36}" + "".join(f"{value:>7.3f}" for value in values))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""How well a trained reader does on replies that it was not trained on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from horsesense_extras.readers.training.examples import Example


@dataclass(frozen=True)
class Score:
    """Agreement with the annotations; fractions of 0 to 1.

    Attributes:
        model: who wrote the replies.
        options: number of options shown; F1 is of replies with the same classes.
        n: number of replies.
        wrong: how many were read otherwise.
        accuracy: share read as annotated.
        macro_f1: mean F1 of the classes that are annotated or predicted.
        macro_f1_fixed: mean F1 of all possible classes; one that never comes counts 0.
        weighted_f1: mean F1 weighted by how often a class is annotated.
    """

    model: str
    options: int
    n: int
    wrong: int
    accuracy: float
    macro_f1: float
    macro_f1_fixed: float
    weighted_f1: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def f1_scores(
    gold: Sequence[str], predicted: Sequence[str], classes: Sequence[str]
) -> tuple[float, float, float]:
    """Macro F1 over the classes present, over all of `classes`, and weighted F1.

    >>> gold, said = "AAAABBBCCDDX", "AAAABBBCCDDD"
    >>> [round(value, 4) for value in f1_scores(gold, said, "ABCDXYZ")]
    [0.76, 0.5429, 0.8833]
    """
    from sklearn.metrics import f1_score  # of the extra `train`

    pair = list(gold), list(predicted)
    return (
        float(f1_score(*pair, average="macro", zero_division=0)),
        float(f1_score(*pair, average="macro", labels=list(classes), zero_division=0)),
        float(f1_score(*pair, average="weighted", zero_division=0)),
    )


def scores(rows: Sequence[Example], places: Sequence[int | None]) -> list[Score]:
    """By source model and number of options; `places` are the predicted `case.classes`.

    None is a reply that the reader could not read; it counts as wrong, in a class of its own.
    """
    groups: dict[tuple[str, int], list[int]] = {}
    for n, row in enumerate(rows):
        groups.setdefault((row.model, len(row.case.options)), []).append(n)
    return [
        _score(model, k, [rows[n] for n in members], [places[n] for n in members])
        for (model, k), members in sorted(groups.items())
    ]


def _score(model: str, k: int, rows: Sequence[Example], places: Sequence[int | None]) -> Score:
    gold = [row.name for row in rows]
    said = [
        "unread" if p is None else row.class_name(p) for row, p in zip(rows, places, strict=True)
    ]
    wrong = sum(g != s for g, s in zip(gold, said, strict=True))
    classes = sorted({row.class_name(p) for row in rows for p in range(len(row.case.classes))})
    return Score(model, k, len(rows), wrong, 1 - wrong / len(rows), *f1_scores(gold, said, classes))

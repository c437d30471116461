"""Annotated replies to learn from, their split, and how many a reader gets right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from horsesense.errors import ItemsError, UsageError
from horsesense.readers.model_based.cases import SPECIAL, Case
from horsesense.readers.recorded import RecordedRow, recorded_rows
from horsesense.readers.recorded_fields import Fields
from horsesense.readers.text import option_meaning
from horsesense.rng import digest, unit
from horsesense.stats.words import plural


class Example(NamedTuple):
    """One annotated reply.

    Attributes:
        question: hash of the question; all replies to it are on one side of a split.
        model: who wrote the reply; "" where the file does not say.
        case: what a reader is shown.
        target: the place of the right class in `case.classes`.
    """

    question: bytes
    model: str
    case: Case
    target: int

    @property
    def name(self) -> str:
        """The right class as the file names it: a label, or X, Y, Z."""
        return self.class_name(self.target)

    def class_name(self, place: int) -> str:
        """A class by the name that annotations use."""
        chosen = self.case.classes[place]
        if isinstance(chosen, str):
            return chosen
        return self.case.labels[chosen] if self.case.labels else self.case.options[chosen]


@dataclass
class Examples:
    """Annotated replies of some files, and what was left out of them.

    Attributes:
        rows: those that can be used.
        dropped: reason -> number of rows.
    """

    rows: list[Example] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)

    @property
    def models(self) -> list[str]:
        return sorted({row.model for row in self.rows})


def load_examples(files: Sequence[Path], fields: Mapping[str, str] | None = None) -> Examples:
    """Annotated replies of files as `horsesense read` takes them.

    `label` is the label of the chosen option, or X, Y, Z (no option is right, refusal, does not
    know); null and labels of several letters are left out and counted, as the published split
    does with contradictions. `fields` maps our names to those in the file.

    Raises:
        ItemsError: a file has faults; it names every faulty row.
        UsageError: a field is unknown here, or nothing is left.
    """
    own = {"gold" if ours == "label" else ours: name for ours, name in (fields or {}).items()}
    found = Examples()
    for path in files:
        rows = recorded_rows(path, Fields({"gold": "label", **own}))
        faults = [f"{row.id}: {fault}" for row in rows if (fault := _add(row, found))]
        if faults:
            raise ItemsError(str(path), faults)
    if not found.rows:
        raise UsageError(f"No row of {', '.join(map(str, files))} can be used: {found.dropped}.")
    return found


def _add(row: RecordedRow, found: Examples) -> str:
    """Keep or count a row; what is wrong with it, "" where nothing is."""
    case, label = Case(row.response, row.options, row.labels), row.given.get("gold")
    if row.question is None:
        return "`question` must be a text"
    if label is None:
        found.dropped["no label"] += 1
    elif not case.response.strip():
        found.dropped["empty response"] += 1
    elif (target := target_of(case, str(label))) is not None:
        question = digest(" ".join(row.question.split()).casefold())
        found.rows.append(Example(question, str(row.given.get("model") or ""), case, target))
    elif len(str(label)) > 1 and set(str(label)) <= set(row.labels):
        found.dropped["several labels"] += 1
    else:
        return f"`label` {label!r} is not one of {', '.join((*row.labels, *SPECIAL))}"
    return ""


def target_of(case: Case, label: str) -> int | None:
    """The place of a label in `case.classes`; None if it names none of them.

    X, Y, Z are the option that says the same, where there is one.
    """
    if label in case.labels:
        return case.labels.index(label)
    if label not in SPECIAL:
        return None
    position = option_meaning(SPECIAL[label], case.options)
    return case.classes.index(label) if position is None else position


class Split(NamedTuple):
    """Replies to train on, and those to measure on: no question is on both sides."""

    train: list[Example]
    test: list[Example]


def split(
    rows: Sequence[Example], *, test_share: float, leave_out: str | None = None, seed: int = 0
) -> Split:
    """Hold out a share of the questions, and all replies of the model `leave_out`.

    The share is of questions, by a hash of their text and the seed. With `leave_out` (a part of a
    model's name) the test replies are those of that model to questions that are not trained on.
    """
    if not 0 < test_share < 1:
        raise UsageError(f"The share of questions to test on is {test_share}.", hint="0 to 1.")
    held = {q for q in {row.question for row in rows} if unit(q, b"%d" % seed) < test_share}
    train = [row for row in rows if row.question not in held]
    test = [row for row in rows if row.question in held]
    if leave_out is not None:
        train = [row for row in train if leave_out not in row.model]
        known = {row.question for row in train}
        test = [row for row in rows if leave_out in row.model and row.question not in known]
    if not train or not test:
        raise UsageError(
            f"The split leaves {plural(len(train), 'reply')} to train on and {len(test)} to test"
            " on.",
            hint=f"Models: {', '.join(sorted({row.model for row in rows}))}.",
        )
    return Split(train, test)


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

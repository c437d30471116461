"""From annotated files to a reader on disk: load, split, train, measure, save."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from horsesense.errors import UsageError, install
from horsesense.progress import progress
from horsesense.readers.model_based.trained.saved import MANIFEST, Kind, Manifest
from horsesense.readers.training.examples import Example, Examples, Split, load_examples, split
from horsesense.readers.training.fit import fit
from horsesense.readers.training.learners import Learner, find_base, make_learner
from horsesense.readers.training.recipes import Recipe
from horsesense.readers.training.scores import Score, scores
from horsesense.rng import Dice

_CHUNK = 64
_INSTALL = install("train")


@dataclass(frozen=True)
class Plan:
    """What is trained on what.

    Attributes:
        kind: encoder, seq2seq or causal.
        recipe: how.
        files: annotated files.
        fields: our names of FIELDS -> those in the files.
        test_share: share of the questions that are held out.
        leave_out: a part of the names of the models whose replies are not trained on.
        most: replies to train on at most, and to measure on at most; None for all.
    """

    kind: Kind
    recipe: Recipe
    files: tuple[Path, ...]
    fields: Mapping[str, str]
    test_share: float = 0.2
    leave_out: str | None = None
    most: int | None = None


@dataclass(frozen=True)
class Trained:
    """A reader that was saved to `folder`, and what it got right on what was held out."""

    folder: Path
    manifest: Manifest
    losses: list[float]
    results: list[Score]


def train_reader(plan: Plan, out: Path) -> Trained:
    """Train a reader and save it to `out`, a new or empty directory.

    Raises:
        UsageError: the plan or the machine does not allow the training.
        ItemsError: the annotated files have faults.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} already exists.", hint="Name a new directory with --out.")
    found = load_examples(plan.files, plan.fields)
    parts = _fewer(split_of(plan, found), plan)
    learner, losses, manifest = _train(plan, parts)
    results = measure(learner, parts.test)
    manifest = manifest.model_copy(
        update={
            "data": _described(plan, found, parts),
            "results": [score.as_json() for score in results],
        }
    )
    out.mkdir(parents=True, exist_ok=True)
    learner.save(out)
    manifest.save(out)
    if not any(out.glob("*.safetensors")) or not (out / MANIFEST).is_file():
        raise UsageError(f"{out} contains no safetensors after saving.")
    return Trained(out, manifest, losses, results)


def split_of(plan: Plan, found: Examples) -> Split:
    """The split by question of a plan."""
    return split(
        found.rows,
        test_share=plan.test_share,
        leave_out=plan.leave_out,
        seed=plan.recipe.seed,
    )


def _fewer(parts: Split, plan: Plan) -> Split:
    """At most `most` replies on each side, drawn at random."""
    if plan.most is None:
        return parts
    seed = plan.recipe.seed
    return Split(
        *(
            Dice(seed, side, "subset").sample(rows, min(len(rows), plan.most))
            for side, rows in zip(Split._fields, parts, strict=True)
        )
    )


def _train(plan: Plan, parts: Split) -> tuple[Learner, list[float], Manifest]:
    try:
        import torch

        torch.manual_seed(plan.recipe.seed)
        weights = find_base(plan.recipe.base)
        learner = make_learner(plan.kind, weights, plan.recipe)
    except ImportError as error:
        raise UsageError(f"Training needs the package {error.name}.", hint=_INSTALL) from None
    manifest = Manifest(
        kind=plan.kind,
        base=plan.recipe.base,
        base_fingerprint=weights.fingerprint,
        recipe=plan.recipe.as_json(),
    )
    return learner, fit(learner, parts.train, plan.recipe), manifest


def measure(learner: Learner, rows: Sequence[Example]) -> list[Score]:
    """Scores of held-out replies, by source model and number of options."""
    places: list[int | None] = []
    with progress("measuring", len(rows)) as tick:
        for start in range(0, len(rows), _CHUNK):
            chunk = rows[start : start + _CHUNK]
            found = learner.probabilities([example.case for example in chunk])
            places += [max(range(len(row)), key=row.__getitem__) if row else None for row in found]
            tick(len(chunk))
    return scores(rows, places)


def _described(plan: Plan, found: Examples, parts: Split) -> dict[str, object]:
    return {
        "files": [path.name for path in plan.files],
        "models": found.models,
        "left_out": plan.leave_out,
        "rows": len(found.rows),
        "dropped": dict(found.dropped),
        "test_share": plan.test_share,
        "trained_on": len(parts.train),
        "measured_on": len(parts.test),
        "questions_trained_on": len({row.question for row in parts.train}),
        "questions_measured_on": len({row.question for row in parts.test}),
    }

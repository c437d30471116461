"""From annotated files to a reader on disk: load, split, train, measure, save."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from horsesense.errors import UsageError, install
from horsesense.files import write_whole
from horsesense.progress import progress
from horsesense.rng import Dice
from horsesense_extras.readers.trained.saved import (
    MANIFEST,
    Kind,
    Manifest,
    TrainedModel,
    load_scorer,
)
from horsesense_extras.readers.training.examples import (
    Example,
    Examples,
    Score,
    Split,
    load_examples,
    scores,
    split,
)
from horsesense_extras.readers.training.learners import (
    ReaderRecipe,
    find_base,
    fit_reader,
    make_learner,
)

QUESTIONS: Final = "questions.txt"
"""Beside a reader: hashes of the questions that it was trained on, one a line."""
_CHUNK = 16
_INSTALL = install("train")


@dataclass(frozen=True)
class Plan:
    """What is trained on what.

    Attributes:
        kind: encoder, seq2seq or causal.
        recipe: how.
        files: annotated files.
        fields: our names -> those in the files.
        test_share: share of the questions that are held out.
        leave_out: a part of the names of the models whose replies are not trained on.
        most: replies to train on at most, and to measure on at most; None for all.
    """

    kind: Kind
    recipe: ReaderRecipe
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


@dataclass(frozen=True)
class Evaluation:
    """What a trained reader got right in another annotated file.

    Attributes:
        file: its name.
        dropped: reason -> rows that were not measured.
        results: scores by source model and number of options.
    """

    file: str
    dropped: Mapping[str, int]
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
    parts = _parts(plan, found)
    learner, losses, manifest = _train(plan, parts)
    results = measure(learner, parts.test)
    manifest = manifest.model_copy(
        update={
            "data": _described(plan, found, parts),
            "results": [asdict(score) for score in results],
        }
    )
    out.mkdir(parents=True, exist_ok=True)
    learner.save(out)
    manifest.save(out)
    known = sorted({row.question.hex() for row in parts.train})
    write_whole(out / QUESTIONS, "".join(f"{name}\n" for name in known))
    if not any(out.glob("*.safetensors")) or not (out / MANIFEST).is_file():
        raise UsageError(f"{out} contains no safetensors after saving.")
    return Trained(out, manifest, losses, results)


def _parts(plan: Plan, found: Examples) -> Split:
    """The split by question of a plan, with at most `most` replies a side, drawn at random."""
    seed = plan.recipe.seed
    parts = split(found.rows, test_share=plan.test_share, leave_out=plan.leave_out, seed=seed)
    if plan.most is None:
        return parts
    sides = {side: Dice(seed, side, "subset") for side in Split._fields}
    each = zip(sides.values(), parts, strict=True)
    return Split(*(dice.sample(rows, min(len(rows), plan.most)) for dice, rows in each))


def _train(plan: Plan, parts: Split) -> tuple[TrainedModel, list[float], Manifest]:
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
    return learner, fit_reader(learner, parts.train, plan.recipe), manifest


def evaluate_reader(
    folder: Path,
    files: Sequence[Path],
    fields: Mapping[str, str] | None = None,
    *,
    most: int | None = None,
    seed: int = 0,
) -> list[Evaluation]:
    """Measure a saved reader on other annotated files, and note it in its manifest.

    Replies to questions that it was trained on are left out and counted; of a reader that does
    not say which these were, that is written instead.

    Raises:
        UsageError: `folder` holds no trained reader, or nothing of a file can be measured.
        ItemsError: an annotated file has faults.
    """
    manifest = Manifest.load(folder)
    known = _trained_on(folder)
    loaded = [(path, load_examples([path], fields)) for path in files]
    scorer = load_scorer(folder, manifest)
    done = []
    for path, found in loaded:
        rows = [row for row in found.rows if known is None or row.question not in known]
        if not rows:
            raise UsageError(f"{path}: the reader was trained on all of its questions.")
        dropped = found.dropped + Counter(
            {"question trained on": len(found.rows) - len(rows)} if known is not None else {}
        )
        if most is not None and len(rows) > most:
            dropped["beyond --most"] = len(rows) - most
            rows = Dice(seed, path.name, "subset").sample(rows, most)
        done.append(Evaluation(path.name, dict(+dropped), measure(scorer, rows)))
    old = [entry for entry in manifest.evaluated if entry["file"] not in {e.file for e in done}]
    entries = [*old, *map(asdict, done)]
    manifest.model_copy(update={"evaluated": entries}).save(folder)
    return done


def _trained_on(folder: Path) -> frozenset[bytes] | None:
    """Hashes of the questions that a reader was trained on; None where it does not say."""
    path = folder / QUESTIONS
    if not path.is_file():
        return None
    try:
        return frozenset(map(bytes.fromhex, path.read_text(encoding="ascii").split()))
    except ValueError:
        raise UsageError(f"{path} is damaged: a line is not a hash.") from None


def measure(learner: TrainedModel, rows: Sequence[Example]) -> list[Score]:
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

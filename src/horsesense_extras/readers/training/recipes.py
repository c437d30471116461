"""How each kind of reader is trained, unless told otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from horsesense.errors import UsageError
from horsesense_extras.models.hf.tuning import Recipe
from horsesense_extras.readers.trained.saved import Kind

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

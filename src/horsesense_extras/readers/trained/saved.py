"""A trained reader on disk: safetensors, and `reader.json` that says what they are."""

from __future__ import annotations

from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from horsesense.errors import UsageError, install
from horsesense.files import write_whole
from horsesense_extras.models.hf.weights import Weights, find_weights, without_bars

if TYPE_CHECKING:
    from collections.abc import Sequence

    from horsesense.readers.model_based.cases import Case
    from horsesense_extras.readers.trained.encoder import PairEncoder
    from horsesense_extras.readers.trained.language import LanguageReader

Kind = Literal["encoder", "seq2seq", "causal"]

MANIFEST = "reader.json"
ADAPTER = "adapter_model.safetensors"
_HINT = "Name a directory that `horsesense train reader --out` wrote."
_INSTALL = install("train")


class Manifest(BaseModel):
    """What `reader.json` holds.

    Attributes:
        kind: how the model reads.
        base: the model that was trained, as `find_weights` takes it.
        base_fingerprint: hash of its files; an adapter is loaded onto the same ones only.
        recipe: the settings of the training.
        data: files, fields, counts, what was left out of training.
        results: accuracy and F1 on what was held out.
        evaluated: the same on other files, one entry a file.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    form: Literal[1] = 1
    kind: Kind
    base: str
    base_fingerprint: str
    recipe: dict[str, Any] = Field(default_factory=dict)
    data: dict[str, Any] = Field(default_factory=dict)
    results: list[dict[str, Any]] = Field(default_factory=list)
    evaluated: list[dict[str, Any]] = Field(default_factory=list)

    @classmethod
    def load(cls, folder: Path) -> Manifest:
        """The manifest of a trained reader.

        Raises:
            UsageError: `folder` does not contain a trained reader, or it cannot be understood.
        """
        path = folder / MANIFEST
        try:
            return cls.model_validate_json(path.read_bytes())
        except OSError:
            raise UsageError(f"{folder} does not contain a trained reader.", hint=_HINT) from None
        except ValidationError as error:
            faults = "; ".join(f"{e['loc']}: {e['msg']}" for e in error.errors())
            raise UsageError(f"{path} cannot be understood: {faults}", hint=_HINT) from None

    def save(self, folder: Path) -> None:
        write_whole(folder / MANIFEST, self.model_dump_json(indent=2) + "\n")


class Scorer(Protocol):
    """A loaded model that says how probable each class of a case is."""

    def probabilities(self, cases: Sequence[Case]) -> list[list[float]]:
        """In the order of `case.classes`; empty for a case that the model cannot be asked."""
        ...


def fingerprint_of(folder: Path, manifest: Manifest, rules: str) -> str:
    """Hash of everything that determines the readings: the files, the base, how it is asked.

    `rules` is the version of what asks and understands it.
    """
    total = blake2b(digest_size=6)
    total.update(f"{rules}|{manifest.kind}|{manifest.base_fingerprint}".encode())
    # What was measured about a reader does not change what it reads.
    wanted = sorted(p for p in folder.iterdir() if p.suffix in {".safetensors", ".json", ".model"})
    for path in wanted:
        if path.name != MANIFEST:
            total.update(path.name.encode())
            total.update(path.read_bytes())
    return total.hexdigest()


@without_bars()
def load_scorer(folder: Path, manifest: Manifest) -> Scorer:
    """The model of a saved reader.

    Raises:
        UsageError: files or packages are missing, or the base has other weights.
    """
    try:
        if manifest.kind == "encoder":
            return load_encoder(folder, trained=True)
        if manifest.kind == "seq2seq":
            return load_seq2seq(Weights(folder.name, folder))
        return _with_adapter(folder, manifest)
    except ImportError as error:
        raise UsageError(f"A trained reader needs {error.name}.", hint=_INSTALL) from None


def load_encoder(folder: Path, *, trained: bool) -> PairEncoder:
    from horsesense_extras.readers.trained.encoder import HEAD, PairEncoder

    if trained and not (folder / HEAD).is_file():
        raise UsageError(f"{folder} has no {HEAD}.", hint=_HINT)
    return PairEncoder.load(folder, trained=trained).to(_device())


def load_seq2seq(weights: Weights) -> LanguageReader:
    """A T5-like model of safetensors, in float32 and ready to read."""
    import torch
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    from horsesense_extras.readers.trained.language import LanguageReader

    tokenizer = AutoTokenizer.from_pretrained(weights.folder, trust_remote_code=False)
    model = AutoModelForSeq2SeqLM.from_pretrained(
        weights.folder, dtype=torch.float32, use_safetensors=True, trust_remote_code=False
    )
    return LanguageReader(model.eval().to(_device()), tokenizer, seq2seq=True)


def _device() -> str:
    """Where models are put: the GPU where there is one."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def load_causal(weights: Weights, *, quantised: bool = False) -> LanguageReader:
    """A causal model of safetensors or GGUF, ready to read; `quantised` packs it in 4 bits."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from horsesense_extras.readers.trained.language import LanguageReader

    files = {"gguf_file": weights.gguf} if weights.gguf else {}
    tokenizer = AutoTokenizer.from_pretrained(weights.folder, trust_remote_code=False, **files)
    model = AutoModelForCausalLM.from_pretrained(
        weights.folder,
        trust_remote_code=False,
        use_safetensors=None if weights.gguf else True,
        dtype=torch.float32,
        **files,
        **(_four_bits(weights) if quantised else {}),
    )
    # A model read from GGUF holds plain weights; the mark of its former packing hinders adapters.
    if weights.gguf:
        model.hf_quantizer = None
        if hasattr(model.config, "quantization_config"):
            del model.config.quantization_config
        model.is_quantized = False
    if not quantised:
        model.to(_device())
    return LanguageReader(model.eval(), tokenizer, seq2seq=False)


def _four_bits(weights: Weights) -> dict[str, Any]:
    """Options that load weights in nf4, on a GPU where there is one."""
    import torch
    from transformers import BitsAndBytesConfig

    if weights.gguf:
        raise UsageError(
            f"{weights.name} is a GGUF file, which is packed already.",
            hint="Give a base of safetensors, or leave --quantised out.",
        )
    if find_spec("bitsandbytes") is None:
        raise UsageError("Weights in 4 bits need bitsandbytes.", hint=_INSTALL)
    gpu = torch.cuda.is_available()
    packed = BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_compute_dtype=torch.float16 if gpu else torch.float32,
    )
    return {"quantization_config": packed, "device_map": {"": 0 if gpu else "cpu"}}


def _with_adapter(folder: Path, manifest: Manifest) -> LanguageReader:
    from peft import PeftModel

    if not (folder / ADAPTER).is_file():  # else peft would look for a pickled one
        raise UsageError(f"{folder} has no {ADAPTER}.", hint=_HINT)
    weights = find_weights(manifest.base)
    if weights.fingerprint != manifest.base_fingerprint:
        raise UsageError(
            f"{folder} was trained on a {manifest.base} whose weights differ from those here.",
            hint=f"Its files had the hash {manifest.base_fingerprint}, not {weights.fingerprint}.",
        )
    # An adapter makes up for what packing lost: it reads on weights packed as in its training.
    reader = load_causal(weights, quantised=bool(manifest.recipe.get("quantised")))
    reader.model = PeftModel.from_pretrained(reader.model, folder).eval()
    return reader

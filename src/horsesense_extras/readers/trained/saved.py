"""A trained reader on disk: safetensors, and `reader.json` that says what they are."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from horsesense.errors import UsageError, install
from horsesense.files import read_whole, regular, write_whole
from horsesense_extras.models.hf.pickled import ADAPTER, refuse_pickled
from horsesense_extras.models.hf.weights import (
    Weights,
    check_base,
    find_weights,
    load,
    with_adapter,
    without_bars,
)
from horsesense_extras.readers.trained.scorers import HEAD, LanguageReader, PairEncoder

Kind = Literal["encoder", "seq2seq", "causal"]

MANIFEST = "reader.json"
_HINT = "Name a directory that `horsesense train reader --out` wrote."
_LOADERS: Final = {
    "encoder": "AutoModel",
    "seq2seq": "AutoModelForSeq2SeqLM",
    "causal": "AutoModelForCausalLM",
}
TrainedModel = PairEncoder | LanguageReader
"""A loaded model that says how probable each class of a case is."""


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
            return cls.model_validate_json(read_whole(path))
        except OSError as error:
            says = f"{folder} does not contain a trained reader: {error.strerror or error}."
            raise UsageError(says, hint=_HINT) from None
        except ValidationError as error:
            faults = "; ".join(f"{e['loc']}: {e['msg']}" for e in error.errors())
            raise UsageError(f"{path} cannot be understood: {faults}", hint=_HINT) from None

    def save(self, folder: Path) -> None:
        write_whole(folder / MANIFEST, self.model_dump_json(indent=2) + "\n")


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
            total.update(regular(path).read_bytes())
    return total.hexdigest()


@without_bars()
def load_scorer(folder: Path, manifest: Manifest) -> TrainedModel:
    """The model of a saved reader.

    Raises:
        UsageError: files or packages are missing, or the base has other weights.
    """
    needed = {"encoder": HEAD, "causal": ADAPTER}.get(manifest.kind)
    refuse_pickled(folder, needed or "*.safetensors")
    if needed and not (folder / needed).is_file():
        raise UsageError(f"{folder} has no {needed}.", hint=_HINT)
    try:
        if manifest.kind != "causal":
            return load_reader(manifest.kind, Weights(folder.name, folder), trained=True)
        weights = find_weights(manifest.base)
        check_base(folder, manifest.base_fingerprint, weights)
        # An adapter makes up for what packing lost: it reads on weights packed as in training.
        reader = load_reader("causal", weights, quantised=bool(manifest.recipe.get("quantised")))
        assert not isinstance(reader, PairEncoder)
        reader.model = with_adapter(reader.model, folder)
        return reader
    except ImportError as error:
        raise UsageError(f"A trained reader needs {error.name}.", hint=install("train")) from None


def load_reader(
    kind: Kind, weights: Weights, *, quantised: bool = False, trained: bool = False
) -> TrainedModel:
    """A model in float32, ready to read: an encoder, or a language model in 4 bits if wished.

    Args:
        kind: how it reads.
        weights: where it lies; `trained` says that the head of an encoder lies there too.
        quantised: whether it is packed; products are then in float16 on a GPU.
    """
    import torch

    model, tokenizer = load(
        weights,
        four_bits=quantised,
        computed="float16" if torch.cuda.is_available() else None,
        loader=_LOADERS[kind],
    )
    if kind == "encoder":
        return PairEncoder(model, tokenizer, weights.folder if trained else None)
    return LanguageReader(model, tokenizer, seq2seq=kind == "seq2seq")

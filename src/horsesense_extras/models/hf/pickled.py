"""Weights in pickled form, which could run code when opened, are refused here."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from horsesense.errors import UsageError
from horsesense.files import read_whole

PICKLED: Final = frozenset((".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".joblib", ".npz"))
"""Ends of files that may hold Python objects, and run code when they are opened."""
ADAPTER: Final = "adapter_model.safetensors"
SETTINGS: Final = "adapter_config.json"
KINDS: Final = ("LORA", "ADALORA", "LOHA", "LOKR")
"""Kinds of adapters, in peft's words, that are loaded from their own two files alone."""


def refuse_pickled(path: Path, wanted: str = "*.safetensors") -> None:
    """UsageError where what is to be loaded is a file, or lies in a folder, of pickled objects.

    An adapter beside a model is looked at too: its library loads it unasked.

    Args:
        path: the file or folder, of a model or an adapter.
        wanted: what must be there instead. An index must name nothing else either: its library
            would open what it names.
    """
    folder = path.parent if path.is_file() else path
    if adapter := (folder / SETTINGS).is_file():
        _refuse_kind(folder / SETTINGS)
        wanted = ADAPTER
    if path.is_file() and (path.suffix in PICKLED or not adapter):
        pickled = [path.name] if path.suffix in PICKLED else []
    elif any(folder.glob(wanted)):
        indices = (read_whole(one) for one in folder.glob("*.index.json"))
        named = [str(file) for index in indices for file in _files_of(index)]
        pickled = [file for file in named if not file.endswith(".safetensors")]
    else:
        pickled = sorted(one.name for one in folder.glob("*") if one.suffix in PICKLED)
    if pickled:
        raise UsageError(
            f"{path} has weights that can run code when they are opened: {', '.join(pickled)}.",
            hint="Take the same model as .safetensors; most are published so. Else convert it where"
            " you trust it: model.save_pretrained(FOLDER, safe_serialization=True).",
        )


def _refuse_kind(settings: Path) -> None:
    """UsageError for an adapter whose kind may name further files, such as those of others."""
    try:
        kind = json.loads(read_whole(settings))["peft_type"]
    except (ValueError, LookupError, TypeError):
        kind = None
    if kind not in KINDS:
        raise UsageError(
            f"{settings} is of an adapter that is not taken: its peft_type is {kind!r:.80}.",
            hint=f"Allowed: {', '.join(KINDS)}.",
        )


def _files_of(index: bytes) -> Iterable[object]:
    """The files that an index of weights names; none where it is no such index."""
    try:
        return set(json.loads(index)["weight_map"].values())
    except (ValueError, LookupError, TypeError, AttributeError):
        return ()

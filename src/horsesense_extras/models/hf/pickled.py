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


def refuse_pickled(path: Path, wanted: str = "*.safetensors") -> None:
    """UsageError where what is to be loaded is a file, or lies in a folder, of pickled objects.

    Args:
        path: the file or folder, of a model or an adapter.
        wanted: what must be there instead. An index must name nothing else either: its library
            would open what it names.
    """
    if path.is_file():
        pickled = [path.name] if path.suffix in PICKLED else []
    elif any(path.glob(wanted)):
        indices = (read_whole(one) for one in path.glob("*.index.json"))
        named = [str(file) for index in indices for file in _files_of(index)]
        pickled = [file for file in named if not file.endswith(".safetensors")]
    else:
        pickled = sorted(one.name for one in path.glob("*") if one.suffix in PICKLED)
    if pickled:
        raise UsageError(
            f"{path} has weights that can run code when they are opened: {', '.join(pickled)}.",
            hint="Take the same model as .safetensors; most are published so. Else convert it where"
            " you trust it: model.save_pretrained(FOLDER, safe_serialization=True).",
        )


def _files_of(index: bytes) -> Iterable[object]:
    """The files that an index of weights names; none where it is no such index."""
    try:
        return set(json.loads(index)["weight_map"].values())
    except (ValueError, LookupError, TypeError, AttributeError):
        return ()

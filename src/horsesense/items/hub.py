"""Sets of the Hugging Face hub, or a local directory in its layout (extra `data`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from horsesense.errors import HorsesenseError, UsageError, install
from horsesense.items.files import Row
from horsesense.items.select import EVERY_SPLIT

_SPEC: Final = re.compile(r"hf:(?P<path>[^@:]+)(?:@(?P<config>[^@:]+))?(?::(?P<split>[^@:]+))?")

SAFE_BUILDERS: Final = ("json", "csv", "parquet", "arrow", "text")
"""Loaders that read tables only; others may unpack or decode what an untrusted set holds."""


def hub_rows(source: str, split: str | None) -> tuple[list[tuple[int, Row]], str, tuple[str, ...]]:
    """Rows of `hf:[ORG/]NAME[@CONFIG][:SPLIT]` or `hf:./directory`.

    Each row's `split` is the split that the hub names. Class numbers are replaced by the names
    that the set declares, and -1 ("not known") by None. No code of the set is run.

    Returns:
        Numbered rows, a short name, and the declared names of the column `label`, if any.

    Raises:
        UsageError: `datasets` is not installed, or the set cannot be found or chosen from.
    """
    match = _SPEC.fullmatch(source)
    if match is None:
        raise UsageError(
            f"{source!r} does not name a set of the hub.",
            hint="Write hf:[ORG/]NAME[@CONFIG][:SPLIT] or hf:./directory.",
        )
    if split and match["split"] and split not in (match["split"], EVERY_SPLIT):
        raise UsageError(f"{source} names a split other than {split!r}.", hint="Name it once.")
    wanted = match["split"] or split
    names = None if wanted is None else [wanted] if wanted == EVERY_SPLIT else wanted.split(",")
    parts = _load(source, match["path"], match["config"], names)
    rows = list(enumerate((row for part in parts for row in _rows(part, parts[part])), 1))
    name = "_".join(filter(None, [Path(match["path"]).name, match["config"]]))
    declared = next((part.features.get("label") for part in parts.values()), None)
    return rows, name, tuple(getattr(declared, "names", None) or ())


def _load(
    source: str, path: str, config: str | None, wanted: Sequence[str] | None
) -> Mapping[str, Any]:
    """Split name -> data set, for the wanted splits, or the only one there is."""
    try:
        import datasets
    except ImportError as error:
        raise UsageError(
            "Sets of the Hugging Face hub need the package `datasets`.", hint=install("data")
        ) from error
    if path.startswith((".", "/", "~")) and not Path(path).is_dir():
        raise UsageError(f"{source}: there is no directory {path}.")
    try:
        if any((Path(path) / name).is_file() for name in ("dataset_dict.json", "state.json")):
            loaded = datasets.load_from_disk(path)
        else:
            builder = datasets.load_dataset_builder(path, config)
            form = type(builder).__module__.rpartition(".")[2]
            if form not in SAFE_BUILDERS:
                raise UsageError(
                    f"{source} is a set of the form {form!r}, which is not read.",
                    hint=f"Read are: {', '.join(SAFE_BUILDERS)}.",
                )
            if wanted is None:
                splits = (builder.info.splits or {}).items()
                _taken(source, {name: info.num_examples for name, info in splits}, wanted)
            loaded = datasets.load_dataset(path, config)
    except HorsesenseError:
        raise
    except Exception as error:  # whatever the hub, a proxy or a damaged cache make it raise
        raise UsageError(
            f"{source} could not be loaded: {error}",
            hint="Write hf:[ORG/]NAME[@CONFIG][:SPLIT] or hf:./directory.",
        ) from error
    parts = loaded if isinstance(loaded, Mapping) else {str(loaded.split or "all"): loaded}
    sizes = {name: len(part) for name, part in parts.items()}
    return {name: parts[name] for name in _taken(source, sizes, wanted)}


def _taken(
    source: str, sizes: Mapping[str, int | None], wanted: Sequence[str] | None
) -> Sequence[str]:
    """The names of the splits to take; UsageError lists those there are."""
    told = (name if size is None else f"{name} ({size:,})" for name, size in sizes.items())
    hint = f"Splits: {', '.join(told)}."
    if wanted is None and len(sizes) > 1:
        raise UsageError(f"{source} has several splits; choose one.", hint=hint)
    taken = [*sizes] if wanted is None or EVERY_SPLIT in wanted else wanted
    for name in taken:
        if name not in sizes:
            raise UsageError(f"{source} has no split {name!r}.", hint=hint)
    return taken


def _rows(split: str, part: Any) -> Iterator[Row]:
    """Rows with class numbers replaced by names."""
    classes = {
        column: feature.names
        for column, feature in part.features.items()
        if getattr(feature, "names", None)
    }
    for row in part.to_list():
        for column, names in classes.items():
            code = row[column]
            row[column] = None if code is None or code < 0 else names[code]
        row["split"] = split
        yield row

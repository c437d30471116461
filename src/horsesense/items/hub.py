"""Sets of the Hugging Face hub, or a local directory in its layout (extra `data`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from horsesense.errors import HorsesenseError, UsageError, install
from horsesense.items.files import Row

_SPEC: Final = re.compile(r"hf:(?P<path>[^@:]+)(?:@(?P<config>[^@:]+))?(?::(?P<split>[^@:]+))?")

EVERY_SPLIT: Final = "*"
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
    return rows, name, _declared_labels(parts)


def _load(
    source: str, path: str, config: str | None, wanted: Sequence[str] | None
) -> Mapping[str, Any]:
    """Split name -> data set, for the wanted splits, or the only one there is."""
    datasets = _library()
    if path.startswith((".", "/", "~")) and not Path(path).is_dir():
        raise UsageError(f"{source}: there is no directory {path}.")
    try:
        if _saved_to_disk(Path(path)):
            loaded = datasets.load_from_disk(path)
        else:
            builder = datasets.load_dataset_builder(path, config)
            _check_builder(source, type(builder).__module__.rpartition(".")[2])
            if wanted is None and len(builder.info.splits or ()) > 1:
                sizes = {n: info.num_examples for n, info in builder.info.splits.items()}
                raise _several(source, sizes)
            loaded = datasets.load_dataset(path, config)
    except HorsesenseError:
        raise
    except Exception as error:  # whatever the hub, a proxy or a damaged cache make it raise
        raise UsageError(
            f"{source} could not be loaded: {error}",
            hint="Write hf:[ORG/]NAME[@CONFIG][:SPLIT] or hf:./directory.",
        ) from error
    parts = loaded if isinstance(loaded, Mapping) else {str(loaded.split or "all"): loaded}
    return _chosen(source, parts, wanted)


def _library() -> Any:
    try:
        import datasets
    except ImportError as error:
        raise UsageError(
            "Sets of the Hugging Face hub need the package `datasets`.", hint=install("data")
        ) from error
    return datasets


def _saved_to_disk(path: Path) -> bool:
    return any((path / name).is_file() for name in ("dataset_dict.json", "state.json"))


def _check_builder(source: str, name: str) -> None:
    if name not in SAFE_BUILDERS:
        raise UsageError(
            f"{source} is a set of the form {name!r}, which is not read.",
            hint=f"Read are: {', '.join(SAFE_BUILDERS)}.",
        )


def _chosen(
    source: str, parts: Mapping[str, Any], wanted: Sequence[str] | None
) -> Mapping[str, Any]:
    sizes = {name: len(part) for name, part in parts.items()}
    if wanted is None:
        if len(parts) > 1:
            raise _several(source, sizes)
        return parts
    if EVERY_SPLIT in wanted:
        return parts
    for name in wanted:
        if name not in parts:
            raise UsageError(f"{source} has no split {name!r}.", hint=_listed(sizes))
    return {name: parts[name] for name in wanted}


def _several(source: str, sizes: Mapping[str, int | None]) -> UsageError:
    return UsageError(f"{source} has several splits; choose one.", hint=_listed(sizes))


def _listed(sizes: Mapping[str, int | None]) -> str:
    names = [name if size is None else f"{name} ({size:,})" for name, size in sizes.items()]
    return f"Splits: {', '.join(names)}."


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


def _declared_labels(parts: Mapping[str, Any]) -> tuple[str, ...]:
    for part in parts.values():
        return tuple(getattr(part.features.get("label"), "names", None) or ())
    return ()

"""What the calls of `horsesense` are given: items, models and names in all their forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from horsesense.errors import UsageError
from horsesense.items.item import ItemSet
from horsesense.items.load import sampled
from horsesense.models.base import Model
from horsesense.models.callables import NO_MODEL, Answering, CallableModel, NoModel
from horsesense.models.registry import make_model
from horsesense.runs.prepare import load_study_items
from horsesense.runs.settings import Settings
from horsesense.runs.studies import slug


class _PolarsFrame(Protocol):
    def to_dicts(self) -> list[dict[str, Any]]: ...


class _PandasFrame(Protocol):
    def to_dict(self, orient: Any = ...) -> Any: ...


Given = Sequence[Mapping[str, Any]] | _PolarsFrame | _PandasFrame
"""Rows with the fields of an items file."""
Items = str | Path | ItemSet | Given
"""A file, "sample", "hf:..."; or items, or rows: mappings, or a polars or pandas frame."""
ModelLike = str | Model | Answering
"""A model as on the command line; or an object of the protocol; or a function from prompts to
texts."""


def default_out(settings: Settings) -> Path:
    """The run directory of a study that names none."""
    items = Path(settings.items.split(":")[-1]).name.split(".")[0] or "items"
    part = "" if settings.shard is None else f"-{settings.shard.replace('/', '-of-')}"
    return Path("audits") / f"{slug(items)}-{slug(settings.model)}{part}"


def study_of(
    items: Items, model: ModelLike | None, given: Mapping[str, Any], **server: Any
) -> tuple[Settings, ItemSet | None, Model]:
    """Settings, the items where they come from no file, and the model.

    `given` holds the other settings (`runs.settings.Given`); `server` as for `model_of`.
    """
    answering = model_of(model, **server)
    spec = model if isinstance(model, str) else answering.name
    settings = Settings.of(items=source_of(items), model=spec, **given)
    return settings, given_items(items, settings), answering


def items_of(items: Items, **given: Any) -> ItemSet:
    """The items that are meant; `given` holds settings that choose rows of them."""
    settings = Settings.of(items=source_of(items), model=NO_MODEL, **given)
    found = given_items(items, settings)
    return load_study_items(settings) if found is None else found


def given_items(items: object, settings: Settings) -> ItemSet | None:
    """The items where they are given themselves; None for the name of a file.

    Raises ItemsError for faulty rows, UsageError for what holds no rows.
    """
    if hasattr(items, "__fspath__") or isinstance(items, str):
        return None
    if isinstance(items, ItemSet):
        return sampled(items, settings.limit, settings.seed)
    return load_study_items(settings, rows_of(items))


def rows_of(items: Any) -> list[Mapping[str, Any]]:
    """The rows of a frame or a sequence of mappings; UsageError for anything else."""
    if hasattr(items, "to_dicts"):
        return list(items.to_dicts())
    if hasattr(items, "to_dict") and hasattr(items, "columns"):
        # In pandas, NaN stands for what is missing.
        known = items.astype(object).where(items.notna(), None)
        return list(known.to_dict("records"))
    if isinstance(items, Sequence) and all(isinstance(row, Mapping) for row in items):
        return list(items)
    raise UsageError(
        f"{type(items).__name__} holds no items.",
        hint="Give a file, a list of mappings, a polars or pandas frame, or an ItemSet.",
    )


def source_of(items: Items) -> str:
    if isinstance(items, str | Path):
        return str(items)
    return items.source or items.name if isinstance(items, ItemSet) else "(given)"


def model_of(model: ModelLike | None, **server: Any) -> Model:
    """The model that is meant, None for one not chosen yet; UsageError for what is none.

    `server` holds the options of a model behind a server, where it is named by a text.
    """
    if isinstance(model, str):
        return make_model(model, **server)
    if given := [name for name, value in server.items() if value is not None]:
        raise UsageError(f"{' and '.join(given)}: only for a model that is named by a text.")
    if model is None:
        return NoModel()
    if hasattr(model, "respond") and hasattr(model, "identity"):
        return model  # type: ignore[return-value]
    if callable(model):
        return CallableModel(model)
    raise UsageError(
        f"{type(model).__name__} is not a model.",
        hint="Give a text such as 'sim:oracle', a function from prompts to texts, or an object"
        " with the methods of horsesense.Model.",
    )

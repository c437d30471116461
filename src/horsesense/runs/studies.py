"""A study of several models and sets: one run each, in one folder with its `study.toml`.

Files that a study.toml names are looked for from the folder that it lies in, so that it means the
same wherever it is used.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Self

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, field_validator

from horsesense.errors import UsageError
from horsesense.files import read_settings, read_whole, usable, write_whole
from horsesense.inference.limits import Limits, prices
from horsesense.items.load import PACKAGED
from horsesense.runs.layout import RunLayout
from horsesense.runs.settings import Settings, misfits
from horsesense.runs.suites import suite_settings

FILE = "study.toml"
OURS = "# Written by horsesense, and written again by the next audit here.\n"
OWN = ("temperature", "top_p", "effort", "thinking_tokens", "max_tokens", "style", "takes_prefix")
"""Settings that a model of a study may have for itself; by the first four, its runs are told apart
where they are compared."""
MOST_RUNS = 10_000
LOCAL = ("hf", "replay")
"""Schemes of models that may be a path."""
PATHS = ("shots_from", "templates", "task")
"""Settings that may be a path."""


class StudyFile(BaseModel):
    """What is audited: every model on every set, and with every suite where several are named.

    Attributes:
        models, items: at least one of each. A model is a name, or a table of it (`model`) and of
            settings of its own (`OWN`), which go before those that all share.
        suites: named sets of probes, a run each; none for the probes of `settings`.
        shots: numbers of few-shot examples, a run each; none for that of `settings`.
        out: folder of the runs, in the one that study.toml lies in, which is it by default.
        price: of a million prompt and completion tokens, for a budget in money; "0.4,1.6" will do.
        settings: what all runs share, as in the section `settings` of a run's run.toml.

    Relative paths in them begin where study.toml lies, or in the working directory where the study
    was made of settings.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    models: tuple[str | dict[str, Any], ...] = Field(min_length=1)
    items: tuple[str, ...] = Field(min_length=1)
    suites: tuple[str, ...] = ()
    shots: tuple[Annotated[int, Field(ge=0)], ...] = ()
    out: str | None = None
    price: tuple[float, float] | None = None
    settings: dict[str, Any] = Field(default_factory=dict)
    _home: Path = PrivateAttr(default_factory=Path)

    @field_validator("models")
    @classmethod
    def _own(cls, models: tuple[str | dict[str, Any], ...]) -> tuple[str | dict[str, Any], ...]:
        for table in models:
            if not isinstance(table, str) and not {"model"} <= table.keys() <= {"model", *OWN}:
                raise ValueError(f"A table has model, and any of {', '.join(OWN)}")
        return models

    @field_validator("price", mode="before")
    @classmethod
    def _as_typed(cls, price: Any) -> Any:
        return prices(price) if isinstance(price, str) else price

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a study.toml; UsageError names each field that does not fit."""
        file = path / FILE if path.is_dir() else path
        try:
            found = cls.model_validate(read_settings(file))
        except FileNotFoundError:
            hint = 'It holds models = ["http:NAME"] and items = ["FILE"]; see docs/runs.md.'
            raise UsageError(f"There is no study {file}.", hint=hint) from None
        except ValidationError as error:
            raise UsageError(f"{file} does not fit: {misfits(cls, error)}.") from None
        except (OSError, ValueError) as error:
            raise UsageError.unreadable(file, error) from None
        found._home = file.parent
        return found

    @classmethod
    def of(cls, settings: Settings, *models: str) -> Self:
        """The study of these settings, of their own model unless others are named."""
        shared = settings.model_dump(mode="json", exclude_defaults=True)
        shared |= settings.model_dump(
            mode="json", include=set(suite_settings(settings.suite, settings.faithful))
        )
        named = {name: value for name, value in shared.items() if name not in ("items", "model")}
        return cls(models=models or (settings.model,), items=(settings.items,), settings=named)

    def priced(self, may: Limits) -> Self:
        """The same with the prices of these limits, so that the next command knows them."""
        price = (may.prompt_price, may.completion_price)
        return self.model_copy(update={"price": price}) if may.priced else self

    def save(self, folder: Path) -> None:
        """Write study.toml, which `load` reads; paths in it begin at `folder`.

        One that a person wrote stays as it is.
        """
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / FILE).exists() and read_whole(folder / FILE)[: len(OURS)] != OURS.encode():
            return
        values = self.model_dump(mode="json", exclude_none=True, exclude={"out"})
        moved = ((_moved_model(name, self._home, folder), own) for name, own in self._models())
        values["models"] = [{"model": name, **own} if own else name for name, own in moved]
        values["items"] = [_moved_items(items, self._home, folder) for items in self.items]
        values["settings"] = _moved_settings(values["settings"], self._home, folder)
        write_whole(folder / FILE, OURS + tomli_w.dumps(values))

    def folder(self, here: Path) -> Path:
        """The folder of the runs of a study in the folder `here`.

        UsageError where `out` leads out of it: a study of somebody else writes nowhere else.
        """
        place = usable(here / (self.out or ""))
        if not place.resolve().is_relative_to(here.resolve()):
            raise UsageError(
                f"The study writes to {self.out!r}, which is not in its own folder.",
                hint="Name that folder with --out, if this is meant.",
            )
        return place

    def runs(self, folder: Path) -> Iterator[tuple[Path, Settings]]:
        """The directory and the settings of every run.

        A folder that is a run itself (its record lies beside study.toml) is that of the only one.

        Raises UsageError where settings do not fit, two runs would share a directory, or the
        directory of one is a link.
        """
        if alone := RunLayout(folder).record.is_file():
            self._refuse_several(folder)
        several = (self.models, self.items, self.suites, self.shots)
        if (number := math.prod(len(names) or 1 for names in several)) > MOST_RUNS:
            raise UsageError(f"The study has {number:,} runs; at most {MOST_RUNS:,} are asked.")
        taken: dict[Path, str] = {}
        sets = dict(zip(self.items, _names_apart(self.items, self._home), strict=True))
        chosen = product(
            sets.items(), self._models(), self.suites or (None,), self.shots or (None,)
        )
        for (items, short), (model, own), suite, shots in chosen:
            examples = None if shots is None else f"{shots}-shot"
            settings = (slug(f"{name}-{value}") for name, value in own.items())
            parts = (_model_name(model, self._home), *settings, short, suite, examples)
            name = "-".join(filter(None, parts))
            place, told = folder if alone else folder / name, f"{model} on {items}"
            if place in taken:
                raise UsageError(
                    f"{taken[place]} and {told} are both {name}.",
                    hint="Name each once, or put one into a study of its own.",
                )
            if place.is_symlink() and not alone:
                raise UsageError(f"{place} is a link; the runs of a study are not.")
            taken[place] = told
            own = {**own, "suite": suite, "shots": shots}
            yield place, self._settings_of(model, items, own)

    def _models(self) -> list[tuple[str, dict[str, Any]]]:
        """Every model with the settings of its own."""
        tables = ({"model": one} if isinstance(one, str) else dict(one) for one in self.models)
        return [(table.pop("model"), table) for table in tables]

    def _settings_of(self, model: str, items: str, own: Mapping[str, Any]) -> Settings:
        """The settings of one run, with paths that hold from the working directory."""
        values = _moved_settings(self.settings, self._home, Path())
        values["items"] = _moved_items(items, self._home, Path())
        values["model"] = _moved_model(model, self._home, Path())
        values |= {name: value for name, value in own.items() if value is not None}
        return Settings.of(**values)

    def _refuse_several(self, folder: Path) -> None:
        """UsageError where a study names several runs, whose folder is a single one."""
        if any(len(names) > 1 for names in (self.models, self.items, self.suites, self.shots)):
            inside = (folder.parent / FILE).is_file()
            wanted = (
                f"--out {folder.parent}, the study that it is in" if inside else "another --out"
            )
            raise UsageError(
                f"{folder} is a single run, and this study has several.", hint=f"Give {wanted}."
            )


def slug(text: str) -> str:
    """A file name made of letters, digits, dots and dashes.

    >>> slug("http:org/name@http://localhost:8000/v1")
    'http-org-name-http-localhost-8000-v1'
    """
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.")[:60] or "x"


def _moved(path: str, old: Path, new: Path) -> str:
    """A relative path that is there from `old`, as it is written from `new`; others as they are."""
    if Path(path).is_absolute() or not os.path.exists(old / path):  # nor of a name too long
        return path
    place = (old / path).resolve()
    try:
        return os.path.relpath(place, new.resolve())
    except ValueError:  # on another drive
        return str(place)


def _moved_items(items: str, old: Path, new: Path) -> str:
    """The same of items: a file, or `hf:./directory` with what follows it."""
    if items in PACKAGED:
        return items
    if not items.startswith("hf:"):
        return _moved(items, old, new)
    directory = re.match(r"hf:(\.[^@:]*)", items)
    if directory is None:
        return items
    moved = _moved(directory[1], old, new)
    dotted = moved if moved.startswith((".", "/")) else f"./{moved}"
    return f"hf:{dotted}{items[directory.end() :]}"


def _moved_model(model: str, old: Path, new: Path) -> str:
    """The same of a model that is a file or directory, such as `replay:FILE?model=NAME`."""
    scheme, path, query = _model_parts(model)
    return f"{scheme}:{_moved(path, old, new)}{query}" if scheme in LOCAL else model


def _moved_settings(settings: dict[str, Any], old: Path, new: Path) -> dict[str, Any]:
    """The same of the settings that name files."""
    files = {name: settings[name] for name in PATHS if isinstance(settings.get(name), str)}
    return settings | {name: _moved(path, old, new) for name, path in files.items()}


def _model_parts(model: str) -> tuple[str, str, str]:
    """Scheme, name or path, and the query with its question mark."""
    scheme, _, rest = model.partition(":")
    path, mark, query = rest.partition("?")
    return scheme, path, mark + query


def _model_name(model: str, home: Path) -> str:
    """A model in the name of a run: of a local one, the last part of its path."""
    scheme, path, query = _model_parts(model)
    if scheme in LOCAL and os.path.exists(home / path):
        return slug(f"{scheme}:{Path(path).name}{query}")
    return slug(model)


def _names_apart(sets: tuple[str, ...], home: Path) -> list[str]:
    """A name for each set: what is unlike the names before it, with its folder where needed."""
    names: list[str] = []
    for items in sets:
        path, known = usable(home / items).resolve(), [items.removeprefix("hf:")]
        if not items.startswith("hf:"):
            short, folder = Path(items).name.split(".")[0], path.parent
            known = [short, f"{folder.name}-{short}", f"{folder.name}-{path.name}"]
            known.append(f"{folder.parent.name}-{folder.name}-{path.name}")
        names.append(next((n for n in map(slug, known) if n not in names), slug(known[0])))
    return names


def run_folders(folder: Path) -> list[Path]:
    """The runs in a folder, such as a study's, by name; empty where it is a run itself."""
    if RunLayout(folder).record.is_file():
        return []
    return sorted(path.parent for path in folder.glob("*/run.toml"))

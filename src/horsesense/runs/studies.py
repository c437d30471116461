"""A study of several models and sets: one run each, in one folder with its `study.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from horsesense.errors import UsageError
from horsesense.files import read_settings, write_whole
from horsesense.runs.layout import Layout
from horsesense.runs.settings import Settings

FILE = "study.toml"


class Study(BaseModel):
    """What is audited: every model on every set, and with every suite where several are named.

    Attributes:
        models, items: at least one of each.
        suites: named sets of probes, a run each; none for the probes of `settings`.
        out: folder of the runs, in the one that study.toml lies in, which is it by default.
        settings: what all runs share, as in the section `settings` of a run's run.toml.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    models: tuple[str, ...] = Field(min_length=1)
    items: tuple[str, ...] = Field(min_length=1)
    suites: tuple[str, ...] = ()
    out: str | None = None
    settings: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a study.toml; UsageError names each field that does not fit."""
        file = path / FILE if path.is_dir() else path
        try:
            return cls.model_validate(read_settings(file))
        except FileNotFoundError:
            hint = 'It holds models = ["http:NAME"] and items = ["FILE"]; see docs/runs.md.'
            raise UsageError(f"There is no study {file}.", hint=hint) from None
        except ValidationError as error:
            faults = (f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
            raise UsageError(f"{file} does not fit: " + "; ".join(faults)) from None
        except (OSError, ValueError) as error:
            raise UsageError(f"{file} cannot be read: {error}") from None

    @classmethod
    def of(cls, settings: Settings, *models: str) -> Self:
        """The study of these settings, of their own model unless others are named."""
        shared = settings.model_dump(mode="json", exclude_defaults=True)
        named = {name: value for name, value in shared.items() if name not in ("items", "model")}
        return cls(models=models or (settings.model,), items=(settings.items,), settings=named)

    def save(self, folder: Path) -> None:
        """Write study.toml, which `load` reads."""
        values = self.model_dump(mode="json", exclude_none=True, exclude={"out"})
        write_whole(folder / FILE, tomli_w.dumps(values))

    def folder(self, here: Path) -> Path:
        """The folder of the runs of a study in the folder `here`.

        UsageError where `out` leads out of it: a study of somebody else writes nowhere else.
        """
        place = here / (self.out or "")
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
        if Layout(folder).record.is_file():
            yield folder, self._only(folder)
            return
        taken: dict[Path, str] = {}
        for items in self.items:
            for model in self.models:
                for suite in self.suites or (None,):
                    values = {**self.settings, "items": items, "model": model}
                    values |= {} if suite is None else {"suite": suite}
                    name = "-".join(filter(None, (slug(model), slug(_set_name(items)), suite)))
                    told = f"{model} on {items}"
                    if folder / name in taken:
                        raise UsageError(f"{taken[folder / name]} and {told} are both {name}.")
                    if (folder / name).is_symlink():
                        raise UsageError(f"{folder / name} is a link; the runs of a study are not.")
                    taken[folder / name] = told
                    yield folder / name, Settings.of(**values)

    def _only(self, folder: Path) -> Settings:
        """The settings of a study that is a single run; UsageError where it names several."""
        if any(len(names) > 1 for names in (self.models, self.items, self.suites)):
            raise UsageError(
                f"{folder} is a single run, and its {FILE} names several.",
                hint="Give another folder with --out.",
            )
        values = {**self.settings, "items": self.items[0], "model": self.models[0]}
        return Settings.of(**values | ({"suite": self.suites[0]} if self.suites else {}))


def slug(text: str) -> str:
    """A file name made of letters, digits, dots and dashes.

    >>> slug("http:org/name@http://localhost:8000/v1")
    'http-org-name-http-localhost-8000-v1'
    """
    return re.sub(r"[^A-Za-z0-9.]+", "-", text).strip("-.")[:60] or "x"


def _set_name(items: str) -> str:
    """The last part of a file's name, or of a hub set's with its configuration."""
    return Path(items).name.split(".")[0] if not items.startswith("hf:") else items[3:]


def run_folders(folder: Path) -> list[Path]:
    """The runs in a study's folder, by name; empty where it is none."""
    if not (folder / FILE).is_file() or Layout(folder).record.is_file():
        return []
    return sorted(path.parent for path in folder.glob("*/run.toml"))

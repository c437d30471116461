"""`run.toml`: what a run is, and what each stage has done."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any, Literal

import tomli_w
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from horsesense.errors import StoreError
from horsesense.files import read_settings
from horsesense.kept import keep, read_kept
from horsesense.models.base import Capabilities, Model, NeedsAnswerKey
from horsesense.runs.layout import SHARDS, version_one
from horsesense.runs.settings import Settings
from horsesense.version import __version__

FORMAT = 2
"""Version of the layout of a run directory; 0.1.0 wrote 1, which had no number."""

DAMAGED = (
    "The answers are safe in store.sqlite. Restore the file from a copy, or run the same audit with"
    " another --out."
)
"""What to do where the run's own files are damaged."""

State = Literal["begun", "complete", "stopped", "failed"]
Stage = Literal["ask", "read", "measure", "report"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelRecord(_Frozen):
    """Which model answered, and what it offered.

    Attributes:
        name: short name for tables.
        identity: all that determines its answers; part of every request key.
        capabilities: fields of `models.base.Capabilities`.
        informed: whether it is told the trial behind a request, as simulations are.
    """

    name: str
    identity: str
    informed: bool = False
    capabilities: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def of(cls, model: Model, capabilities: Capabilities) -> ModelRecord:
        informed = isinstance(model, NeedsAnswerKey)
        return cls.named(model.name, model.identity, capabilities, informed=informed)

    @classmethod
    def named(
        cls, name: str, identity: str, capabilities: Capabilities, *, informed: bool = False
    ) -> ModelRecord:
        """The record of a model that is not here, such as one whose log was imported."""
        found = {name: value for name, value in asdict(capabilities).items() if value is not None}
        return cls(name=name, identity=identity, informed=informed, capabilities=found)

    @property
    def offers(self) -> Capabilities:
        known = {f.name for f in fields(Capabilities)}
        found = {name: value for name, value in self.capabilities.items() if name in known}
        return Capabilities(**{**found, "notes": tuple(found.get("notes", ()))})


class ItemsRecord(_Frozen):
    """Which items were asked; they lie in items.json."""

    name: str
    fingerprint: str
    count: int


class StageRecord(_Frozen):
    """What a stage has done.

    Attributes:
        state: begun, complete, stopped (by a budget or by the user) or failed.
        reason: why it stopped; of measuring, what was measured (`runs.made_of`).
    """

    state: State
    reason: str = ""

    @property
    def ended(self) -> str:
        """What ended it before its goal; "" for nothing. What never said how it ended, as a
        process that was killed, was interrupted."""
        return "interrupted" if self.state == "begun" else self.reason


class RunRecord(_Frozen):
    """What run.toml holds.

    Attributes:
        format: version of the directory's layout.
        horsesense: the version that wrote it.
        kind: asked (by us), imported (from another program's log), people (who took a test) or
            merged.
        settings, items, model: what was asked, about what, and whom.
        asked_for: readers whose needs the requests were written for.
        readers: reader -> version, of the readings that measures are taken from.
        stages: stage -> what it has done.
        answers, last_answer: how many the store held when a stage was marked last, and the key of
            the last one; 0 in runs of earlier versions. A store that has less has lost some.
    """

    format: int = FORMAT
    horsesense: str = __version__
    kind: Literal["asked", "imported", "people", "merged"] = "asked"
    settings: Settings
    items: ItemsRecord
    model: ModelRecord
    asked_for: tuple[str, ...] = ()
    readers: dict[str, str] = Field(default_factory=dict)
    stages: dict[Stage, StageRecord] = Field(default_factory=dict)
    answers: Annotated[int, Field(ge=0)] = 0
    last_answer: Annotated[str, Field(pattern=r"^([0-9a-f]{2})*$")] = ""

    def with_stage(self, stage: Stage, state: State, reason: str = "") -> RunRecord:
        """The record after a stage; what later stages had done no longer holds."""
        order: tuple[Stage, ...] = ("ask", "read", "measure", "report")
        kept = {s: self.stages[s] for s in order[: order.index(stage)] if s in self.stages}
        changed = {**kept, stage: StageRecord(state=state, reason=reason)}
        return self.model_copy(update={"stages": changed, "horsesense": __version__})

    def save(self, path: Path) -> None:
        """Write run.toml whole; StoreError where the disk refuses."""
        keep(path, tomli_w.dumps(self.model_dump(mode="json", exclude_none=True)))

    @classmethod
    def load(cls, path: Path) -> RunRecord:
        """Read run.toml; StoreError if it is missing, damaged or of a later format."""
        try:
            content = read_settings(path, inside=True)
            read_kept(path)
        except (FileNotFoundError, NotADirectoryError):
            raise not_a_run(path.parent) from None
        except (OSError, ValueError) as error:
            raise StoreError.unreadable(path, error, DAMAGED) from None
        if isinstance(found := content.get("format"), int) and found > FORMAT:
            raise StoreError(
                f"{path.parent} has the format {found}; this horsesense knows {FORMAT}.",
                hint="It was written by a newer horsesense: upgrade.",
            )
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            raise StoreError.unreadable(path, error, DAMAGED) from None


def not_a_run(folder: Path) -> StoreError:
    """The error for what has no run.toml: a file, or another directory."""
    if folder.is_file():
        return StoreError(
            f"{folder} is a file, not a run directory.",
            hint="Name the directory that `audit --out` wrote.",
        )
    if inner := sorted(path.parent.name for path in folder.glob("*/run.toml")):
        shards = b"\nshard = " in (folder / inner[0] / "run.toml").read_bytes()
        merge = f"horsesense merge RUN.*/{inner[0]} --out MERGED/{inner[0]}"
        return StoreError(
            f"{folder} is not a run but holds {len(inner)}: {', '.join(inner)}.",
            hint="Name one of them." + f" To merge shards, model by model: {merge}" * shards,
        )
    if any(folder.glob(f"{SHARDS}/*/store.sqlite")):
        return StoreError(
            f"{folder} is not a run yet: its workers stored answers, and the command that gathers"
            " them was killed.",
            hint="The same audit command continues it. For a report of what is there: horsesense"
            f" merge {folder / SHARDS}/*-of-* --out ANOTHER",
        )
    if version_one(folder):
        return StoreError(
            f"{folder} is a run of horsesense 0.1.0, which is to be converted first.",
            hint=f"horsesense report {folder} converts it.",
        )
    beside = ", ".join(sorted(path.parent.name for path in folder.parent.glob("*/run.toml"))[:9])
    there = f"Runs in {folder.parent}: {beside}." if beside else ""
    return StoreError(
        f"{folder} is not a run directory: it has no run.toml.",
        hint=there or "Name the directory that `horsesense audit --out` wrote.",
    )

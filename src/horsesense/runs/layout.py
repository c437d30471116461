"""Where everything lies in a run directory."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from horsesense.files import refuse_links, regular, usable
from horsesense.kept import NAME as MANIFEST
from horsesense.rng import fingerprint
from horsesense.side import side


class _In:
    """A file or folder of a run, by its name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, run: RunLayout, kind: type) -> Path:
        return run.root / self._name


@dataclass(frozen=True, slots=True)
class RunLayout:
    """The paths of a run directory.

    run.toml              what the run is, and what each stage has done
    items.json            the items as they were audited, and the few-shot examples
    store.sqlite          requests and responses
    asked.json            what asking settled: conditions, exclusions, counts
    name                  by which a copy of the run is known as the same one
    merged.json           what the parts spent that became one with it
    shards/               of a run that workers ask: the stores of its shards
    trials/stage-N/       what was asked about which item
    readings/READER/      what one reader understood; stage-N/ as the trials
    reviews.json          what people decided
    sample.json           what a person found replies to say, drawn at random
    imported.json         of an import: the logs, and what they report of themselves
    people.json           of a test that people took: its booklets
    recorded/             of an import: what the logs' scorers made of each answer
    estimates.json, report.html
    manifest              digests of these files, by which damage is seen
    """

    root: Path

    @classmethod
    def at(cls, place: str | Path) -> Self:
        """The layout of a run that lies at `place`, or will.

        Raises:
            UsageError: the path cannot be used.
            StoreError: a part of it is a link, a pipe or a device. What is written into a run stays
                in it, and what is read from it ends.
        """
        root = usable(place)
        if root.is_dir():
            refuse_links(path for path in root.iterdir() if is_of_run(path.name))
        return cls(root)

    record = _In("run.toml")
    items = _In("items.json")
    store = _In("store.sqlite")
    asked = _In("asked.json")
    name = _In("name")
    trials = _In("trials")
    readings = _In("readings")
    imported = _In("imported.json")
    labels = _In("sample.json")
    people = _In("people.json")
    recorded = _In("recorded")
    estimates = _In("estimates.json")
    report = _In("report.html")

    @property
    def tables(self) -> tuple[Path, ...]:
        """The folders that hold nothing but tables of the run."""
        return self.trials, self.readings, self.recorded

    def trials_of(self, stage: int) -> Path:
        return self.trials / f"stage-{stage}"

    def readings_of(self, reader: str, version: str) -> Path:
        """The folder of one version of one reader; a hash keeps alike names apart."""
        slug = re.sub(r"[^A-Za-z0-9_.-]+", "-", reader)[:40].strip(".-")
        return self.readings / f"{slug}-{fingerprint([reader, version])}"


SHARDS = "shards"
"""Folder of a run that workers ask, in which the stores of its shards lie."""


def left_by_workers(layout: RunLayout) -> bool:
    """Whether stores of shards lie in a run: those of a driver that works, or was killed."""
    return any((layout.root / SHARDS).glob("*/store.sqlite"))


_OURS = (
    *("run.toml", "items.json", "asked.json", "trials", "readings", "reviews.json", "sample.json"),
    *("imported.json", "recorded", "people.json", "estimates.json", "report.html", "redacted.json"),
    *("study.toml", "trials.parquet", "readings.parquet", "0.1.0", "name", "merged.json", SHARDS),
    MANIFEST,
)


def is_of_run(name: str) -> bool:
    """Whether a name in a run directory is one that is read or written; others may be anything."""
    unfinished = name.startswith(".") and name.endswith((".part", ".old", ".new"))
    return name in _OURS or name.startswith("store.") or unfinished


VERSION_ONE = ("study.toml", "trials.parquet", "readings.parquet")
"""Files of a run of 0.1.0 that have no place in one of today."""
ASIDE = "0.1.0"
"""Folder in which they are kept."""


def version_one(root: Path) -> list[Path]:
    """The files of a run of 0.1.0 that lie in a directory: a study.toml of today is none."""
    found = [root / name for name in VERSION_ONE if (root / name).exists()]
    return [path for path in found if path.name != "study.toml" or not _is_of_today(path)]


def _is_of_today(study: Path) -> bool:
    """Whether a study.toml names models, as in `runs.studies`, and not the one of a run."""
    return re.search(rb"^models\s*=", regular(study).read_bytes(), re.MULTILINE) is not None


def convert_if_old(root: Path, **how: str) -> None:
    """Convert a run of 0.1.0, once; see `horsesense_extras.old_runs`, which does it."""
    root = RunLayout.at(root).root  # which refuses links
    if version_one(root) or (root / ASIDE).is_dir():
        side("runs", "convert_if_old")(root, **how)


def put_aside(root: Path) -> None:
    """Move the files of a run of 0.1.0 out of the way of one of today."""
    for path in version_one(root):
        (root / ASIDE).mkdir(exist_ok=True)
        os.replace(path, root / ASIDE / path.name)


PART: Final = r"[0-9]{6,9}\.parquet"
"""Name of a part of a table. A copy that a program for backups leaves beside it is none."""


def parts_of(folder: Path) -> list[Path]:
    """The parts of a table in their order; none where the folder is missing."""
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(path for path in found if re.fullmatch(PART, path.name))

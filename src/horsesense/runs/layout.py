"""Where everything lies in a run directory."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from horsesense.rng import fingerprint


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of a run directory.

    run.toml              what the run is, and what each stage has done
    items.json            the items as they were audited, and the few-shot examples
    store.sqlite          requests and responses
    asked.json            what asking settled: conditions, exclusions, counts
    trials/stage-N/       what was asked about which item
    readings/READER/      what one reader understood; stage-N/ as the trials
    reviews.json          what people decided
    estimates.json, report.html
    """

    root: Path

    @property
    def record(self) -> Path:
        return self.root / "run.toml"

    @property
    def items(self) -> Path:
        return self.root / "items.json"

    @property
    def store(self) -> Path:
        return self.root / "store.sqlite"

    @property
    def asked(self) -> Path:
        return self.root / "asked.json"

    @property
    def trials(self) -> Path:
        return self.root / "trials"

    @property
    def readings(self) -> Path:
        return self.root / "readings"

    @property
    def estimates(self) -> Path:
        return self.root / "estimates.json"

    @property
    def report(self) -> Path:
        return self.root / "report.html"

    def trials_of(self, stage: int) -> Path:
        return self.trials / f"stage-{stage}"

    def readings_of(self, reader: str, version: str) -> Path:
        """The folder of one version of one reader; a hash keeps alike names apart."""
        slug = re.sub(r"[^A-Za-z0-9_.-]+", "-", reader)[:40].strip(".-")
        return self.readings / f"{slug}-{fingerprint([reader, version])}"


def parts_of(folder: Path) -> list[Path]:
    """The parts of a table in their order; none where the folder is missing."""
    return sorted(folder.glob("[0-9]*.parquet")) if folder.is_dir() else []

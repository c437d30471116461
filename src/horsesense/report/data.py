"""What a report is made from: the findings of a run, ready to be asked for by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from horsesense.errors import StoreError, UsageError
from horsesense.items.item import ItemSet
from horsesense.measures.base import Estimate
from horsesense.runs.settings import Settings
from horsesense.trials.condition import Condition

WORDS: Mapping[str, str] = {"added": "{} added"}
"""Settings of conditions whose value says too little alone."""
UNDERSTOOD = ("answer", "none", "refusal", "unknown")
"""Statuses of replies whose meaning is known, whether they choose an option or not."""


@dataclass(frozen=True)
class Run:
    """The findings of a run directory.

    Attributes:
        out: the run directory.
        findings: the content of estimates.json, but for the estimates.
        estimates: all of them, in the order in which they were made.
        items: what was asked about.
    """

    out: Path
    findings: Mapping[str, Any]
    estimates: tuple[Estimate, ...]
    items: ItemSet

    @classmethod
    def load(cls, out: Path, items: ItemSet | None = None) -> Run:
        """Read a run directory.

        Raises StoreError if no finished run lies there, ItemsError or UsageError if its items
        cannot be read or are no longer the ones that were asked.
        """
        path = out / "estimates.json"
        try:
            findings = orjson.loads(path.read_bytes())
        except FileNotFoundError:
            raise StoreError(
                f"{out} holds no finished run: it has no {path.name}.",
                hint="Finish the run with `horsesense audit ... --out` and this directory.",
            ) from None
        except orjson.JSONDecodeError as error:
            raise StoreError(f"{path}: {error}", hint="Run the audit again to write it.") from None
        estimates = tuple(map(Estimate.from_json, findings.pop("estimates")))
        items = reload_items(out) if items is None else items
        if items.fingerprint != findings["dataset"]["fingerprint"]:
            raise UsageError(
                f"The items in {items.source or items.name} are not those of the run in {out}.",
                hint="Bring the items of the run back, or audit the new ones into a new directory.",
            )
        return cls(out, findings, estimates, items)

    @cached_property
    def readers(self) -> list[str]:
        """Readers that had something to read, in the order of the settings."""
        found = {e.reader for e in self.estimates if e.n}
        return [name for name in self.findings["readers"] if name in found]

    @cached_property
    def reader(self) -> str:
        """The main reader: the text where most replies can be understood from it.

        Otherwise the first of the other readers that read anything.
        """
        understood = [
            e.value
            for e in self.all("status_share", "original", reader="text")
            if e.group in UNDERSTOOD and e.value is not None
        ]
        if sum(understood) >= 0.5:
            return "text"
        others = [name for name in self.readers if name != "text"]
        return (others or self.readers or self.findings["readers"])[0]

    @cached_property
    def _index(self) -> dict[tuple[str, str, str], list[Estimate]]:
        index: dict[tuple[str, str, str], list[Estimate]] = {}
        for e in self.estimates:
            index.setdefault((e.measure, e.probe, e.reader), []).append(e)
        return index

    def all(self, measure: str, probe: str, reader: str | None = None) -> list[Estimate]:
        """Defined estimates of a measure under a probe, by the main reader unless another."""
        found = self._index.get((measure, probe, reader or self.reader), ())
        return [e for e in found if e.value is not None]

    def one(
        self, measure: str, probe: str = "original", *, reader: str | None = None, **where: object
    ) -> Estimate | None:
        """The first defined estimate of a measure under a probe; `where` selects further."""
        found = (e for e in self.all(measure, probe, reader) if e.fits(**where))
        return next(found, None)

    def everywhere(self, measure: str, reader: str | None = None) -> list[Estimate]:
        """Defined estimates of a measure under every probe, in the order of the probes."""
        return [e for name in self.probes for e in self.all(measure, name, reader)]

    @cached_property
    def missing(self) -> list[Estimate]:
        """Valid rates, defined or not, of the cells in which trials have no reading."""
        return [
            e
            for e in self.estimates
            if e.measure == "valid_rate" and e.reader == self.reader and e.n_missing
        ]

    @cached_property
    def probes(self) -> dict[str, Mapping[str, Any]]:
        """What each probe declares, by name."""
        return {probe["name"]: probe for probe in self.findings["probes"]}

    @property
    def asked(self) -> list[Mapping[str, Any]]:
        """The probes that apply to at least one item."""
        return [probe for name, probe in self.probes.items() if name in self._conditions]

    @cached_property
    def _conditions(self) -> dict[str, list[Condition]]:
        seen: dict[str, dict[Condition, None]] = {}
        for e in self.estimates:
            seen.setdefault(e.probe, {})[e.condition] = None
        return {probe: list(conditions) for probe, conditions in seen.items()}

    def label(self, probe: str, condition: Condition) -> str:
        """A probe and, where it has several conditions, what sets this one apart."""
        apart = self.setting(probe, condition)
        title = str(self.probes[probe]["title"])
        return f"{title}: {apart}" if apart else title

    def setting(self, probe: str, condition: Condition) -> str:
        """What sets a condition apart from the others of its probe; "" where it is the only one."""
        others = self._conditions[probe]
        return ", ".join(
            WORDS.get(name, "{}").format(value)
            for name, value in condition.settings
            if not all(other.matches(**{name: value}) for other in others)
        )


def reload_items(out: Path) -> ItemSet:
    """The items of a run directory, read again from where the run had them."""
    from horsesense.runs.prepare import load_study_items

    return load_study_items(Settings.load(out / "study.toml"))

"""What was measured of a run: its estimates and findings, ready to be asked for by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson

from horsesense.errors import StoreError, UsageError
from horsesense.findings.finding import Finding
from horsesense.findings.places import Number
from horsesense.findings.uncounted import (
    CHOOSING,
    Missing,
    also_counted,
    each_reason,
    lack,
    named,
    not_covered,
    of_gold,
)
from horsesense.findings.wording import in_words, labelled
from horsesense.items.item import ItemSet
from horsesense.kept import read_kept
from horsesense.measures.base import Estimate
from horsesense.measures.cells import HELD_OUT
from horsesense.measures.graded import GRADED, losses
from horsesense.readers.causes import Loss
from horsesense.runs.directory import RunDirectory
from horsesense.runs.record import StageRecord
from horsesense.trials.condition import Condition

SELECTORS = ("condition", "reader", "group")
"""What an estimate can be selected by, besides measure and probe."""
_HELD: Mapping[str, type] = {
    **dict.fromkeys(("readers", "probes"), list),
    **dict.fromkeys(("dataset", "model", "study"), dict),
    "trials": int,
}
"""What `findings` always hold."""
UNDERSTOOD = ("answer", "none", "refusal", "unknown")
"""Statuses of replies whose meaning is known, whether they choose an option or not."""


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """What was measured of a run, ready to be asked for by name.

    Attributes:
        directory: the run.
        findings: what estimates.json holds, but for the estimates.
        estimates: all of them, in the order in which they were made.
    """

    directory: RunDirectory
    findings: Mapping[str, Any]
    estimates: tuple[Estimate, ...]

    @classmethod
    def load(cls, directory: RunDirectory) -> Results:
        """Read estimates.json; StoreError if there is none, it is damaged, or answers were lost."""
        directory.check_answers()
        path = directory.layout.estimates
        try:
            findings = orjson.loads(read_kept(path))
            rows = findings.pop("estimates")
            estimates = tuple(map(Estimate.from_json, rows))
            _check(findings)
        except FileNotFoundError:
            raise StoreError(
                f"{directory.layout.root} has not been measured yet.",
                hint=f"horsesense report {directory.layout.root} measures what there is.",
            ) from None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, UsageError) as error:
            hint = f"horsesense report {directory.layout.root} writes it again."
            raise StoreError.unreadable(path, error, hint) from None
        return cls(directory, findings, estimates)

    def __repr__(self) -> str:
        place = str(self.directory.layout.root)
        return f"Results({len(self.estimates):,} estimates of the run in {place!r})"

    @cached_property
    def verdict(self) -> tuple[Finding, ...]:
        """What was found, cannot be told and was ruled out; empty for runs measured before."""
        return tuple(Finding.from_json(row) for row in self.findings.get("verdict", ()))

    @property
    def items(self) -> ItemSet:
        return self.directory.items

    @property
    def imported(self) -> bool:
        """Whether the answers come from logs of another program."""
        return self.directory.known.kind == "imported"

    def select(self, measure: str, probe: str | None = None, **where: str) -> list[Estimate]:
        """Estimates by measure, probe and any of condition, reader and group, as text."""
        wanted = {"measure": measure, **({} if probe is None else {"probe": probe}), **where}
        return [e for e in self.estimates if e.fits(**wanted)]

    def estimate(self, measure: str, probe: str = "original", **where: str) -> Estimate:
        """The one estimate of a measure under a probe.

        `where` selects by condition, reader or group. UsageError suggests what is meant where
        there is none, and lists what there is where there are several.
        """
        unknown = [name for name in where if name not in SELECTORS]
        if unknown:
            raise UsageError.unknown("selector", unknown[0], SELECTORS)
        found = self.select(measure, probe, **where)
        if len(found) == 1:
            return found[0]
        if not found:
            raise self._missing(measure, probe, where)
        lines = [
            ", ".join(f"{name}={str(getattr(e, name))!r}" for name in SELECTORS) for e in found
        ]
        raise UsageError(
            f"{len(found)} estimates of {measure} under {probe} match:\n  "
            + "\n  ".join(lines[:20]),
            hint="Name the condition, reader or group.",
        )

    def _missing(self, measure: str, probe: str, where: Mapping[str, str]) -> UsageError:
        known = {e.measure for e in self.estimates}
        if measure not in known:
            return UsageError.unknown("measure in this run", measure, known)
        probes = {e.probe for e in self.estimates if e.measure == measure}
        if probe not in probes:
            return UsageError.unknown(f"probe with {measure} in this run", probe, probes)
        rest = [e for e in self.estimates if (e.measure, e.probe) == (measure, probe)]
        for name, value in where.items():
            values = {str(getattr(e, name)) for e in rest}
            if value not in values:
                return UsageError.unknown(f"{name} of {measure} under {probe}", value, values)
        return UsageError(f"No estimate of {measure} under {probe} matches {dict(where)}.")

    @cached_property
    def readers(self) -> list[str]:
        """Readers that had something to read, in the order of the settings."""
        # As graded, a reply that nobody read has a number too.
        found = {e.reader for e in self.estimates if e.n and not e.measure.endswith(GRADED)}
        return [name for name in self.findings["readers"] if name in found]

    @cached_property
    def reader(self) -> str:
        """The main reader: a cascade where there is one, which reads what the text does and more.

        Else the text where most replies can be understood from it; otherwise the first of the
        other readers, if it reads a choice in more of them. Of an audit that may stop early it is
        the one that decided, which was settled before.
        """
        if "until" in self.findings:
            return str(self.findings["until"]["reader"])
        cascade = next((name for name in self.readers if name.startswith("cascade:")), None)
        if cascade is not None:
            return cascade
        understood = [
            e.value
            for e in self.all("status_share", "original", reader="text")
            if e.group in UNDERSTOOD and e.value is not None
        ]
        if sum(understood) >= 0.5:
            return "text"
        others = [name for name in self.readers if name != "text"]
        if others and self._chose(others[0]) <= self._chose("text"):
            return "text"  # what spoilt the words spoilt the scores too
        if others or self.readers:
            return (others or self.readers)[0]
        known: list[str] = self.findings["readers"]  # nothing was read, though all may be unclear
        if not known:
            raise StoreError("No reply has been read yet.", hint="The same audit goes on.")
        return "text" if "text" in known else known[0]

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

    @cached_property
    def score(self) -> Estimate | None:
        """The score in the original order: as graded, where it was measured and none may stop."""
        graded = None if "until" in self.findings else self.one("accuracy_as_graded")
        return graded or self.one("accuracy")

    def replies(self, probe: str = "original", reader: str | None = None) -> Mapping[str, Any]:
        """What became of the prompts of a form, by the main reader (`measures.graded`); empty for
        runs measured before."""
        wanted = probe, reader or self.reader
        rows = self.findings.get("replies", ())
        return next((row for row in rows if (row["probe"], row["reader"]) == wanted), {})

    def losses(self) -> dict[str, Loss]:
        """What was lost under each probe (`measures.graded.losses`); empty for runs measured
        before."""
        return losses(self.findings.get("replies", ()), self.reader)

    def _chose(self, reader: str) -> float:
        """In how many replies to the items as published a reader reads a choice; of the text -1 in
        runs measured before, in which that is not known."""
        causes = self.replies(reader=reader).get("causes")
        return float(causes.get("choice", 0) if causes else -(reader == "text"))

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

    def silent(self, e: Number) -> tuple[int, int]:
        """How many of the trials that an estimate lacks were not asked, and how many failed."""
        rows = self._unanswered(e)
        return sum(row["not_asked"] for row in rows), sum(row["failed"] for row in rows)

    def lost_shares(self, e: Number) -> tuple[float, float]:
        """The shares of the prompts of an estimate that were not asked, and that failed."""
        unasked, failed = self.silent(e)
        # A record of an earlier version does not say of how many.
        whole = sum(row.get("prompts", 0) for row in self._unanswered(e)) or unasked + failed or 1
        return unasked / whole, failed / whole

    def _unanswered(self, e: Number) -> list[Mapping[str, int]]:
        """What the forms of an estimate lack, several where it is a mean over forms.

        Of items with a right answer alone, where the measure is about these.
        """
        forms = [
            (Condition.parse(row["condition"]), row)
            for row in self.findings.get("unanswered", ())
            if row["probe"] == e.probe
        ]
        # A form of its own may have further settings of others as well.
        own = [row for condition, row in forms if condition == e.condition]
        rows = own or [row for condition, row in forms if condition.matches(**e.condition)]
        if not of_gold(e.measure):
            return rows
        goldless = [row.get("goldless", {}) for row in rows]
        return [
            {name: row[name] - n for name, n in out.items()} or row
            for row, out in zip(rows, goldless, strict=True)
        ]

    def missing_of(self, e: Estimate) -> Missing:
        """Why the trials that an estimate lacks are missing."""
        return Missing.of(e.n_missing, self.silent(e), unfinished=bool(self.unfinished))

    def not_covered(self, e: Number) -> str:
        """Which items the reader of an estimate says nothing of, in words; "" where there is none.

        Of those with a right answer, where the measure is about these; of a share of replies that
        choose an option, also that items without one count.
        """
        return "; ".join(filter(None, (self._goldless(e), self._not_fitted(e))))

    def _goldless(self, e: Number) -> str:
        some = self.some_gold and e.measure in CHOOSING
        data = self.findings["dataset"] if some else {"items": 0, "with_gold": 0}
        return also_counted(data["items"] - data["with_gold"])

    def _not_fitted(self, e: Number) -> str:
        name = e.reader.removesuffix(HELD_OUT)
        fit = self.findings.get("fits", {}).get(name)
        if not fit:
            return ""
        items = (i for i in self.items if i.gold is not None or not of_gold(e.measure))
        return not_covered(fit, (len(i.options) for i in items), named(name, self.readers))

    def never_asked(self, probe: str) -> int:
        """How many prompts of a probe were not asked, since asking ended before them."""
        rows = self.findings.get("unanswered", ())
        return sum(row["not_asked"] for row in rows if row["probe"] == probe)

    @property
    def some_gold(self) -> bool:
        """Whether any item of the set has a gold answer, asked or not."""
        return bool(self.findings.get("dataset", {}).get("with_gold", 0))

    @cached_property
    def probes(self) -> dict[str, Mapping[str, Any]]:
        """What each probe declares, by name."""
        return {probe["name"]: probe for probe in self.findings["probes"]}

    @property
    def ended(self) -> str:
        """What ended asking before its goal: budget, interrupted or failures; "" for nothing."""
        return StageRecord(**self.findings["stages"]["ask"]).ended

    @property
    def unfinished(self) -> str:
        """That asking did not come to its end, and what that costs, in words; "" where it did."""
        if self.findings["stages"]["ask"]["state"] == "complete":
            return ""
        lost = self.findings["unread"] - self.findings.get("unclear", 0)
        of = self.findings["trials"]
        why = f" ({self.ended})" if self.ended else ""
        have = "prompt has" if of == 1 else "prompts have"
        return f"not finished{why}" + (f": {lost:,} of {of:,} {have} no reading" if lost else "")

    @property
    def lacking(self) -> str:
        """What is true of prompts, or items, that do not count: not asked, or without an answer."""
        rows = self.findings.get("unanswered", ())
        failed = any(row["failed"] for row in rows) or not self.unfinished
        return lack(silent=bool(rows), failed=failed, unclear=bool(self.findings.get("unclear")))

    @property
    def by_people(self) -> bool:
        """Whether people answered."""
        return "people" in self.findings

    @property
    def unasked(self) -> dict[str, str]:
        """Why no item can be asked under a probe, for each probe of which that is so."""
        why: dict[str, list[tuple[int, str]]] = {}
        for row in self.findings.get("exclusions", ()):
            why.setdefault(row["probe"], []).append((int(row["items"]), str(row["reason"])))
        silent = {
            name: probe.get("signature", name)
            for name, probe in self.probes.items()
            if name not in self._conditions
        }
        return {name: each_reason(why[spec]) for name, spec in silent.items() if spec in why}

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
        return labelled(str(self.probes[probe]["title"]), self.setting(probe, condition))

    def setting(self, probe: str, condition: Condition) -> str:
        """What sets a condition apart from the others of its probe; "" where it is the only one."""
        others = self._conditions.get(probe, ())
        return ", ".join(
            text
            for name, value in condition.settings
            if not all(other.matches(**{name: value}) for other in others)
            if (text := in_words(probe, name, value))
        )


def _check(findings: Mapping[str, Any]) -> None:
    """KeyError or TypeError where findings lack what everything that shows a run relies on."""
    for name, kind in _HELD.items():
        if not isinstance(findings[name], kind):
            raise TypeError(f"{name} is {findings[name]!r:.80}")
    texts = [*findings["readers"], *(findings[name]["name"] for name in ("dataset", "model"))]
    texts += [probe[name] for probe in findings["probes"] for name in ("name", "title")]
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("a name is no text")

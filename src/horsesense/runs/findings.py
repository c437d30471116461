"""What a study found: estimates with their signatures, and the content of estimates.json."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from horsesense import __version__
from horsesense.errors import UsageError
from horsesense.inference.limits import RunSummary
from horsesense.items.item import ItemSet
from horsesense.measures.base import Estimate
from horsesense.measures.bounds import Bound, bounds
from horsesense.measures.cells import HELD_OUT
from horsesense.measures.estimate import Context, estimate_all
from horsesense.measures.registry import MEASURES
from horsesense.measures.signature import Signature
from horsesense.readers.base import FittedReader
from horsesense.readers.human.reviews import Reviews
from horsesense.readers.model_based.judge import JudgeReader
from horsesense.readers.registry import reads_scores
from horsesense.rng import fingerprint
from horsesense.runs.prepare import Prepared
from horsesense.runs.settings import Settings
from horsesense.runs.suites import named_suites
from horsesense.runs.tables import cells
from horsesense.trials.condition import Condition


@dataclass(frozen=True)
class Result:
    """A finished study: what it found and where it lies.

    Attributes:
        out: the run directory.
        settings, items: what was asked.
        run: what asking took.
        findings: the content of estimates.json.
    """

    out: Path
    settings: Settings
    items: ItemSet
    run: RunSummary
    estimates: list[Estimate]
    findings: dict[str, Any]

    def estimate(self, measure: str, probe: str = "original", **where: str) -> Estimate:
        """The one estimate of a measure under a probe; UsageError if there is none, or several.

        `where` selects by condition, reader or group.
        """
        found = [e for e in self.estimates if e.fits(measure=measure, probe=probe, **where)]
        if len(found) != 1:
            raise UsageError(f"{len(found)} estimates of {measure} under {probe} with {where}.")
        return found[0]


class Measured(NamedTuple):
    """What the tables of a run came to: estimates, and the inequalities between them."""

    estimates: list[Estimate]
    bounds: list[Bound]

    def bounds_json(self) -> dict[str, Any]:
        """How many inequalities were checked, and those that do not hold."""
        broken = [bound.as_json() for bound in self.bounds if not bound.holds]
        return {"checked": len(self.bounds), "violated": broken}


def measured(out: Path, readers: Sequence[str], context: Context) -> Measured:
    """All measures from the two tables of a run directory, with what people reviewed."""
    reviews = Reviews.load(out)
    by_scores = [name for name in readers if reads_scores(name)]
    trials, readings = out / "trials.parquet", out / "readings.parquet"
    found = cells(trials, readings, readers, reviews.classes, by_scores)
    return Measured(
        estimate_all(found, MEASURES, context), [b for cell in found for b in bounds(cell)]
    )


def estimate(study: Prepared, out: Path) -> Measured:
    """All measures of a study that was asked and read."""
    settings = study.settings
    readers = [reader.name for reader in study.readers]
    context = Context(
        dataset=study.items.name,
        model=study.backend.name,
        cluster=clusters(study.items),
        signature=signer(study, Reviews.load(out)),
        **subjects(study.items),
        tested=tested((p.name, p.invariant) for p in study.probes),
        draws=settings.draws,
        level=settings.level,
        seed=settings.seed,
    )
    return measured(out, readers, context)


def tested(probes: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Probes whose difference from the original is a finding, from (name, what should hold).

    A repeat is the noise floor, and "chance" is compared with guessing: neither is tested.
    """
    promises = ("same_answer", "same_accuracy", "none")
    return frozenset(name for name, holds in probes if holds in promises and name != "repeat")


def clusters(items: ItemSet) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Cluster number of each item; an item without a cluster is one of its own."""
    names = [("c", i.cluster) if i.cluster is not None else ("i", i.id) for i in items]
    numbers = {name: n for n, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.intp)


def subjects(items: ItemSet) -> dict[str, Any]:
    """`Context.subject` and `Context.subjects` of a set; nothing where there is one at most."""
    names = sorted({item.subject for item in items if item.subject is not None})
    if len(names) < 2:
        return {}
    known = [*names, "(none)"] if any(item.subject is None for item in items) else names
    number = {name: place for place, name in enumerate(known)}
    codes = np.array([number[item.subject or "(none)"] for item in items], dtype=np.intp)
    return {"subject": codes, "subjects": tuple(known)}


Signer = Callable[[str, Condition, str, str], Signature]
"""(probe, condition, reader, measure) -> signature."""


def signer(study: Prepared, reviews: Reviews) -> Signer:
    """Signatures from which a number can be made again."""
    settings, made = study.settings, study.planner.made
    versions = {reader.name: reader.version for reader in study.readers}

    def sign(probe: str, condition: Condition, reader: str, measure: str) -> Signature:
        found = made.get((probe, condition))
        if found is None:  # a measure of several cells together
            found = next(value for (name, _), value in made.items() if name == probe)
        probe_signature, form = found
        return Signature(
            data=f"{study.items.name}@{study.items.fingerprint}",
            items=len(study.items),
            model=f"{study.backend.name}@{fingerprint(study.backend.identity)}",
            probe=probe_signature,
            condition=condition,
            prompt=study.planner.prompter.signature(form),
            decoding=f"max_tokens={settings.max_tokens},temperature={settings.temperature:g}",
            reader=f"{reader}@{versions[reader.removesuffix(HELD_OUT)]}",
            reviewed=reviews.count_for(reader),
            measure=measure,
            interval=f"{settings.level:g}x{settings.draws}",
            seed=settings.seed,
            horsesense=__version__,
        )

    return sign


def findings(
    study: Prepared, run: RunSummary, measured: Measured, reviews: Reviews, failures: int
) -> dict[str, Any]:
    """The content of estimates.json."""
    items = study.items
    suites = named_suites(study.settings.suite)
    return {
        "horsesense": __version__,
        "study": study.settings.model_dump(mode="json", exclude_none=True),
        "dataset": {
            "name": items.name,
            "kind": items.kind,
            "fingerprint": items.fingerprint,
            "items": len(items),
            "with_gold": sum(item.gold is not None for item in items),
            "clusters": int(clusters(items).max(initial=-1)) + 1,
            "flags": {flag: len(ids) for flag, ids in items.flags.items()},
            "notes": items.notes,
        },
        "model": {
            "name": study.backend.name,
            "identity": study.backend.identity,
            "notes": study.capabilities.notes,
        },
        "probes": [
            {
                "name": probe.name,
                "title": probe.title,
                "signature": probe.signature,
                "summary": probe.summary,
                "expectation": probe.expectation,
                "invariant": probe.invariant,
            }
            for probe in study.probes
        ],
        "readers": [reader.name for reader in study.readers],
        "fits": {r.name: r.report() for r in study.readers if isinstance(r, FittedReader)},
        "judges": {r.name: asdict(r.spent) for r in study.readers if isinstance(r, JudgeReader)},
        "trials": study.planner.count,
        "failures": failures,
        "run": asdict(run),
        "exclusions": study.planner.excluded.as_json(),
        "too_long": study.planner.too_long_json(),
        "suites": [suite.as_json(study.settings.faithful) for suite in suites],
        "reviews": reviews.as_json(),
        "bounds": measured.bounds_json(),
        "estimates": [e.as_json() for e in measured.estimates],
    }

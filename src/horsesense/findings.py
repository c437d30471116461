"""What a study found: estimates with their signatures, and the content of estimates.json."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from horsesense import __version__
from horsesense.errors import UsageError
from horsesense.estimates import Context, estimate_all
from horsesense.ids import fingerprint
from horsesense.items import ItemSet
from horsesense.limits import RunSummary
from horsesense.measures import MEASURES, Estimate
from horsesense.preparing import Prepared
from horsesense.settings import Settings
from horsesense.table import cells


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
        found = [
            e
            for e in self.estimates
            if e.measure == measure
            and e.probe == probe
            and all(getattr(e, name) == value for name, value in where.items())
        ]
        if len(found) != 1:
            raise UsageError(f"{len(found)} estimates of {measure} under {probe} with {where}.")
        return found[0]


def estimate(study: Prepared, out: Path) -> list[Estimate]:
    """All measures from the two tables of a run directory."""
    settings = study.settings
    readers = [reader.name for reader in study.readers]
    found = cells(out / "trials.parquet", out / "readings.parquet", readers)
    context = Context(
        dataset=study.items.name,
        model=study.backend.name,
        cluster=clusters(study.items),
        signature=signer(study),
        # A repeat is the noise floor, and "chance" is compared with guessing: neither is tested.
        tested=frozenset(
            p.name
            for p in study.probes
            if p.holds in ("same_answer", "same_accuracy", "none") and p.name != "repeat"
        ),
        draws=settings.draws,
        level=settings.level,
        seed=settings.seed,
    )
    return estimate_all(found, MEASURES, context)


def clusters(items: ItemSet) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Cluster number of each item; an item without a cluster is one of its own."""
    names = [("c", i.cluster) if i.cluster is not None else ("i", i.id) for i in items]
    numbers = {name: n for n, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.intp)


def signer(study: Prepared) -> Callable[[str, str, str, str], str]:
    """Signatures from which a number can be made again (the idea is sacreBLEU's)."""
    settings, made = study.settings, study.planner.made
    versions = {reader.name: reader.version for reader in study.readers}
    model = f"{study.backend.name}@{fingerprint(study.backend.identity)}"
    data = f"{study.items.name}@{study.items.fingerprint}"

    def sign(probe: str, condition: str, reader: str, measure: str) -> str:
        found = made.get((probe, condition))
        if found is None:  # a measure of several cells together
            found = next(value for (name, _), value in made.items() if name == probe)
        probe_signature, form = found
        parts = {
            "data": data,
            "items": len(study.items),
            "model": model,
            "probe": probe_signature + (f"[{condition}]" if condition else ""),
            "prompt": study.planner.prompter.signature(form),
            "decoding": f"max_tokens={settings.max_tokens},temperature={settings.temperature:g}",
            "reader": f"{reader}@{versions[reader]}",
            "measure": measure,
            "interval": f"{settings.level:g}x{settings.draws}",
            "seed": settings.seed,
            "horsesense": __version__,
        }
        return "|".join(f"{name}:{value}" for name, value in parts.items())

    return sign


def findings(
    study: Prepared, run: RunSummary, estimates: Sequence[Estimate], failures: int
) -> dict[str, Any]:
    """The content of estimates.json."""
    items = study.items
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
                "holds": probe.holds,
            }
            for probe in study.probes
        ],
        "trials": study.planner.count,
        "failures": failures,
        "run": asdict(run),
        "exclusions": study.planner.excluded.as_json(),
        "too_long": study.planner.too_long_json(),
        "estimates": [e.as_json() for e in estimates],
    }

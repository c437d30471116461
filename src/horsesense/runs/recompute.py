"""The estimates of a finished run, computed again without a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from horsesense import __version__
from horsesense.errors import StoreError
from horsesense.measures.estimate import Context
from horsesense.measures.signature import Signature
from horsesense.readers.human.reviews import Reviews
from horsesense.runs.findings import Signer, clusters, measured, subjects, tested
from horsesense.runs.prepare import load_study_items
from horsesense.runs.settings import Settings
from horsesense.trials.condition import Condition


def recompute(out: Path) -> dict[str, Any]:
    """Measure a finished run again, with what was reviewed since; writes estimates.json.

    Raises StoreError if `out` holds no finished run.
    """
    path = out / "estimates.json"
    settings = Settings.load(out / "study.toml")
    try:
        found = orjson.loads(path.read_bytes())
    except (FileNotFoundError, orjson.JSONDecodeError) as error:
        raise StoreError(f"{out} holds no finished run: {error}") from None
    items = load_study_items(settings)
    reviews = Reviews.load(out)
    context = Context(
        dataset=found["dataset"]["name"],
        model=found["model"]["name"],
        cluster=clusters(items),
        signature=_signatures(found, reviews),
        **subjects(items),
        tested=tested((probe["name"], probe["invariant"]) for probe in found["probes"]),
        draws=settings.draws,
        level=settings.level,
        seed=settings.seed,
    )
    again = measured(out, found["readers"], context)
    found |= {
        "reviews": reviews.as_json(),
        "bounds": again.bounds_json(),
        "estimates": [estimate.as_json() for estimate in again.estimates],
    }
    path.write_bytes(orjson.dumps(found, option=orjson.OPT_INDENT_2))
    content: dict[str, Any] = found
    return content


def _signatures(found: Mapping[str, Any], reviews: Reviews) -> Signer:
    """The signatures as they stand, for any measure, of what measures now.

    A cell that only a new measure joins differs from others of its probe in its condition alone.
    """
    known: dict[tuple[str, ...], Signature] = {}
    for e in found["estimates"]:
        signature = Signature.parse(e["signature"])
        condition = Condition.parse(e["condition"])
        known.setdefault((e["probe"], str(condition), e["reader"]), signature)
        known.setdefault((e["probe"], e["reader"]), signature)

    def sign(probe: str, condition: Condition, reader: str, measure: str) -> Signature:
        return replace(
            known.get((probe, str(condition), reader)) or known[probe, reader],
            condition=condition,
            measure=measure,
            reviewed=reviews.count_for(reader),
            horsesense=__version__,
        )

    return sign

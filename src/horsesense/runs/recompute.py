"""The estimates of a finished run, computed again without a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson

from horsesense.errors import StoreError
from horsesense.measures.estimate import Context
from horsesense.readers.human.reviews import Reviews
from horsesense.runs.findings import clusters, measured, subjects, tested
from horsesense.runs.prepare import load_study_items
from horsesense.runs.settings import Settings

_READER = re.compile(r"(?<=\|reader:)(\w+)@([^|+]+)(?:\+\d+reviewed)?")


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


def _signatures(found: Mapping[str, Any], reviews: Reviews) -> Callable[[str, str, str, str], str]:
    """The signatures as they stand, with the number of replies that are reviewed now."""
    known = {
        (e["probe"], e["condition"], e["reader"], e["measure"]): e["signature"]
        for e in found["estimates"]
    }

    def sign(probe: str, condition: str, reader: str, measure: str) -> str:
        signature = known[probe, condition, reader, measure]
        return _READER.sub(lambda m: f"{m[1]}@{reviews.signed(m[1], m[2])}", signature)

    return sign

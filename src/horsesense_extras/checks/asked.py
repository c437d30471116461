"""What `check --responses` and `--model` add: doubted golds, and whether a model saw the set."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from horsesense.checks.shares import quoted
from horsesense.errors import UsageError
from horsesense.items.item import ItemSet
from horsesense.models.registry import make_model
from horsesense.stats.words import percent
from horsesense_extras.checks.contamination import (
    Completion,
    Contamination,
    completion,
    contamination,
)
from horsesense_extras.checks.label_errors import LabelErrors
from horsesense_extras.checks.label_errors import label_errors as ranked
from horsesense_extras.cue_tests.answers import load_choices


def label_errors(sets: Sequence[ItemSet], responses: Sequence[Path]) -> LabelErrors:
    """The golds of a set that recorded answers speak against; UsageError for several sets."""
    if len(sets) > 1:
        raise UsageError(
            "--responses belongs to one set of items.", hint="Call check once for each set."
        )
    return ranked(sets[0], load_choices(responses, sets[0]))


def seen(sets: Sequence[ItemSet], name: str, seed: int) -> list[tuple[Contamination, Completion]]:
    """Whether a model has seen each set before, by two tests."""

    async def tests() -> list[tuple[Contamination, Completion]]:
        async with make_model(name) as model:
            return [
                (
                    await contamination(each, model, seed=seed),
                    await completion(each, model, seed=seed),
                )
                for each in sets
            ]

    return asyncio.run(tests())


def label_text(items: ItemSet, doubted: LabelErrors, shown: int) -> str:
    """The golds that are doubted most, for people."""
    lines = [
        f"Wrong golds, most likely first, by the answers of {len(doubted.models)} models to"
        f" {doubted.n:,} items (a ranking to read through, not a verdict):"
    ]
    for error in doubted.found[:shown]:
        item = items.by_id[error.item]
        said = quoted(item, [error.suggested])
        lines.append(
            f"  {item.id}: gold {quoted(item, [error.gold])}; {percent(error.agreement)} of"
            f" the answers say {said}, {percent(error.right)} the gold"
        )
    if len(doubted.found) > shown:
        lines.append(f"  ... and {len(doubted.found) - shown:,} less likely; --json lists all")
    lines += [
        f"{' and '.join(group)} gave nearly all the same answers and count as one model."
        for group in doubted.same
    ]
    from horsesense.report.text import visible

    return visible("\n".join(lines))

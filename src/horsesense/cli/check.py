"""`horsesense check`: flaws of the items themselves, without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.options import AsJson, FieldMap, Limit, Seed, Where, pairs
from horsesense.cli.output import print_json
from horsesense.errors import UsageError

if TYPE_CHECKING:
    from horsesense.checks.check import CheckResult

ITEMS = (
    "Files (JSONL, CSV, Parquet; plain, .gz or .zst), 'sample', or hf:[ORG/]NAME[@CONFIG][:SPLIT]."
    " Of several, also what they share is found."
)

Sources = Annotated[list[str], typer.Argument(help=ITEMS, show_default=False)]
Rules = Annotated[
    str | None, typer.Option(help="Rules to apply, separated by commas; all by default.")
]
Show = Annotated[int, typer.Option(help="Items shown of each finding; --json lists all.")]
Splits = Annotated[
    str, typer.Option("--split", help="Splits to look at, separated by commas; '*' is all.")
]
FailOn = Annotated[
    str | None,
    typer.Option(help="Exit with 1 if there is a fault; or (cue, style) a finding as light."),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(check)


def check(
    items: Sources,
    rules: Rules = None,
    show: Show = 3,
    fail_on: FailOn = None,
    split: Splits = "*",
    where: Where = None,
    map: FieldMap = None,
    limit: Limit = None,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Find flaws of the items themselves: cues, repeats, broken texts; asks no model."""
    from horsesense.checks.base import WEIGHTS
    from horsesense.checks.check import check_json, check_sets, check_text
    from horsesense.items.load import load_items

    if fail_on is not None and fail_on not in WEIGHTS:
        raise UsageError.unknown("weight of findings", fail_on, WEIGHTS)
    sets = [
        load_items(
            source, map=pairs("map", map), split=split, where=pairs("where", where),
            limit=limit, seed=seed,
        )
        for source in items
    ]  # fmt: skip
    results = check_sets(sets, rules.split(",") if rules else None)
    if as_json:
        print_json("check", {"sets": [check_json(result) for result in results]})
    else:
        print("\n\n".join(check_text(result, show) for result in results))
    if fail_on is not None and _worst(results, list(WEIGHTS)) <= list(WEIGHTS).index(fail_on):
        raise typer.Exit(1)


def _worst(results: list[CheckResult], weights: list[str]) -> int:
    """The place of the heaviest finding among the weights; their number where there is none."""
    found = (weights.index(f.rule.weight) for result in results for f in result.findings)
    return min(found, default=len(weights))

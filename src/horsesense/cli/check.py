"""`horsesense check`: flaws of the items themselves, without a model."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.options import ITEMS, AsJson, FieldMap, Limit, Seed, Where, pairs
from horsesense.cli.output import print_json
from horsesense.errors import ExitCode, UsageError
from horsesense.files import empty_place, json_lines, write_whole
from horsesense.progress import say
from horsesense.side import side
from horsesense.stats.words import some_of

if TYPE_CHECKING:
    from horsesense.checks.check import CheckResult

Sources = Annotated[
    list[str], typer.Argument(help=f"{ITEMS} Of several, also what they share is found.")
]
Splits = Annotated[
    str, typer.Option("--split", help="Splits to look at, separated by commas; '*' is all.")
]
Scorer = Annotated[
    str | None,
    typer.Option(
        "--model", "-m",
        help="Test whether this model has seen the items: it ranks the published order of options"
        " (hf:NAME) and completes items word for word (any model; 200 requests a set).",
    ),
]  # fmt: skip


def check(
    items: Sources,
    rules: str | None = None,
    responses: list[Path] | None = None,
    model: Scorer = None,
    show: int = 3,
    fail_on: str | None = None,
    split: Splits = "*",
    where: Where = None,
    map: FieldMap = None,
    limit: Limit = None,
    seed: Seed = 0,
    out: Path | None = None,
    keep: Path | None = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also name the kinds of flaws that are not found.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find flaws of the items themselves: cues, repeats, broken texts.

    No model is asked, unless --model names one whose knowledge of the items is to be tested.

    Example: horsesense check exam.csv --fail-on fault

    Args:
        rules: Rules to apply, separated by commas; all by default.
        responses: Recorded answers of several models (JSONL) or run directories; repeatable. Ranks
            the items by how likely their gold is wrong.
        show: Items shown of each finding; --json lists all.
        fail_on: fault, cue or style: exit with 1 where a finding has this weight or more.
        out: HTML page to write, with the items.
        keep: JSONL file to write: the rows of items without a fault, of repeats the first, with all
            their fields.
    """
    from horsesense.checks.base import WEIGHTS
    from horsesense.checks.check import check_json, check_sets, check_text
    from horsesense.items.load import load_items

    if fail_on is not None and fail_on not in WEIGHTS:
        raise UsageError.unknown("weight of findings", fail_on, WEIGHTS)
    sets = [
        load_items(
            source, map=pairs("map", map), split=split, where=pairs("where", where),
            limit=limit, seed=seed, skip_faults=True,
        )
        for source in items
    ]  # fmt: skip
    results = check_sets(sets, rules.split(",") if rules else None)
    if keep is not None:
        _keep(results, keep)
    if out is not None:
        from horsesense.report.check import write_check

        write_check(results, out)
    doubted = side("checks", "label_errors")(sets, responses) if responses else None
    seen = side("checks", "seen")(sets, model, seed) if model else []
    if as_json:
        found = None if doubted is None else asdict(doubted)
        listed = [check_json(result) for result in results]
        tested = [asdict(ranks) | {"completion": asdict(words)} for ranks, words in seen]
        print_json("check", {"sets": listed, "label_errors": found, "contamination": tested})
    else:
        parts = [check_text(r, show, every=every, answered=bool(responses)) for r in results]
        if doubted is not None:
            parts.append(side("checks", "label_text")(sets[0], doubted, max(show, 10)))
        parts += [f"{a.sentence(model or '')}\n{b.sentence(model or '')}" for a, b in seen]
        print("\n\n".join(parts))
    refused = list(WEIGHTS)[: 1 + [*WEIGHTS].index(fail_on)] if fail_on is not None else []
    if any(finding.rule.weight in refused for result in results for finding in result.findings):
        raise typer.Exit(ExitCode.FAILED)


def _keep(results: list[CheckResult], path: Path) -> None:
    """Write the items without a fault."""
    from horsesense.checks.check import sound_rows

    if len(results) > 1 or path.suffix != ".jsonl":
        raise UsageError("--keep takes one set of items, and a file that ends in .jsonl.")
    rows, read = sound_rows(results[0]), results[0].items
    write_whole(empty_place(path), json_lines(rows, str))
    whole = len(read) + len(read.faults)
    say(f"{some_of(len(rows), whole, 'row')} without a fault and not repeated, in {path}.")

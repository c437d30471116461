"""`horsesense merge`: the shards of a study, asked apart, become one run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.options import REPORT_ITEMS, AsJson, ReportItems
from horsesense.cli.output import print_json
from horsesense.errors import ExitCode
from horsesense.stats.words import plural

if TYPE_CHECKING:
    from horsesense.runs.merge import Merged

SHOWN = 8
"""Keys, and shards, of which a longer list shows the first."""


def merge(
    runs: Annotated[list[Path], typer.Argument(help="Runs of one study, such as RUN.*")],
    out: Annotated[Path, typer.Option("--out", help="The run that they become.")],
    report_items: ReportItems = REPORT_ITEMS,
    as_json: AsJson = False,
) -> None:
    """Unite runs that `audit --shard` made, measure and report; asks nothing.

    Merging again adds what is new. The order of the runs changes nothing; where two hold different
    answers to one request, the one that was stored first is kept and the others are counted.

    Example: horsesense merge part1 part2 --out whole
    """
    from horsesense.api import Run
    from horsesense.cli.each import show
    from horsesense.runs.merge import merge as unite

    merged = unite(runs, out)
    run = Run.open(out)
    run.read()
    run.measure()
    report = run.report(items=report_items)
    if as_json:
        rows = [estimate.as_json() for estimate in run.results.estimates]
        print_json("merge", {**_told(merged), "report": str(report), "estimates": rows})
    else:
        for sentence in _sentences(merged):
            print(sentence)
        show(run, as_json=False)
    if not merged.whole:
        raise typer.Exit(ExitCode.TROUBLE)


def _told(merged: Merged) -> dict[str, Any]:
    return {
        "out": str(merged.directory.layout.root),
        "answers": merged.answers.new,
        "same": merged.answers.same,
        "different": _different(merged),
        "missing": list(merged.missing),
        "unfinished": [str(path) for path in merged.unfinished],
        "damaged": dict(merged.answers.damaged),
        "lost": {str(path): n for path, n in merged.lost.items()},
        "unanswered": merged.unanswered,
        "versions": list(merged.versions),
    }


def _sentences(merged: Merged) -> list[str]:
    """What the merge did, and what is not there."""
    answers = merged.answers
    lines = [f"{plural(answers.new, 'answer')} taken over, {answers.same:,} there already."]
    if answers.different:
        shown = _shortened(_different(merged))
        lines.append(
            f"Different answers to {plural(len(answers.different), 'request')}; the one that was"
            f" stored first is kept: {shown}"
        )
    lines += answers.faults()
    if len(merged.versions) > 1:
        lines.append(
            f"The runs were asked with different horsesense: {', '.join(merged.versions)}. Their"
            " prompts are compared; where they differ, answers are missing."
        )
    if merged.missing:
        lines.append(f"Missing: shard {_shortened(merged.missing)}.")
    lines += [
        f"{path}: {plural(n, 'trial', 'that were asked have')} no answer any more; its audit"
        " command asks again, then merge again."
        for path, n in sorted(merged.lost.items())
    ]
    return lines + [
        f"{path} is unfinished; its audit command continues it, then merge again."
        for path in merged.unfinished
    ]


def _different(merged: Merged) -> list[str]:
    """Requests with different answers, by their keys."""
    return sorted(key.hex() for key in merged.answers.different)


def _shortened(names: Sequence[str]) -> str:
    """The first few names, and how many there are."""
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more

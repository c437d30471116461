"""Options that several commands share, and what their texts say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.models.registry import FORMS
from horsesense.plugins import pairs as pairs
from horsesense.runs import REPORT_ITEMS as REPORT_ITEMS

ITEMS = (
    "File (JSONL, CSV, Parquet; plain, .gz or .zst; FILE:SPLIT for one split), 'sample', or"
    " hf:[ORG/]NAME[@CONFIG][:SPLIT]."
)
MODEL = f"{FORMS}."

Items = Annotated[str, typer.Argument(help=ITEMS)]
Model = Annotated[str, typer.Option("--model", "-m", help=MODEL)]
Models = Annotated[
    list[str],
    typer.Option("--model", "-m", help=f"{MODEL} Once for each of several."),
]
Limit = Annotated[int | None, typer.Option(help="At most so many items (a sample).")]
Seed = Annotated[int, typer.Option(help="Starts every random choice.")]
FieldMap = Annotated[
    list[str] | None, typer.Option("--map", help="OURS=THEIRS, a field's name in the file.")
]
Split = Annotated[str | None, typer.Option(help="Rows whose field `split` has this value.")]
Where = Annotated[list[str] | None, typer.Option(help="FIELD=VALUE that a row must have.")]
Templates = Annotated[str | None, typer.Option(help="Folder with prompt templates of your own.")]
Temperature = Annotated[float, typer.Option(help="0 is greedy.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
RunPath = Annotated[Path, typer.Argument(help="Run directory, or a log of another program.")]
RunOut = Annotated[
    Path | None, typer.Option("--out", help="Run directory; an existing one is continued.")
]
ReportItems = Annotated[
    int,
    typer.Option(min=0, max=1_000_000, help="Items shown in the report with every answer."),
]
Connections = Annotated[
    int | None, typer.Option(min=1, max=10_000, help="Most requests under way at once.")
]
Budget = Annotated[
    str | None,
    typer.Option(
        help="requests=N,tokens=N,money=X: what the run directory, or all runs of a study"
        " together, may spend, over all sessions;"
        " excess=N: tokens that a server may count beyond what a call allowed (4,000)."
    ),
]
KeyEnv = Annotated[
    str | None,
    typer.Option(
        help="Environment variable with the key for the server of --model; by default"
        " HORSESENSE_API_KEY, or OPENAI_API_KEY for the default server and this machine. A judge's"
        " server gets HORSESENSE_JUDGE_API_KEY."
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(help="Seconds for one call to a server; 300 by default, 30 of them to connect."),
]
Rate = Annotated[
    float | None,
    typer.Option(help="At most so many requests a second; with --engine, of all workers together."),
]
Price = Annotated[
    str | None,
    typer.Option(help="PROMPT,COMPLETION: price of a million tokens of each, a judge's too."),
]

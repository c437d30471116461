"""`horsesense export`: a run, or a piece of its report, for other places."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.export_pieces import Pieces
from horsesense.cli.grouped import grouped
from horsesense.cli.options import AsJson, RunPath
from horsesense.cli.output import print_json
from horsesense.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(grouped(export))


def export(
    run: RunPath,
    pieces: Pieces,
    out: Annotated[
        Path | None,
        typer.Option(help="The new file; by default named after the piece.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a run that can be shown without its items, or a figure or table of its report."""
    if pieces.chosen is None:
        raise UsageError(
            "Say what is to be written.",
            hint="--redacted FILE, --figure NAME, --table NAME or --paper NAME.",
        )
    found = pieces.write(run, out)
    if as_json:
        print_json("export", found)
    else:
        print(found["out"])

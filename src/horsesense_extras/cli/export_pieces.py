"""Options of `horsesense export` that write a redacted run, or one piece of a report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from horsesense.errors import UsageError


@dataclass(frozen=True)
class Pieces:
    """What is to be written, at most one thing in a call."""

    redacted: Annotated[
        Path | None,
        typer.Option(
            help="Write the run to this one file, with keyed hashes for all texts of the items.",
            show_default=False,
        ),
    ] = None
    salt_file: Annotated[
        Path | None,
        typer.Option(
            help="Of --redacted: the secret key, made where there is none. Runs redacted with"
            " the same key can be compared; keep it to yourself.",
            show_default=False,
        ),
    ] = None
    figure: Annotated[
        str | None,
        typer.Option(
            help="Write a figure of the report: score, positions, ...", show_default=False
        ),
    ] = None
    table: Annotated[
        str | None, typer.Option(help="Write a table: scores or estimates.", show_default=False)
    ] = None
    paper: Annotated[
        str | None,
        typer.Option(
            help="Write the published tables on a data set beside the run's own row: mc-test,"
            " bank-77, equinfer, mmlu, medmcqa.",
            show_default=False,
        ),
    ] = None
    format: Annotated[
        str | None,
        typer.Option(
            help="svg, pdf or png of a figure; csv, latex or markdown of a table; unless given, the"
            " ending of --out.",
            show_default=False,
        ),
    ] = None

    @property
    def chosen(self) -> str | None:
        """Which of them is asked for; UsageError for more than one."""
        named = ("redacted", "figure", "table", "paper")
        found = [name for name in named if getattr(self, name) is not None]
        if len(found) > 1:
            raise UsageError(f"--{found[0]} and --{found[1]} are written one at a time.")
        return found[0] if found else None

    def write(self, path: Path, out: Path | None) -> dict[str, Any]:
        """Write what is asked for of the run at `path`; what was written, and as what."""
        from horsesense.api import open as open_run
        from horsesense.files import write_whole

        results = open_run(path).results
        if self.redacted is not None:
            from horsesense_extras.redact import secret, write_redacted

            written = write_redacted(results, self.redacted, secret(self.salt_file))
            return {"out": str(written), "format": "redacted"}
        name, kind, ending, content = self._piece(results, out)
        place = out or Path(f"{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-')}.{ending}")
        write_whole(place, content)
        return {"out": str(place), "format": kind}

    def _piece(self, results: Any, out: Path | None) -> tuple[str, str, str, bytes | str]:
        """Name, format, ending and content of a figure or table."""
        from horsesense.report import pieces

        if self.figure is not None:
            kind = self._kind(out, {name: name for name in pieces.FIGURE_FORMATS}, "svg")
            return self.figure, kind, kind, pieces.figure(results, self.figure, kind)
        kind = self._kind(out, pieces.ENDINGS, "markdown")
        if self.table is not None:
            found = [pieces.table(results, self.table)]
        else:
            found = pieces.papers(results, str(self.paper))
        text = "\n".join(map(pieces.TABLE_FORMATS[kind], found))
        return str(self.table or self.paper), kind, pieces.ENDINGS[kind], text

    def _kind(self, out: Path | None, endings: Mapping[str, str], default: str) -> str:
        """The format that --format names, or else the ending of the file; they may not differ."""
        if self.format is not None and self.format not in endings:
            raise UsageError.unknown("format of this piece", self.format, endings)
        ending = "" if out is None else out.suffix.lower().removeprefix(".")
        by_name = next((kind for kind, own in endings.items() if own == ending), None)
        if ending and by_name is None:
            raise UsageError(
                f"{out} ends in .{ending}, which this piece cannot be written as.",
                hint=f"Endings: {', '.join(endings.values())}.",
            )
        if self.format and by_name and by_name != self.format:
            raise UsageError(
                f"{out} ends in .{ending}, and --format is {self.format}.",
                hint="Leave --format out: the ending decides.",
            )
        return self.format or by_name or default

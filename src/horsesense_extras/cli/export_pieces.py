"""Options of `horsesense export` that write a redacted run, or one piece of a report."""

from __future__ import annotations

import re
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
            help="svg, pdf or png of a figure; csv, latex or markdown of a table.",
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
        name, kind, content = self._piece(results)
        place = out or Path(f"{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-')}.{kind}")
        write_whole(place, content)
        return {"out": str(place), "format": self._format}

    def _piece(self, results: Any) -> tuple[str, str, bytes | str]:
        """Name, ending and content of a figure or table."""
        from horsesense.report import pieces

        if self.figure is not None:
            kind = _one_of(self._format, pieces.FIGURE_FORMATS)
            return self.figure, kind, pieces.figure(results, self.figure, kind)
        kind = _one_of(self._format, pieces.TABLE_FORMATS)
        as_text = pieces.TABLE_FORMATS[kind]
        if self.table is not None:
            found = [pieces.table(results, self.table)]
        else:
            found = pieces.papers(results, str(self.paper))
        text = "\n".join(map(as_text, found))
        return str(self.table or self.paper), pieces.ENDINGS[kind], text

    @property
    def _format(self) -> str:
        return self.format or ("svg" if self.figure is not None else "markdown")


def _one_of(kind: str, known: Any) -> str:
    if kind not in known:
        raise UsageError.unknown("format of this piece", kind, known)
    return kind

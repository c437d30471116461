"""`horsesense check-paper`: reported numbers that cannot be."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from horsesense.cli.options import AsJson
from horsesense.cli.output import print_json
from horsesense.errors import ExitCode
from horsesense.stats.words import plural

if TYPE_CHECKING:
    from horsesense_extras.paper_check import Finding

File = Annotated[
    Path,
    typer.Argument(
        help="YAML with a list `claims` of {id, kind, ...}; values in quotes, as printed."
    ),
]
All = Annotated[bool, typer.Option("--all", help="Also list what only fits through rounding.")]


def check_paper(file: File, as_json: AsJson = False, everything: All = False) -> None:
    """Say which reported numbers cannot be: shares, sums, differences, means, bounds.

    Exit code 1 if there are any.

    Example: horsesense check-paper numbers.yaml
    """
    from horsesense_extras.paper_check import check_file

    found = check_file(file)
    counts = Counter(finding.verdict for finding in found)
    if as_json:
        rows = [finding.as_json() for finding in found]
        print_json("check-paper", {"counts": counts, "claims": rows})
    else:
        for finding in found:
            if finding.verdict == "impossible" or (everything and finding.verdict == "rounding"):
                print(_line(finding))
        print(
            f"{plural(len(found), 'claim')}: {counts['impossible']} cannot be,"
            f" {counts['rounding']} fit "
            f"only through rounding, {counts['fits']} fit."
        )
    if counts["impossible"]:
        raise typer.Exit(ExitCode.FAILED)


def _line(finding: Finding) -> str:
    mark = "cannot be" if finding.verdict == "impossible" else "rounding "
    return f"{mark}  {finding.id}: {finding.says}; possible: {finding.expected}"

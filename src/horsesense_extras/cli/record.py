"""`horsesense record`: every model of an evaluation on one page, as graded and as said."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from horsesense.cli.options import AsJson, pairs
from horsesense.cli.output import print_json
from horsesense.cli.readings import printable
from horsesense.errors import UsageError
from horsesense_extras.cli.logs import Fields, Known, UnreadAs, unread_as

FolderPath = Annotated[
    Path,
    typer.Argument(help="Folder of a study or a run, or of logs or tables that `import` takes."),
]


def record(
    folder: FolderPath,
    out: Path = Path("record"),
    items: Known = None,
    map: Fields = None,
    unread: UnreadAs = None,
    as_json: AsJson = False,
) -> None:
    """Lay an evaluation open: each model as its program graded it, and as its replies say.

    Logs and tables are imported first, into `OUT/runs`.

    Example: horsesense record eval_results/ --out record

    Args:
        out: Folder of the page, and of a file for each model.
    """
    from horsesense.api import Run
    from horsesense.files import usable
    from horsesense.runs.layout import RunLayout
    from horsesense.runs.studies import run_folders
    from horsesense_extras.api import load_logs
    from horsesense_extras.logs.record_page import write_record
    from horsesense_extras.logs.recorded import record_of

    place = usable(out)
    given = usable(folder)
    there = run_folders(given) or [given] * RunLayout(given).record.is_file()
    imported = place / "runs"
    if not there and imported.exists():
        raise UsageError(
            f"{place} holds a record already.",
            hint=f"horsesense record {imported} --out {place} writes its page again. Other logs, or"
            " another --unread, need another --out.",
        )
    runs = [Run.open(path) for path in there] or load_logs(
        [folder], imported, items, pairs("map", map), unread_as(unread)
    )
    pages = [(run, _page(run.path.name)) for run in runs]
    for run, page in pages:
        run.report(items=ITEMS, to=place / page)
    found = record_of(pages)
    path = write_record(found, place)
    if as_json:
        print_json("record", {"page": str(path), **found.as_json()})
        return
    for line in (*found.notes, *(model.told for model in found.models)):
        print(printable(line))
    print(f"Page: {path}")


def _page(name: str) -> str:
    """The file of a model's report, which is not that of the record."""
    return f"{name}-model.html" if name.casefold() == "index" else f"{name}.html"


ITEMS = 20
"""Items shown on the page of each model."""

"""The report: one HTML file that needs no network, no script and no trust in what was answered.

>>> write_report(results)  # doctest: +SKIP
PosixPath('runs/mmlu/report.html')
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from markupsafe import Markup

from horsesense.errors import StoreError
from horsesense.files import write_whole
from horsesense.inference.store import Store
from horsesense.kept import keep
from horsesense.report import examples
from horsesense.report.behind_score import caveats
from horsesense.report.browser import Filters, shelves
from horsesense.report.checks import checks_of
from horsesense.report.item_text import item_of
from horsesense.report.item_view import ItemView, view_of
from horsesense.report.reasons import reasons_of
from horsesense.report.rendering import page, rendered
from horsesense.report.score_bar import NO_SCORE, headline, score_bar
from horsesense.report.sections import APPENDIX, in_order
from horsesense.report.sections.score import SCORE
from horsesense.report.told import notices_of, told_of, verdict_of
from horsesense.rng import fingerprint
from horsesense.runs import REPORT_ITEMS
from horsesense.runs.directory import RunDirectory
from horsesense.runs.results import Results

__all__ = ["item_html", "item_report", "summary_html", "verdict_of", "write_report"]

ITEM_BYTES = 1_300_000
"""Bytes that all items of a report may take; those that do not fit are counted as not shown."""
ITEM_CHARACTERS = 60_000
"""Characters of prompts, and as many of replies, that one item of a report may take."""
LONGEST = 3_000
"""Characters of one prompt or reply in a report."""
LONGEST_ALONE = 200_000
"""The same in the page of a single item."""


def write_report(
    results: Results, *, max_items: int = REPORT_ITEMS, to: Path | None = None
) -> Path:
    """Write `report.html` into the run directory from its own files; no model is asked.

    Args:
        results: what was measured of a run.
        max_items: items shown with what was asked and answered, fewer where they are long.
        to: another file to write.

    Raises StoreError where the run's files cannot be read, or the report cannot be written.
    """
    directory = results.directory
    choice, reasons = examples.choose(results, max_items), reasons_of(results)
    # What fits is known once it is drawn; the counts of the filters are of what fits.
    item, every = results.items.by_id.__getitem__, results.items.items
    drawn = Filters.of([*map(item, choice.ids)], every, choice, reasons)
    with directory.store() as store:
        shown = dict(_fitting(results, choice, store, drawn))
    filters = Filters.of([*map(item, shown)], every, choice, reasons)
    html = page(
        "report.html",
        run=results,
        finite=any(e.finite for e in results.estimates),
        headline=headline(results),
        no_score=NO_SCORE,
        answers=_answers(results),
        bar=score_bar(results),
        checks=checks_of(results, reasons, filters.by_reason),
        notices=[*caveats(results), *notices_of(results)],
        sections=list(rendered(results, in_order())),
        appendix=list(rendered(results, APPENDIX)),
        choice=choice,
        filters=filters,
        shelves=(found := shelves(choice, shown)),
        parts={shelf.name for shelf in found},
        shown_total=len(shown),
    )
    return _written(directory, html, to or directory.layout.report)


def _answers(results: Results) -> tuple[int, int]:
    """How many answers logs hold, and how many of these are compared as orders too."""
    rates = results.select("valid_rate", reader=results.reader)
    counts = {e.probe: e.n + e.n_missing for e in rates}
    return counts.get("original", 0), counts.get("order", 0)


def _written(directory: RunDirectory, html: str, path: Path) -> Path:
    """Write a page; StoreError says where else it could go if the run cannot be written."""
    if path.parent == directory.layout.root and not directory.writable:
        raise StoreError(
            f"{directory.layout.root} cannot be written to.",
            hint="Write the page somewhere else: horsesense report RUN --to FILE.",
        )
    write = keep if path == directory.layout.report else write_whole
    write(path, html)
    return path


def summary_html(results: Results) -> str:
    """The verdict and the figure of the score, for a notebook: no script, nothing outside."""
    figures = [html for section, html in rendered(results, [SCORE])]
    return page(
        "summary.html",
        run=results,
        headline=headline(results),
        verdict=told_of(results),
        notices=[*caveats(results), *notices_of(results)],
        figures=figures,
    )


def item_report(results: Results, item_id: str, to: Path | None = None) -> Path:
    """Write a page with every prompt and answer about one item, uncut, and return its path.

    Raises UsageError if the run holds no such item.
    """
    body = item_html(results, item_id)
    # The id is the data's; a file is named by its hash.
    directory = results.directory
    path = to or directory.layout.root / f"item-{fingerprint(item_id)}.html"
    return _written(directory, page("item_page.html", run=results, id=item_id, body=body), path)


def item_html(results: Results, item_id: str, reasons: Sequence[str] = ()) -> Markup:
    """Every prompt and answer about one item, as part of a page; UsageError for another id."""
    item = item_of(results, item_id)
    with results.directory.store() as store:
        [(_, trials)] = examples.trials_of(results, [item_id], store)
        planned = examples.not_sent(results, trials, store)
        exchanged = partial(examples.exchanged, store=store, planned=planned)
        view = view_of(item, trials, results.reader, exchanged, reasons, whole=True)
    return _item(results, view, LONGEST_ALONE, whole=True)


def _fitting(
    run: Results, choice: examples.Choice, store: Store, filters: Filters
) -> Iterator[tuple[str, Markup]]:
    """The chosen items as HTML, as long as they fit."""
    room = ITEM_BYTES
    exchanged = partial(examples.exchanged, store=store)
    for item_id, trials in examples.trials_of(run, choice.ids, store):
        item, reasons = run.items.by_id[item_id], choice.reasons[item_id]
        view = view_of(item, trials, run.reader, exchanged, reasons)
        limit = min(LONGEST, max(200, ITEM_CHARACTERS // max(len(view.forms), 1)))
        html = _item(run, view, limit, filters.classes(item, reasons))
        room -= len(html.encode())
        if room < 0:
            return
        yield item_id, html


def _item(
    run: Results, view: ItemView, limit: int, classes: str = "", *, whole: bool = False
) -> Markup:
    return Markup(page("item.html", run=run, view=view, limit=limit, classes=classes, whole=whole))

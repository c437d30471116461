"""The report: one HTML file that needs no network, no script and no trust in what was answered.

>>> write_report(results)  # doctest: +SKIP
PosixPath('runs/mmlu/report.html')
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from horsesense.errors import UsageError
from horsesense.files import write_whole
from horsesense.inference.store import Store
from horsesense.report import examples, text
from horsesense.report.pages import environment
from horsesense.report.sections import APPENDIX, SECTIONS, Section
from horsesense.report.sections.score import SCORE
from horsesense.report.verdict import by_tone
from horsesense.rng import fingerprint
from horsesense.runs.results import Results

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["item_report", "summary_html", "verdict_of", "write_report"]

MAX_ITEMS = 200
ITEM_BYTES = 6_000_000
"""Bytes that all items of a report may take; those that do not fit are counted as not shown."""
ITEM_CHARACTERS = 150_000
"""Characters of prompts, and as many of replies, that one item of a report may take."""
LONGEST = 4_000
"""Characters of one prompt or reply in a report."""
LONGEST_ALONE = 200_000
"""The same in the page of a single item."""


def write_report(results: Results, *, max_items: int = MAX_ITEMS) -> Path:
    """Write `report.html` into the run directory from its own files; no model is asked.

    Args:
        results: what was measured of a run.
        max_items: items shown with every prompt and answer, fewer where they are long.

    Raises StoreError where the run's files cannot be read, or the report cannot be written.
    """
    directory = results.directory
    choice = examples.choose(results, max_items)
    with directory.store() as store:
        shown = list(_fitting(results, choice, store))
    page = _environment().get_template("report.html.j2")
    html = page.render(
        run=results,
        verdict=_verdict(results),
        sections=(sections := list(_rendered(results, SECTIONS))),
        appendix=list(_rendered(results, APPENDIX)),
        anchors={section.id for section, _ in sections},
        choice=choice,
        shown=shown,
    )
    write_whole(directory.layout.report, html)
    return directory.layout.report


def verdict_of(results: Results) -> list[str]:
    """The sentences at the top of the report, in the report's order."""
    return [sentence.text for _, _, sentences in _verdict(results) for sentence in sentences]


def _verdict(results: Results) -> list[Any]:
    return by_tone(s for section in SECTIONS for s in section.sentences(results))


def summary_html(results: Results) -> str:
    """The verdict and the figure of the score, for a notebook: no script, nothing outside."""
    figures = [html for section, html in _rendered(results, [SCORE])]
    template = _environment().get_template("summary.html.j2")
    return template.render(run=results, verdict=_verdict(results), figures=figures)


def item_report(results: Results, item_id: str) -> Path:
    """Write a page with every prompt and answer about one item, uncut, and return its path.

    Raises UsageError if the run holds no such item.
    """
    directory = results.directory
    if item_id not in results.items.by_id:
        raise UsageError.unknown("item", item_id, results.items.by_id)
    with directory.store() as store:
        [(_, trials)] = examples.trials_of(results, [item_id], store)
    body = _item(results, item_id, (), trials, LONGEST_ALONE, is_open=True)
    template = _environment().get_template("item_page.html.j2")
    # The id is the data's; a file is named by its hash.
    path = directory.layout.root / f"item-{fingerprint(item_id)}.html"
    write_whole(path, template.render(run=results, id=item_id, body=body))
    return path


def _rendered(run: Results, sections: Iterable[Section]) -> Iterator[tuple[Section, Markup]]:
    """The sections that apply to the run, as HTML."""
    for section in sections:
        context = section.context(run)
        if context is not None:
            own, file = section.template, f"sections/{section.id}.html.j2"
            pages = _environment()
            template = pages.from_string(own) if own else pages.get_template(file)
            yield section, Markup(template.render(run=run, **context))


def _fitting(run: Results, choice: examples.Choice, store: Store) -> Iterator[Markup]:
    """The chosen items as HTML, as long as they fit."""
    room = ITEM_BYTES
    for item_id, trials in examples.trials_of(run, choice.ids, store):
        limit = min(LONGEST, max(200, ITEM_CHARACTERS // max(len(trials), 1)))
        html = _item(run, item_id, choice.reasons[item_id], trials, limit)
        room -= len(html.encode())
        if room < 0:
            return
        yield html


def _item(
    run: Results,
    item_id: str,
    reasons: tuple[str, ...],
    trials: list[examples.Asked],
    limit: int,
    *,
    is_open: bool = False,
) -> Markup:
    template = _environment().get_template("item.html.j2")
    return Markup(
        template.render(
            run=run,
            item=run.items.by_id[item_id],
            reasons=reasons,
            trials=trials,
            limit=limit,
            open=is_open,
        )
    )


@cache
def _environment() -> Environment:
    """The templates, with what the report of an audit calls in them."""
    made = environment()
    for name in ("value_of", "interval_of", "count_of", "number", "chance_text"):
        made.filters[name] = getattr(text, name)
    made.globals.update(
        pieces=examples.pieces,
        messages=examples.messages,
        option_name=examples.option_name,
        identity=examples.identity,
    )
    return made

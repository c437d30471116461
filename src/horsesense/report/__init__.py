"""The report: one HTML file that needs no network, no script and no trust in what was answered.

>>> from pathlib import Path
>>> write_report(Path("runs/mmlu"))  # doctest: +SKIP
PosixPath('runs/mmlu/report.html')
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from horsesense.errors import UsageError
from horsesense.inference.store import Store
from horsesense.items.item import ItemSet
from horsesense.report import examples, text
from horsesense.report.data import Run
from horsesense.report.pages import environment
from horsesense.report.sections import APPENDIX, SECTIONS, Section
from horsesense.report.verdict import by_tone
from horsesense.rng import fingerprint

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["item_report", "verdict_of", "write_report"]

MAX_ITEMS = 200
ITEM_BYTES = 6_000_000
"""Bytes that all items of a report may take; those that do not fit are counted as not shown."""
ITEM_CHARACTERS = 150_000
"""Characters of prompts, and as many of replies, that one item of a report may take."""
LONGEST = 4_000
"""Characters of one prompt or reply in a report."""
LONGEST_ALONE = 200_000
"""The same in the page of a single item."""


def write_report(out: Path, *, items: ItemSet | None = None, max_items: int = MAX_ITEMS) -> Path:
    """Write `out/report.html` from the files of a finished run; no model is asked.

    Args:
        out: the run directory.
        items: the run's items, where they are at hand; read again from their source otherwise.
        max_items: items shown with every prompt and answer, fewer where they are long.

    Raises StoreError if `out` holds no finished run, ItemsError if the items cannot be read.
    """
    run = Run.load(out, items)
    choice = examples.choose(run, max_items)
    with Store.open(out / "store.sqlite", read_only=True) as store:
        shown = list(_fitting(run, choice, store))
    page = _environment().get_template("report.html.j2")
    sections = list(_rendered(run, SECTIONS))
    html = page.render(
        run=run,
        verdict=by_tone(s for section in SECTIONS for s in section.sentences(run)),
        sections=sections,
        appendix=list(_rendered(run, APPENDIX)),
        anchors={section.id for section, _ in sections},
        choice=choice,
        shown=shown,
    )
    path = out / "report.html"
    path.write_text(html, encoding="utf-8")
    return path


def verdict_of(out: Path, *, items: ItemSet | None = None) -> list[str]:
    """The sentences at the top of the report, in the report's order."""
    run = Run.load(out, items)
    groups = by_tone(s for section in SECTIONS for s in section.sentences(run))
    return [sentence.text for _, _, sentences in groups for sentence in sentences]


def item_report(out: Path, item_id: str) -> Path:
    """Write a page with every prompt and answer about one item, uncut, and return its path.

    Raises UsageError if the run holds no such item.
    """
    run = Run.load(out)
    if item_id not in run.items.by_id:
        raise UsageError.unknown("item", item_id, run.items.by_id)
    with Store.open(out / "store.sqlite", read_only=True) as store:
        [(_, trials)] = examples.trials_of(run, [item_id], store)
    body = _item(run, item_id, (), trials, LONGEST_ALONE, is_open=True)
    html = _environment().get_template("item_page.html.j2").render(run=run, id=item_id, body=body)
    # The id is the data's; a file is named by its hash.
    path = out / f"item-{fingerprint(item_id)}.html"
    path.write_text(html, encoding="utf-8")
    return path


def _rendered(run: Run, sections: Iterable[Section]) -> Iterator[tuple[Section, Markup]]:
    """The sections that apply to the run, as HTML."""
    for section in sections:
        context = section.context(run)
        if context is not None:
            own, file = section.template, f"sections/{section.id}.html.j2"
            pages = _environment()
            template = pages.from_string(own) if own else pages.get_template(file)
            yield section, Markup(template.render(run=run, **context))


def _fitting(run: Run, choice: examples.Choice, store: Store) -> Iterator[Markup]:
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
    run: Run,
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

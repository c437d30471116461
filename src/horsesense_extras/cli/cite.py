"""`horsesense cite`: what to name beside the numbers of a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from horsesense.cli.options import AsJson
from horsesense.errors import StoreError
from horsesense.stats.words import plural
from horsesense_extras.cli.groups import Rows, tell

if TYPE_CHECKING:
    from horsesense.api import Run
    from horsesense.items.item import ItemSet


TOOL = "horsesense {version} (2026). Find out what a multiple-choice score is made of. Apache-2.0."

BIBTEX = (
    "@software{{horsesense, title = {{horsesense: find out what a multiple-choice score is made"
    " of}}, author = {{{{The horsesense authors}}}}, version = {{{version}}}, year = {{2026}}}}"
)

DATA = "@misc{{data-{key}, title = {{{name}}}, howpublished = {{{source}}}, note = {{{note}}}}}"

What = Annotated[str, typer.Argument(help="A run, a log, or items as for `audit`.")]


def cite(what: What, rows: Rows, as_json: AsJson = False) -> None:
    """Say what to cite beside a run or items: the tool, a suite's paper, the data.

    Example: horsesense cite audits/exam
    """
    from horsesense.api import open as open_run
    from horsesense.api.given import items_of

    try:
        told = cited(open_run(what))
        rows.refuse("a run has chosen its items")
    except StoreError:
        if Path(what).is_dir():
            raise
        told = _texts(items_of(what, **rows.given()), what)
    each = [
        (title, text)
        for title, texts in told.items()
        for text in ([texts] if isinstance(texts, str) else texts)
    ]
    named = (t if title == "bibtex" else f"{title.capitalize()}: {t}" for title, t in each if t)
    tell("cite", told, as_json, named)


def cited(run: Run) -> dict[str, Any]:
    """Tool, papers, data, model and settings of a run, as texts for a list of references."""
    from horsesense.runs.redacted import is_redacted
    from horsesense.runs.suites import named_suites

    settings, record = run.settings, run.directory.record
    return _texts(
        run.items,
        settings.items,
        named_suites(settings.suite),
        "fingerprint" + " of the hashed texts" * is_redacted(run.directory),
        model="?" if record is None else record.model.name,
        asked=_asked(run) + "; faithful" * settings.faithful,
    )


def _texts(
    items: ItemSet, source: str, suites: Sequence[Any] = (), of: str = "fingerprint", **asked: str
) -> dict[str, Any]:
    from horsesense.report.pieces import latex
    from horsesense.version import __version__

    # The place of a file on one machine is no source.
    source = ", ".join(Path(p).name if Path(p).exists() else p for p in source.split(", "))
    own, note = BIBTEX.format(version=__version__), plural(len(items), "item")
    note += f", {of} {items.fingerprint}" + ", without right answers" * (not items.has_gold)
    names = {"name": latex(items.name), "source": latex(source)}
    data = DATA.format(key=items.fingerprint, note=note, **names)
    return {
        "tool": TOOL.format(version=__version__),
        "papers": [f"{s.title}: {s.source}." for s in suites],
        "data": f"{items.name}, from {source}; {note}.",
        **{"model": "", "asked": "", **asked},
        "bibtex": "\n".join([own, data, *(s.bibtex for s in suites if s.bibtex)]),
    }


def _asked(run: Run) -> str:
    """How the model was asked; of a log, what its requests state."""
    from horsesense.runs.exchanges import exchanges

    settings, record = run.settings, run.directory.record
    if record is None or record.kind == "asked":
        return (
            f"probes {', '.join(settings.probes)}; seed {settings.seed}; temperature"
            f" {settings.temperature:g}; at most {plural(settings.max_tokens, 'token')} a reply"
        )
    params = [e.request.params for e in exchanges(run.directory) if e.request]
    each = {n: {getattr(p, n) for p in params} for n in ("max_tokens", "temperature", "top_p")}
    stated = [f"; {n} {v.pop():g}" for n, v in each.items() if len(v) == 1 and any(v)]
    return "not by horsesense; prompts and decoding are those of the log" + "".join(stated)

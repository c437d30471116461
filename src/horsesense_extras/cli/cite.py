"""`horsesense cite`: what to name beside the numbers of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from horsesense.cli.options import AsJson, RunPath
from horsesense.cli.output import print_json
from horsesense.stats.words import plural

if TYPE_CHECKING:
    from horsesense.api import Run

TOOL = "horsesense {version} (2026). Find out what a multiple-choice score is made of. Apache-2.0."

BIBTEX = (
    "@software{{horsesense, title = {{horsesense: find out what a multiple-choice score is made"
    " of}}, author = {{{{The horsesense authors}}}}, version = {{{version}}}, year = {{2026}}}}"
)

DATA = (
    "@misc{{data-{key}, title = {{{name}}}, howpublished = {{{source}}}, note = {{{n}, fingerprint"
    " {key}}}}}"
)


def cite(run: RunPath, as_json: AsJson = False) -> None:
    """Say what to cite beside the numbers of a run: the tool, a suite's paper, the data.

    Beside results of `check`, cite the tool and the fingerprint of the data (`check --json`).

    Example: horsesense cite audits/exam
    """
    from horsesense.api import open as open_run

    told = cited(open_run(run))
    if as_json:
        print_json("cite", told)
        return
    for title, what in told.items():
        for text in [what] if isinstance(what, str) else what:
            print(text if title == "bibtex" else f"{title.capitalize()}: {text}")


def cited(run: Run) -> dict[str, Any]:
    """Tool, papers, data, model and settings of a run, as texts for a list of references."""
    from horsesense.report.pieces import latex
    from horsesense.runs.redacted import is_redacted
    from horsesense.runs.suites import named_suites
    from horsesense.version import __version__

    settings, items = run.settings, run.items
    suites, own = named_suites(settings.suite), BIBTEX.format(version=__version__)
    record, n = run.directory.record, plural(len(items), "item")
    n += ", redacted" * is_redacted(run.directory)  # whose fingerprint is another one
    names = {"name": latex(items.name), "source": latex(settings.items)}
    data = DATA.format(key=items.fingerprint, n=n, **names)
    return {
        "tool": TOOL.format(version=__version__),
        "papers": [f"{s.title}: {s.source}." for s in suites],
        "data": f"{items.name}, from {settings.items}; {n}, fingerprint {items.fingerprint}.",
        "model": "?" if record is None else record.model.name,
        "asked": _asked(run) + "; faithful" * settings.faithful,
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

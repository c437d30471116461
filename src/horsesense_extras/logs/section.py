"""Of an imported run: what the logs report of themselves, and what the replies say."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from horsesense.report.sections.base import Context, Section
from horsesense.report.text import value_of
from horsesense.runs.results import Results
from horsesense.stats.words import plural


def context(run: Results) -> Context | None:
    if not run.directory.layout.imported.exists():  # most runs: nothing is loaded for them
        return None
    from horsesense_extras.logs.log_score import log_scores
    from horsesense_extras.logs.told import for_readers, logs_of

    logs = [{**log, "notes": [*map(for_readers, log["notes"])]} for log in logs_of(run.directory)]
    return {"logs": logs, "scores": log_scores(run), "percent": percent}


def percent(value: float | None) -> str:
    """A share as people read it; the exact number stands beside it."""
    return "–" if value is None else f"{100 * value:.1f} %"


def notices(run: Results) -> Iterator[str]:
    """Whether the log counts the answers as they are meant."""
    if not run.directory.layout.imported.exists():
        return
    from horsesense_extras.logs.log_score import findings, log_scores

    scores = log_scores(run)
    found = next((score for score in scores if score.both and score.said is not None), None)
    if found is not None and found.said is not None and found.differ:
        yield (
            f"The log counts {found.differ:,} of {plural(found.both, 'answer')} otherwise than "
            f"they say: {percent(found.own)} in the log ({found.name}), {value_of(found.said)} as "
            f"read by {found.reader}."
        )
    yield from findings(run, scores)
    if found is not None and not found.differ:
        all_of = plural(found.both, "answer")
        yield f"The log and the reader {found.reader} differ in none of {all_of}."


FROM_LOG = Section(
    "from_log",
    "What the log says, and what the replies say",
    context,
    notices,
    (files("horsesense_extras") / "templates" / "from_log.html.j2").read_text(encoding="utf-8"),
    first=True,
)

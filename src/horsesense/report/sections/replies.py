"""What became of the replies, form by form, and what their loss leaves open of each score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from horsesense.readers.causes import CAUSES, LOST, WORDS
from horsesense.report.sections.base import Context, Section
from horsesense.runs.results import Results
from horsesense.stats.words import percent
from horsesense.trials.condition import Condition

TABLE: Final = (
    "{% from 'macros.html.j2' import table %}"
    "<p>A score as graded counts every reply as wrong that does not choose the right option. Its "
    "range is what the score could be, whatever became of the replies that were lost.</p>"
    "{{ table('What became of the prompts, by form.', heads, rows) }}"
)


def context(run: Results) -> Context | None:
    """None where no form lost a reply."""
    forms = [row for row in run.findings.get("replies", ()) if row["reader"] == run.reader]
    seen = {cause for row in forms for cause in row["causes"]}
    if not seen & LOST:
        return None
    shown = [cause for cause in CAUSES if cause in seen]
    heads = ["Form", "Prompts", *(WORDS[cause].capitalize() for cause in shown)]
    return {
        "heads": [*heads, "As graded", "Range"],
        "rows": [
            (
                run.label(row["probe"], Condition.parse(row["condition"])),
                [row["prompts"], *(row["causes"].get(c, 0) for c in shown), *_scores(row)],
            )
            for row in forms
        ],
    }


def _scores(row: Mapping[str, Any]) -> tuple[str, str]:
    graded, least, most = (row[name] for name in ("as_graded", "least", "most"))
    if least is None:
        return "", ""
    return "" if graded is None else percent(graded), f"{percent(least)} to {percent(most)}"


REPLIES = Section("replies", "What became of the replies?", context, template=TABLE)

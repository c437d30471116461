"""How many replies choose an option, under each probe."""

from __future__ import annotations

from horsesense.report.sections.base import Context, Section
from horsesense.runs.results import Results


def context(run: Results) -> Context | None:
    rates = run.everywhere("valid_rate")
    return {"rates": rates} if rates else None  # None: the section does not apply


SECTION = Section(
    "valid_replies",
    "How many replies choose an option?",
    context,
    template="<ul>{% for e in rates %}<li>{{ e.probe }}: {{ e | value_of }}</li>{% endfor %}</ul>",
)

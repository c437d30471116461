"""Of a run with labelled replies: how often its readers are right, and the corrected score."""

from __future__ import annotations

from horsesense.report.sections.base import Context, Section
from horsesense.runs.results import Results
from horsesense.stats.words import some_of


def context(run: Results) -> Context | None:
    if not run.directory.layout.labels.exists():  # most runs: nothing is loaded
        return None
    from horsesense_extras.people.sample import METHOD, ROWS, Sampled, shown

    sampled = Sampled.of(run.directory)
    told = sampled.told(run.directory.settings.level)
    counts = [some_of(row["n"], row["of"], "reply") for row in told[:1]]
    return {
        "caption": f"What {''.join(counts)}, labelled by a person, say of each reader. {METHOD}",
        "heads": ("", *(row["reader"] for row in told)),
        "rows": [(said, [shown(row[key]) for row in told]) for key, said in ROWS.items() if told],
        "notes": list(sampled.notes(told)),
    }


LABELLED = Section(
    "labelled",
    "How often readers are right, by a labelled sample",
    context,
    template='{% from "macros.html.j2" import table %}{{ table(caption, heads, rows) }}'
    "{% for sentence in notes %}<p>{{ sentence }}</p>{% endfor %}",
)

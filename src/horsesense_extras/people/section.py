"""Of a run with labelled replies: how often its readers are right, and the corrected score."""

from __future__ import annotations

from horsesense.report.sections.base import Context, Section
from horsesense.runs.results import Results


def context(run: Results) -> Context | None:
    if not (run.directory.layout.root / "sample.json").exists():  # most runs: nothing is loaded
        return None
    from horsesense_extras.people.sample import Sampled

    sampled = Sampled.of(run.directory)
    told = sampled.told(run.directory.settings.level)
    return {"sentences": sampled.sentences(told)}


LABELLED = Section(
    "labelled",
    "How often readers are right, by a labelled sample",
    context,
    template="{% for sentence in sentences %}<p>{{ sentence }}</p>{% endfor %}",
)

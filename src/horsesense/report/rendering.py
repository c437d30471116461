"""The templates of a report with what they call, and sections made with them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from horsesense.findings.sentences import sentence, statement
from horsesense.findings.wording import chance_text, in_points, number, signed
from horsesense.report import behind_score, examples, text
from horsesense.report.pages import environment
from horsesense.report.sections.base import Section
from horsesense.runs.results import Results

if TYPE_CHECKING:
    from jinja2 import Environment

FILTERS = (
    text.value_of,
    text.interval_of,
    text.count_of,
    text.p_text,
    number,
    chance_text,
    examples.letter,
    in_points,
    signed,
    sentence,
    statement,
    text.shown_interval,
    text.shown_size,
)
CALLED = (
    behind_score.prompts_too_long,
    behind_score.unread,
    examples.came_back,
    examples.identity,
    examples.messages,
    examples.pieces,
    examples.raw,
)


@cache
def templates() -> Environment:
    """The templates, with what the report of an audit calls in them."""
    made = environment()
    made.filters.update({each.__name__: each for each in FILTERS})
    made.globals.update({each.__name__: each for each in CALLED})
    return made


def page(name: str, **given: Any) -> str:
    """The template `NAME.j2`, filled."""
    return templates().get_template(f"{name}.j2").render(**given)


def rendered(run: Results, sections: Iterable[Section]) -> Iterator[tuple[Section, Markup]]:
    """The sections that apply to the run, as HTML."""
    for section in sections:
        context = section.context(run)
        if context is not None:
            own, file = section.template, f"sections/{section.id}.html.j2"
            template = templates().from_string(own) if own else templates().get_template(file)
            yield section, Markup(template.render(run=run, **context))

"""What a section of the report declares. A new section is one short file and one line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from horsesense.runs.results import Results

Context = Mapping[str, Any]


def no_notices(run: Results) -> Iterable[str]:
    """For sections that have nothing to say before the verdict."""
    return ()


class Section(NamedTuple):
    """One part of the report.

    Attributes:
        id: its anchor.
        title: its heading, a question where it has an answer.
        context: what the template is given; None where the section does not apply to the run.
        notices: facts about the run itself, which the verdict is to be read with.
        template: its Jinja text, where it is short; that of the file
            `templates/sections/ID.html.j2` unless given.
        first: whether it stands before all others.
        open: False for one that is a click away, and open in print; or the kinds of findings of
            which one that is found opens it.
    """

    id: str
    title: str
    context: Callable[[Results], Context | None]
    notices: Callable[[Results], Iterable[str]] = no_notices
    template: str = ""
    first: bool = False
    open: bool | tuple[str, ...] = True

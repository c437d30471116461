"""The sections of the report, in order. A suite adds its own: one file and one line here."""

from __future__ import annotations

from horsesense.plugins import Registry
from horsesense.report.sections.agreement import AGREEMENT
from horsesense.report.sections.appendix import GLOSSARY, LEFT_OUT, NUMBERS, SIGNATURES
from horsesense.report.sections.base import Section
from horsesense.report.sections.budget import BUDGET, OF_THOUGHT
from horsesense.report.sections.items import SECTION as ITEMS
from horsesense.report.sections.look_at_text import LOOK_AT_TEXT
from horsesense.report.sections.multi_problem import MULTI_PROBLEM
from horsesense.report.sections.option_count import OPTION_COUNT
from horsesense.report.sections.people import PEOPLE
from horsesense.report.sections.positions import POSITIONS
from horsesense.report.sections.protocol import PROTOCOL
from horsesense.report.sections.readers import READERS
from horsesense.report.sections.replies import REPLIES
from horsesense.report.sections.score import SCORE
from horsesense.report.sections.second_look import SECOND_LOOK
from horsesense.report.sections.server import SERVER
from horsesense.report.sections.until import UNTIL
from horsesense.report.sections.variance import VARIANCE
from horsesense.report.sections.without_gold import WITHOUT_GOLD

__all__ = ["APPENDIX", "SECTIONS", "Section", "in_order"]

SECTIONS: Registry[Section] = Registry("section", group="horsesense.sections")
"""Findings: they stand before the items."""
for _section in (
    PEOPLE,
    SCORE,
    REPLIES,
    ITEMS,
    UNTIL,
    POSITIONS,
    AGREEMENT,
    VARIANCE,
    SERVER,
    BUDGET,
    OF_THOUGHT,
    OPTION_COUNT,
    WITHOUT_GOLD,
    SECOND_LOOK,
    MULTI_PROBLEM,
    LOOK_AT_TEXT,
    READERS,
    PROTOCOL,
):
    SECTIONS.add(_section.id, _section)

APPENDIX: Registry[Section] = Registry("section")
"""What stands after the items."""
for _section in (NUMBERS, LEFT_OUT, GLOSSARY, SIGNATURES):
    APPENDIX.add(_section.id, _section)


def in_order() -> list[Section]:
    """The sections as a page has them: those of other places come last, unless they say `first`."""
    return sorted(SECTIONS, key=lambda section: not section.first)

"""The sections of the report, in order. A suite adds its own: one file and its name here."""

from __future__ import annotations

from horsesense.plugins import Registry, declared
from horsesense.report.sections.base import Section

__all__ = ["APPENDIX", "SECTIONS", "Section", "in_order"]

_FINDINGS = """
people score replies items until positions agreement variance server budget option_count
without_gold second_look multi_problem look_at_text readers protocol
"""
SECTIONS: Registry[Section] = Registry("section", group="horsesense.sections")
"""Findings: they stand before the items."""
APPENDIX: Registry[Section] = Registry("section")
"""What stands after the items."""
for _sections, _modules in ((SECTIONS, _FINDINGS), (APPENDIX, "appendix")):
    for _section in declared(__name__, _modules, Section):
        _sections.add(_section.id, _section)


def in_order() -> list[Section]:
    """The sections as a page has them: those of other places come last, unless they say `first`."""
    return sorted(SECTIONS, key=lambda section: not section.first)

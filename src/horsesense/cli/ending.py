"""How a command that measured a run ends in a terminal."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap

from horsesense.report.score_bar import score_rows
from horsesense.report.told import in_brief
from horsesense.runs.results import Results

MOST = 6
"""Findings that are told; the report has them all."""
COLOURS = {"[found]": "31", "[undecided]": "33", "[no fault]": "32"}
"""What begins a finding's line -> its colour in a terminal (ANSI)."""


def ending(results: Results, *, colours: bool = True) -> list[str]:
    """The headline, its numbers as a table, and the first findings, as lines.

    In a terminal they are as wide as its window and have `colours`, unless NO_COLOR is set.
    """
    colours = colours and "NO_COLOR" not in os.environ
    headline, *said = in_brief(results, MOST, table=True)
    return [headline, *_table(results), *(line for each in said for line in _lines(each, colours))]


def _table(results: Results) -> list[str]:
    rows = score_rows(results)
    if not rows:
        return []
    columns = list(zip(("", "share", "interval", "n"), *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    return [
        f"  {title:{widths[0]}}  {value:>{widths[1]}}  {interval:{widths[2]}}  {n:>{widths[3]}}"
        for title, value, interval, n in zip(*columns, strict=True)
    ]


def _lines(sentence: str, colours: bool) -> list[str]:
    """A sentence as lines of a list."""
    if not sys.stdout.isatty():
        return [f"- {sentence}"]
    lines = textwrap.wrap(
        sentence,
        max(shutil.get_terminal_size().columns, 40),
        initial_indent="- ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    if colours:
        for begins, code in COLOURS.items():
            lines[0] = lines[0].replace(f"- {begins}", f"- \x1b[{code}m{begins}\x1b[0m")
    return lines

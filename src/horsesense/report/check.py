"""The page of `horsesense check`: what is wrong with the items, what to do, and the items."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from horsesense.checks.base import WEIGHTS
from horsesense.checks.check import CheckResult, quiet_kinds, sentence, summary
from horsesense.files import write_page
from horsesense.report.rendering import page
from horsesense.version import __version__

MOST = 30
"""Items shown of each finding; the others are counted."""


def write_check(results: Sequence[CheckResult], path: Path) -> Path:
    """Write the page to `path`; StoreError where it cannot be written."""
    html = page(
        "check.html",
        results=[(result, summary(result)) for result in results],
        weights=WEIGHTS,
        sentence=sentence,
        quiet_kinds=quiet_kinds,
        most=MOST,
        version=__version__,
    )
    write_page(path, html)
    return path

"""Tables as people fill them, read and saved as a spreadsheet does."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

Rows = list[dict[str, str]]


def rows_in(path: Path) -> Rows:
    """The rows of a file by column."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def save(
    rows: Sequence[dict[str, str]], path: Path, separator: str = ",", encoding: str = "utf-8"
) -> str:
    """Save rows with their columns; the path as a word of a command."""
    with path.open("w", newline="", encoding=encoding) as file:
        writer = csv.DictWriter(file, rows[0], delimiter=separator)
        writer.writeheader()
        writer.writerows(rows)
    return str(path)

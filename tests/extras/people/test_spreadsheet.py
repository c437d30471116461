"""Files for people in a real spreadsheet, where LibreOffice is installed; by rule everywhere."""

from __future__ import annotations

import csv
import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest

from horsesense_extras.people.review_files import COLUMNS, Row, write_csv
from payloads import FORMULAS

OFFICE = shutil.which("soffice") or shutil.which("libreoffice")


@pytest.fixture
def review(tmp_path: Path) -> Path:
    """A file whose every text attacks."""
    path = tmp_path / "review.csv"
    rows = [Row(f"{n:02x}" * 16, text, text, text, text, text) for n, text in enumerate(FORMULAS)]
    write_csv(rows, path)
    return path


def test_no_cell_begins_like_a_formula(review: Path) -> None:
    with review.open(newline="", encoding="utf-8-sig") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert len(cells) == (len(FORMULAS) + 1) * len(COLUMNS)
    for cell in cells:
        plain = unicodedata.normalize("NFKC", cell)
        seen = "".join(c for c in plain if unicodedata.category(c)[0] not in "CZ")
        assert not seen.startswith(("=", "+", "-", "@", "\N{MINUS SIGN}")), repr(cell)


@pytest.mark.slow
@pytest.mark.skipif(OFFICE is None, reason="needs LibreOffice")
def test_a_spreadsheet_computes_nothing(review: Path, tmp_path: Path) -> None:
    control = tmp_path / "control.csv"
    control.write_text('"=1+1","x"\n', encoding="utf-8")
    for path in (review, control):
        command = [str(OFFICE), "--headless", "--convert-to", "fods", str(path)]
        subprocess.run([*command, "--outdir", str(tmp_path)], check=True, capture_output=True)
    assert "table:formula" in control.with_suffix(".fods").read_text(encoding="utf-8")
    assert "table:formula" not in review.with_suffix(".fods").read_text(encoding="utf-8")

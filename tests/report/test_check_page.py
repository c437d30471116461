"""The page of `check` holds every finding and its items, and hostile text stays text."""

from __future__ import annotations

from pathlib import Path

from markupsafe import escape

from horsesense.checks.check import check_items, sentence
from horsesense.items.load import load_items
from horsesense.report.check import write_check
from studies import jsonl

SCRIPT = "<script>alert(1)</script>"


def test_every_finding_and_its_items_are_on_the_page(tmp_path: Path) -> None:
    rows = [
        {
            "id": f"q{i}{SCRIPT}" if i == 3 else f"q{i}",
            "question": f"Which is number {i // 2}?{SCRIPT}",
            "options": [f"{i}.0", f"{i}.1", "all of the above", f"{i}.1"],
            "answer_index": 0,
        }
        for i in range(40)
    ]
    result = check_items(load_items(jsonl(tmp_path / "items.jsonl", rows)))
    assert result.findings
    html = write_check([result], tmp_path / "check.html").read_text(encoding="utf-8")
    assert "<script" not in html
    assert "default-src 'none'" in html
    for finding in result.findings:
        assert finding.rule.name in html
        assert str(escape(sentence(finding))) in html
        for hit in finding.found.hits[:5]:
            assert hit.item.partition("<")[0] in html

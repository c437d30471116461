"""Replies that are unclear: received, not counted, and said so on page and terminal alike."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import horsesense as hs
from horsesense.cli.each import show
from horsesense.models.messages import Response
from horsesense.report import verdict_of, write_report
from horsesense.report.item_text import item_json, item_text
from horsesense.report.reasons import evidence_of
from horsesense.runs.results import Results
from scripted import saying
from studies import study

REPLY = "B was my first idea, though C may be."
SILENT = "12 of 12 replies were unreadable: this says nothing of what the model knows."


@pytest.fixture(scope="module")
def unclear(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Every reply is about something else."""
    folder: Path = tmp_path_factory.mktemp("unclear")
    model = saying(lambda asked: Response(REPLY, "stop"))
    made = study(12, "sim:oracle", folder / "run", probes=("original",), asked=model)
    return made.results


def test_they_are_unclear_and_not_missing(unclear: Results) -> None:
    read = unclear.directory.readings().collect()
    assert set(read.filter(read["reader"] == "text")["status"]) == {"unclear"}
    assert unclear.reader == "text"
    holds = evidence_of(unclear).holds
    assert len(holds["reply unclear"]) == 12
    assert not holds.keys() & {
        "no answer received",
        "no option chosen",
        "wrong in the original order",
    }
    assert not evidence_of(unclear).part


def test_an_unclear_reply_is_neither_right_nor_wrong(unclear: Results) -> None:
    found = item_json(unclear, "q0")
    (read,) = (r for r in found["forms"][0]["readings"] if r["reader"] == "text")
    assert (read["status"], read["correct"]) == ("unclear", None)
    assert "no choice can be told with enough confidence (" in item_text(found)


def test_page_terminal_and_json_say_that_nothing_could_be_read(
    unclear: Results, capsys: pytest.CaptureFixture[str]
) -> None:
    assert SILENT in verdict_of(unclear)
    assert SILENT in write_report(unclear).read_text(encoding="utf-8")
    run = hs.open(unclear.directory.layout.root)
    show(run, as_json=False)
    assert SILENT in capsys.readouterr().out
    show(run, as_json=True)
    assert json.loads(capsys.readouterr().out)["headline"] == SILENT

"""The text reader first, a judge for what it is not sure of."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from each import each
from horsesense.api import audit
from horsesense.cli.each import show
from horsesense.errors import UsageError
from horsesense.models.messages import Response
from horsesense.readers.model_based import cascade
from horsesense.readers.model_based.cascade import CascadeReader
from horsesense.readers.model_based.make import make_bulk_reader
from horsesense.readers.reading import Reading, Status
from horsesense.readers.text_answers import TextAnswers
from horsesense.testing.faults import FaultServer
from horsesense.trials.condition import PLAIN
from horsesense.trials.trial import Trial, Variant

UNSURE = "The answer is (A), or so I think."


class Doubtful(TextAnswers):
    """The text reader, unsure of one reply."""

    def read(self, trial: Trial, response: Response) -> tuple[Reading, ...]:
        found = super().read(trial, response)
        return (replace(found[0], confidence=0.3),) if response.text == UNSURE else found


@each("spec", ["", "http:x", "judge=", "at=2:judge=http:x", "at=x:judge=http:x"])
def test_a_name_that_is_no_cascade_is_refused(spec: str) -> None:
    with pytest.raises(UsageError):
        make_bulk_reader(f"cascade:{spec}")


def test_a_judge_that_cannot_judge_is_refused() -> None:
    with pytest.raises(UsageError, match="cannot be a judge"):
        CascadeReader("judge=sim:prior")


def test_the_version_says_who_judges_and_from_which_confidence() -> None:
    names = ("judge=http:x", "judge=http:y", "at=0.5:judge=http:x")
    assert len({CascadeReader(name).version for name in names}) == 3


def test_the_judge_sees_only_what_the_rules_leave_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def answer(prompt: str) -> str:
        if "References:" in prompt:
            asked.append(prompt)
            return "B"
        sure = len(prompt) % 2 == 0
        return "The answer is (A)." if sure else UNSURE

    monkeypatch.setattr(cascade, "TextAnswers", Doubtful)
    with FaultServer(answer=answer) as server:
        name = f"cascade:judge=http:judge@{server.url}"
        run = audit(
            "sample",
            model=f"http:subject@{server.url}",
            out=tmp_path / "run",
            probes=("original",),
            readers=(name,),
            limit=12,
        )
    told = run.findings["cascades"][name]
    before = f"{told['left_open']} of 12 replies go to judge:http:judge@{server.url}, about "
    assert before in capsys.readouterr().err
    assert told["read"] == 12
    assert 0 < told["left_open"] < 12
    assert told["judged"] == told["left_open"] >= told["changed"] > 0
    assert all(UNSURE in prompt for prompt in asked)
    assert all("The answer is (A)." not in prompt for prompt in asked)
    by_reader = {e.reader: e for e in run.results.estimates if e.measure == "accuracy"}
    assert set(by_reader) == {"text", name}
    assert run.results.reader == name
    chosen = run.readings.filter(run.readings["reader"] == name)
    assert chosen["rule"].str.starts_with("judge").sum() == told["judged"]
    page = (tmp_path / "run" / "report.html").read_text()
    assert "The cascade, step by step" in page
    show(run, as_json=False)
    said = capsys.readouterr().out
    assert f"text settled {12 - told['left_open']} of 12 replies" in said
    assert "by text, then" in said


@pytest.mark.parametrize("status", ["illegal", "truncated", "empty"])
def test_what_a_judge_has_no_code_for_is_not_shown_to_it(status: Status) -> None:
    variant = Variant("i", "?", ("red", "blue"), ("A", "B"), (0, 1), 0)
    trial = Trial("original", PLAIN, 0, (variant,))
    reader = CascadeReader("judge=http:x")
    opens = {one: reader._open(trial, Response("?"), (Reading(one, confidence=0.5),))
             for one in (status, "ambiguous", "unclear")}  # fmt: skip
    assert opens == {status: False, "ambiguous": True, "unclear": True}

"""What a headline says, what stands beside it, and what the figure of the score holds."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from horsesense.cli.ending import ending
from horsesense.findings.finding import Finding
from horsesense.findings.guesses import AS_WELL
from horsesense.report.behind_score import caveats, may_be_guessing
from horsesense.report.score_bar import NO_SCORE, headline, score_bar, score_rows, spoken
from horsesense.report.told import as_rows, in_brief, notices_of, told_of, verdict_of
from horsesense.runs.results import Results
from pages import MODELS
from studies import items_file, study


def told(run: Results, **findings: Any) -> Results:
    """A run of which other things are told."""
    return replace(run, findings={**run.findings, **findings})


def judged(run: Results, **changes: Any) -> Results:
    """A run of whose score the verdict says something else."""
    f = next(f for f in run.verdict if f.kind == "no_better_than_guessing")
    return told(run, verdict=[replace(f, **changes).as_json()])


@pytest.mark.parametrize("model", MODELS)
def test_a_headline_is_one_short_sentence_of_three_numbers(
    runs: dict[str, Results], model: str
) -> None:
    (said,) = headline(runs[model])
    if model == "refuse":
        assert said.startswith("40 of 40 replies refused to answer; ")
        said = said.partition("; ")[2]
    assert len(said.split(" ")) <= 16
    assert len(re.findall(r"\d+", said)) <= 3
    assert not re.search(r"[\[(]|but|may", said), "what limits it stands beside it"
    assert said.startswith(
        f"{100 * (runs[model].one('accuracy').value or 0):.0f}\u202f% right in the"
    )  # type: ignore[union-attr]


@pytest.mark.parametrize("model", MODELS)
def test_who_sees_no_figure_is_told_its_numbers(runs: dict[str, Results], model: str) -> None:
    first, *beside = spoken(runs[model])
    assert first == headline(runs[model])[0][:-1] + " (40 items)."
    assert all(line.endswith(".") for line in beside)
    assert verdict_of(runs[model])[: len(beside) + 1] == [first, *beside]
    assert set(caveats(runs[model])) <= set(beside)


def test_another_readers_score_takes_the_place_of_the_share_known(runs: dict[str, Results]) -> None:
    (said,) = headline(runs["talker"])
    assert said.endswith(" by the first token.")
    assert any(line.startswith("Known (estimated): ") for line in spoken(runs["talker"]))


def test_a_score_that_may_be_guessing_says_so(runs: dict[str, Results]) -> None:
    run = judged(runs["uniform"], conclusion="undecided")
    assert list(caveats(run)) == ["The score may be guessing, which gives 25\u202f%."]
    assert may_be_guessing(judged(run, conclusion="ruled_out")) == ""
    doubted = judged(run, conclusion="undecided", detail=AS_WELL)
    assert may_be_guessing(doubted) == "Over all orders, guesses would do as well (25\u202f%)."
    # Who chooses nothing does not guess.
    assert may_be_guessing(judged(runs["refuse"], conclusion="undecided")) == ""


def test_replies_that_a_score_lacks_are_counted(runs: dict[str, Results]) -> None:
    run = runs["oracle"]
    score = run.score
    estimates = tuple(e._replace(n=33, n_missing=7) if e == score else e for e in run.estimates)
    lost = {"probe": "original", "condition": "", "not_asked": 4, "failed": 2}
    some = replace(told(run, unanswered=[lost]), estimates=estimates)
    (said,) = caveats(some)
    assert said.startswith("Behind the score, 4 of 40 prompts have no reply, 2 failed and 1 has an")
    (said,) = caveats(replace(told(run, unanswered=[]), estimates=estimates))
    assert said == "The score lacks 7 of 40 replies: missing or unclear."


def test_why_the_share_known_is_missing_or_doubtful(runs: dict[str, Results]) -> None:
    run = runs["oracle"]
    assert any(line.startswith("The estimate of what is known is d") for line in spoken(run))
    assert "known" not in headline(run)[0], "a headline has no doubtful number"
    known = run.findings["known"][run.reader]
    for changes, said in (
        ({"value": None, "reason": "few items"}, "cannot be estimated: few items."),
        ({"reason": "", "value": 0.7, "lucky": 0.6}, "without them, 60\u202f% would be known."),
    ):
        other = told(run, known={run.reader: {**known, **changes}})
        assert any(line.endswith(said) for line in spoken(other))
        assert any(note.endswith(said) for note in score_bar(other).notes)
        missing = changes.get("value") is None
        assert (score_bar(other).marks[0].words == "not estimated") == missing, "a note says why"
    assert "about 70\u202f% known" in headline(other)[0]


def test_a_question_that_was_never_withheld_is_told(tmp_path: Path) -> None:
    run = study(12, "sim:oracle", tmp_path / "run", probes=("order",)).results
    said = "How many are right without the question is not known: it was not asked"
    assert any(line.startswith(said) for line in spoken(run))
    assert any(note.startswith(said) for note in score_bar(run).notes)
    assert score_bar(run).marks[-1].words == "not asked"
    only = told(run, composition={})
    only = replace(only, findings={**only.findings, "probes": []})
    assert not score_bar(only).segments


def test_a_score_without_orders_says_that_its_parts_are_not_known(tmp_path: Path) -> None:
    items = items_file(tmp_path / "items.jsonl", 6)
    run = study(items, "sim:oracle", tmp_path / "run", probes=("labels",)).results
    assert [row[0] for row in score_rows(run)] == ["In the original order"]
    assert not any("this is not judged" in text for text in notices_of(run)), "nothing changed"
    moved = study(items, "sim:uniform", tmp_path / "moved", probes=("labels",)).results
    assert any("it was not asked, so this is not judged." in text for text in notices_of(moved))
    assert "the probe order and the probe options_only were not asked." in " ".join(caveats(run))


def test_a_run_without_a_score_says_so(runs: dict[str, Results]) -> None:
    none = replace(runs["oracle"], estimates=())
    assert (headline(none), score_bar(none)) == ([], None)
    assert verdict_of(none)[0] == NO_SCORE


@pytest.mark.parametrize("model", MODELS)
def test_the_bar_adds_up_to_the_score(runs: dict[str, Results], model: str) -> None:
    bar, score = score_bar(runs[model]), runs[model].one("accuracy")
    assert sum(s.width for s in bar.segments) == pytest.approx(100, abs=0.01)
    published = bar.segments[0].width + bar.segments[1].width
    assert published == pytest.approx(100 * (score.value or 0), abs=0.01)
    assert not bar.together, "a score of the same items is told once"
    assert all(s.start <= 100 and s.strip <= s.width for s in bar.segments)


def test_a_bar_of_other_items_than_the_score_has_a_score_of_its_own(
    runs: dict[str, Results],
) -> None:
    run = runs["oracle"]
    block = run.findings["composition"][run.reader]
    about = {**block, "unclassified": 3, "about": 90}
    other = told(run, composition={run.reader: about})
    bar = score_bar(other)
    assert "% of 37 items in every order" in headline(other)[0], "two shares of other items"
    same, every = score_rows(other)[1:3]
    assert same == (
        "Original order, same items",
        "100\u202f%",
        "no interval",
        "37",
    )
    assert (every[0], every[3]) == ("Right in the original and all orders", "37")
    assert bar.together == "100\u202f%"
    assert any(note.startswith("The parts are of the 37 of 90 items") for note in bar.notes)


class TestTerminal:
    def test_findings_have_intervals_and_open_questions_are_folded(
        self, runs: dict[str, Results]
    ) -> None:
        for model in ("position?k=1", "refuse", "uniform"):
            brief, long = in_brief(runs[model]), verdict_of(runs[model])
            found = [line for line in brief if line.startswith("[found]")]
            assert all("\u202f% interval [" in line for line in found)
            assert len(brief) <= len(long)
            assert not any(re.match(r"\[undecided\].* undecided", line) for line in brief)
            assert sum("without a sign of a fault" in line for line in brief) <= 1

    def test_the_end_of_an_audit_is_a_table_and_six_findings_as_wide_as_the_window(
        self, runs: dict[str, Results], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run = runs["position?k=1"]
        piped = ending(run)
        monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
        monkeypatch.setenv("COLUMNS", "60")
        monkeypatch.delenv("NO_COLOR", raising=False)
        shown = ending(run)
        columns, title = piped[1].split(), piped[2]
        assert columns == ["share", "interval", "n"]
        assert title.split()[:4] == ["In", "the", "original", "order"]
        assert title.endswith(str(run.score.n if run.score else 0))
        assert sum(line.startswith("- [") for line in piped) <= 6
        told = told_of(run)[0][2][0]
        left = f"{len(run.verdict) - 1 - len(told.others)} more checks in the report."
        assert left in in_brief(run, 1), "as many as the report counts"
        assert any(re.fullmatch(r"- \d+ more checks in the report\.", line) for line in piped)
        assert any("\x1b[31m[found]\x1b[0m" in line for line in shown)
        assert max(len(re.sub(r"\x1b\[\d+m", "", line)) for line in shown[1:]) <= 60

    def test_data_hold_the_same(self, runs: dict[str, Results]) -> None:
        run = runs["ranker"]
        rows = as_rows(run)
        assert rows["headline"].startswith(spoken(run)[0])
        assert [Finding.from_json(row) for row in rows["verdict"]] == list(run.verdict)

    def test_too_few_items_of_one_form_say_so_of_that_form_alone(
        self, runs: dict[str, Results]
    ) -> None:
        run = runs["oracle"]
        first, *others = (f for f in run.verdict if f.measured)
        few = replace(first, about="these_items", group="", label="First form", n=1, units=1)
        said = notices_of(told(run, verdict=[few.as_json(), *(f.as_json() for f in others)]))
        assert said[0] == "Under “First form”, 1 item is too few for a verdict on others like them."
        said = notices_of(told(run, verdict=[few.as_json()]))
        assert said[0] == "1 item is too few for a verdict on others like them."
        one = replace(first, conclusion="found", forms=2, found_in=1).as_json()
        assert any("in 1 of 2 forms" in line for line in in_brief(told(run, verdict=[one])))

    def test_what_is_better_than_guessing_is_not_called_ruled_out(
        self, runs: dict[str, Results]
    ) -> None:
        lines = in_brief(runs["oracle"])
        assert any(line.startswith("[no fault] Better than guessing") for line in lines)

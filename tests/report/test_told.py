"""What a headline, a terminal and the first screen say of a run, and what they fold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import horsesense as hs
from horsesense.findings.finding import Finding
from horsesense.findings.wording import level_text
from horsesense.report import verdict_of, write_report
from horsesense.report.behind_score import may_be_guessing
from horsesense.report.checks import Check, checks_of, named
from horsesense.report.checks import _interval as _interval_of
from horsesense.report.reasons import reasons_of
from horsesense.report.score_bar import (
    NO_SCORE,
    _interval,
    _share,
    _told_known,
    headline,
    score_bar,
    spoken,
)
from horsesense.report.shown import shown_interval
from horsesense.report.told import ALWAYS, _open, as_rows, in_brief
from horsesense.runs.results import Results
from studies import items_file, study

PROBES = ("repeat", "order", "none_of_the_above", "options_only")


def audited(root: Path, model: str, n: int = 40, **more: Any) -> Results:
    items = items_file(root / "items.jsonl", n)
    return study(items, model, root / "run", **{"probes": PROBES, **more}).results


@pytest.fixture(scope="module")
def guesses(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return audited(tmp_path_factory.mktemp("guesses"), "sim:prior?know=0.15&prior=1,1,1,1")


@pytest.fixture(scope="module")
def refuses(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return audited(tmp_path_factory.mktemp("refuses"), "sim:refuse")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Asked until decided, which took all items."""
    root = tmp_path_factory.mktemp("whole")
    return audited(root, "sim:prior?know=0.3&prior=1,1,1,1", until="decided")


class TestHeadline:
    def test_a_constant_answer_is_not_said_to_explain_what_lies_above_it(
        self, guesses: Results
    ) -> None:
        """ "100 % as published (6 items), which one answer to all may explain (33 %)"."""
        names = (f for f in guesses.verdict if f.name == "no_better_than_guessing")
        f = replace(next(names), kind="cannot_tell", null=0.25, low=0.3, constant=1 / 3)
        run = SimpleNamespace(verdict=[f], reader=f.reader, one=lambda *_: None, items=[])
        said = may_be_guessing(run)  # type: ignore[arg-type]
        assert said == ", not shown to be above the 33\u202f% of one answer to all"

    def test_a_score_that_may_be_guessing_says_so(self, guesses: Results) -> None:
        assert "s published, which may be guessing (25\u202f%); " in headline(guesses)[0]
        oracle = replace(guesses.verdict[0], name="no_better_than_guessing", kind="ruled_out")
        sure = SimpleNamespace(verdict=[oracle], reader=oracle.reader)
        assert may_be_guessing(sure) == ""  # type: ignore[arg-type]

    def test_who_refuses_does_not_guess(self, refuses: Results) -> None:
        """ "0 % as published, which may be guessing (25 %)", though no reply chose an option."""
        assert headline(refuses)[0].startswith("0\u202f% as published")
        assert "guessing" not in headline(refuses)[0]

    def test_who_is_right_in_every_order_does_not_guess(self, tmp_path: Path) -> None:
        """Five items: "100 % as published, which may be guessing; 100 % in every order"."""
        said = headline(audited(tmp_path, "sim:oracle", 5))[0]
        assert "100\u202f% in every order" in said
        assert "guessing" not in said

    @pytest.mark.parametrize("until", [None, "decided"])
    def test_nor_does_who_is_above_one_answer_to_all(
        self, tmp_path: Path, until: str | None
    ) -> None:
        """ "100 %, not shown to be above the 60 % of one answer to all; 100 % in every order"; of
        all prompts, at a stricter level, without that doubt."""
        rows = [
            {
                "question": f"Which is {n}?",
                "options": [f"{n}{c}" for c in "abcd"],
                "answer_index": g,
            }
            for n, g in enumerate([2, 2, 2, 0, 1])
        ]
        run = hs.audit(rows, model="sim:oracle", probes=("order",), until=until, out=tmp_path / "r")
        said = headline(run.results)[0]
        assert "100\u202f% in every order" in said
        assert "one answer to all" not in said
        assert "guessing" not in said

    def test_without_a_score_a_terminal_says_so(self, tmp_path: Path) -> None:
        """No item had a right answer: the page said that there is no score, and the terminal
        nothing."""
        rows = [{"question": f"{n}?", "options": [f"{n}a", f"{n}b", f"{n}c"]} for n in range(9)]
        run = hs.audit(rows, model="sim:uniform", probes=("order",), out=tmp_path / "run").results
        assert in_brief(run)[0] == verdict_of(run)[0] == NO_SCORE
        assert as_rows(run)["headline"] == ""

    def test_a_class_that_explains_the_score_is_right_in_every_order(self, tmp_path: Path) -> None:
        """ "75 % as published; 75 % in every order", where always "true" is right on 75 %."""
        rows = [
            {"question": f"Is {n} so?", "options": ["true", "false"], "answer_index": int(n >= 15)}
            for n in range(20)
        ]

        def says_true(prompts: Sequence[str]) -> list[str]:
            return [re.findall(r"([AB])[.):] true", prompt)[-1] for prompt in prompts]

        run = hs.audit(rows, model=says_true, probes=("order",), out=tmp_path / "run")
        assert (
            "75\u202f% as published, which may be guessing (50\u202f%); "
            in headline(run.results)[0]
        )

    def test_beliefs_that_are_right_by_luck_are_no_small_print(self) -> None:
        """15 % known, of which 1 % without them, and only the figure said so."""
        known = {"value": 0.15, "low": 0.06, "high": 0.3, "lucky": 0.0125, "rare": [], "reason": ""}
        told = "an estimated 15\u202f% [6, 30] known or found by comparing options"
        luck = ", 1\u202f% without beliefs that are right by luck"
        assert _told_known(known) == told + luck
        assert _told_known({**known, "lucky": 0.13}) == told
        known |= {"lucky": 0.14, "reason": "the fit could not be checked"}
        assert _told_known(known) == f"{told}, but the fit could not be checked"

    def test_a_terminal_has_the_count_of_the_score(self, guesses: Results) -> None:
        assert "s published (40 items), which may be guessing" in spoken(guesses)[0]
        assert "40 items" not in headline(guesses)[0], "the page has it in the line below"

    def test_a_band_that_ends_at_the_size_does_not_seem_to_reach_it(self, guesses: Results) -> None:
        """ "[-5.0, 0.9]" stood among what is ruled out from 5 points on."""
        f = replace(guesses.verdict[0], kind="ruled_out", null=0.0, size=0.05, about="these_items")
        low, high = replace(f, low=-0.05, high=0.009), replace(f, low=-0.02, high=0.05)
        assert _interval_of(low, -5.0, 0.9, 1) == "[above \u22125.0, 0.9]"
        assert _interval_of(high, -2.0, 5.0, 1) == "[\u22122.0, below 5.0]"
        assert _interval_of(replace(f, kind="cannot_tell"), -5.0, 0.9, 1) == "[\u22125.0, 0.9]"

    def test_an_interval_never_looks_like_a_point(self) -> None:
        """100 % [100, 100], rounded from .995 and 1."""

        def shown(value: float, low: float, high: float) -> str:
            part = {"value": value, "low": low, "high": high}
            return f"{_share(part)} {_interval(part)}"

        assert shown(1.0, 0.995, 1.0) == "100\u202f% [99.5, 100.0]"
        assert shown(0.9998, 0.9996, 1.0) == "99.98\u202f% [99.96, 100.00]"
        assert shown(0.6, 0.44, 0.74) == "60\u202f% [44, 74]"

    def test_another_readers_score_does_not_hide_the_share_known(self, tmp_path: Path) -> None:
        run = audited(tmp_path, "sim:talker?disagree=0.3", 120, probes=("order",))
        (short,) = headline(run)
        assert short.endswith(" by the first token."), "at most three shares"
        assert spoken(run)[0].endswith(" by the first token.")
        assert re.match("An estimated .* known or found by comparing options", spoken(run)[1])
        bar = score_bar(run)
        assert bar is not None
        assert bar.marks[0].title == "Known (estimated)"
        assert bar.marks[0].number

    def test_why_the_fit_could_not_be_checked(self, tmp_path: Path) -> None:
        (told,) = headline(audited(tmp_path, "sim:oracle", 60, probes=("order",)))
        said = "fewer than 20 of these 60 items are not right in every order: more or harder ones"
        assert f"({said}" in told

    def test_a_question_that_was_never_withheld_is_told(
        self, guesses: Results, tmp_path: Path
    ) -> None:
        """The share right without it was left out, as if there were none to know."""
        run = audited(tmp_path, "sim:oracle", 12, probes=("order",))
        why = "it was not asked; the probe options_only asks it"
        told = f"How many are right without the question is not known: {why}."
        assert told in verdict_of(run)
        assert told in in_brief(run)
        assert as_rows(run)["headline"].endswith(told)
        block = run.findings["composition"][run.reader]
        assert (block["questionless"], block["questionless_reason"]) == (None, why)
        page = write_report(run).read_text(encoding="utf-8")
        assert f"not known: {why}" in page
        assert guesses.findings["composition"][guesses.reader]["questionless_reason"] == ""
        assert "without the question is not known" not in " ".join(verdict_of(guesses))

    def test_each_share_says_of_how_many_items_it_is(self, tmp_path: Path) -> None:
        model, probes = "sim:prior?know=0.9", ("order", "labels", "repeat")
        run = audited(tmp_path, model, 900, probes=probes, until="decided")
        (told,) = headline(run)
        n = run.findings["composition"][run.reader]["items"]
        assert 0 < n < 900
        assert re.search(r"\(of [\d,]+ items\)|of the [\d,]+ of 900 items asked", told)
        assert f"(of the {n} items asked in all of them)" in told
        bar = score_bar(run)
        assert bar is not None
        right = sum(part["value"] for part in run.findings["composition"][run.reader]["parts"][:2])
        assert bar.together == f"{100 * right:.0f}\u202f%", "the score above is of other items"
        page = write_report(run).read_text(encoding="utf-8")
        assert f"<b>{bar.together}</b> <span>of these</span>" in page
        assert ('<h1 class="long">' in page) == (len(told) > 140), "it took five lines"

    def test_a_score_of_the_same_items_is_told_once(self, guesses: Results) -> None:
        bar = score_bar(guesses)
        assert bar is not None
        assert not bar.together
        page = write_report(guesses).read_text(encoding="utf-8")
        assert f"prompts in {len(guesses.asked)} probes" in page, "forms are ways to show an item"


class TestTerminal:
    def test_what_is_open_without_a_sign_is_one_line(self, guesses: Results) -> None:
        """12 of 15 lines were "cannot tell", five of them about no change at all."""
        long, brief = verdict_of(guesses), in_brief(guesses)
        opened = [line for line in brief if " further questions are open" in line]
        assert len(opened) == 1
        assert len(brief) < len(long) - 3
        assert any("whether the score is better than guessing" in line for line in brief)
        n = int(opened[0].split("] ")[1].split()[0])
        left = [f for f in guesses.verdict if f.kind == "cannot_tell"]
        most = max(f.items for f in left if f.items and abs(f.effect) < f.size)
        assert 3 < n < len(left)
        assert " items in all would settle " in opened[0]
        assert int(opened[0].split("about ")[1].split()[0].replace(",", "")) >= most * 0.99

    def test_every_open_question_is_counted(self, guesses: Results) -> None:
        """ "12 are open; about 2,800 items would settle 10 of them; 1 of them cannot be told"."""
        f = next(f for f in guesses.verdict if f.items)
        why = "clusters of such unlike sizes count as no more than 1"
        no_number = f"Cannot tell; how many items it would take is not known, as {why}."
        no_interval = "Cannot tell; there is no interval (too few items)."
        untold = "Whether it is so cannot be told: nothing was asked."
        some = [replace(f, items=None, sentence=said) for said in (no_number, no_interval, untold)]
        said = _open([f, *some])
        assert "would settle 1 of them, if there is nothing to find; for 2 of them the" in said
        assert f"is not known: {why}; there is no interval (too few items); 1 of them" in said
        assert said.endswith("cannot be told: nothing was asked.")

    def test_reasons_that_differ_in_the_level_alone_are_one(self, guesses: Results) -> None:
        """ "There is no interval at 99.75 % (too few ...)", five times in one line."""
        f = next(f for f in guesses.verdict if f.items)
        why = "too few independent clusters for so high a level, which the correction leaves"
        some = [
            replace(
                f,
                items=None,
                level=level,
                sentence=f"Cannot tell; there is no interval at {level_text(level)} ({why}).",
            )
            for level in (0.9975, 0.9964, 0.9993)
        ]
        said = _open([f, *some])
        assert said.endswith(f"known: there is no interval at 99.64 to 99.93\u202f% ({why}).")
        assert said.count("no interval") == 1
        assert f"no interval at 99.75\u202f% ({why})." in _open([f, some[0], some[0]])

    def test_what_is_ruled_out_is_a_fault(self, guesses: Results) -> None:
        """ "[ruled out] The model scores 61 %, better than guessing": read as if that were."""
        row = replace(guesses.verdict[0], kind="ruled_out").as_json()
        run = replace(guesses, findings={**guesses.findings, "verdict": [row]})
        for lines in (in_brief(run), verdict_of(run)):
            assert any(line.startswith("[fault ruled out] ") for line in lines)

    def test_why_the_share_known_is_missing(self, guesses: Results) -> None:
        known = guesses.findings["known"][guesses.reader]
        none = {guesses.reader: {**known, "value": None, "reason": "few items"}}
        run = replace(guesses, findings={**guesses.findings, "known": none})
        said = "The share known cannot be told: few items."
        assert said in in_brief(run)
        assert said not in in_brief(guesses)

    def test_why_something_cannot_be_told_is_told_once(self, refuses: Results) -> None:
        (line,) = [line for line in in_brief(refuses) if "[cannot tell]" in line]
        assert " which the report names: most replies choose no option" in line
        assert "would settle" not in line

    def test_reasons_are_named_once(self, guesses: Results) -> None:
        """ "1 cannot be told: ...; 1 cannot be told: ..." """
        blank = replace(next(f for f in guesses.verdict if f.kind == "cannot_tell"), items=None)
        some, other = (
            replace(blank, sentence=f"Whether it is so cannot be told: {why}.")
            for why in ("it is hidden", "nothing came")
        )
        assert _open([some, some, replace(blank, items=880)]) == (
            "3 further questions are open, which the report names; about 880 items in all would"
            " settle 1 of them, if there is nothing to find; 2 of them cannot be told: it is"
            " hidden."
        )
        assert _open([some, some, other]) == (
            "3 further questions are open, which the report names: it is hidden (2); nothing came"
            " (1)."
        )
        assert _open([some], further=False).startswith("1 question is open, which")
        plain = replace(blank, sentence="These items cannot tell.")
        assert _open([some, plain]) == (
            "2 further questions are open, which the report names; for 1 of them the number is not"
            " known; 1 of them cannot be told: it is hidden."
        )

    def test_findings_of_one_sentence_are_all_counted(self, guesses: Results) -> None:
        """Two that nothing was measured of, by the same words, were one open question."""
        blank = next(f for f in guesses.verdict if f.kind == "cannot_tell" and f.name != ALWAYS)
        blank = replace(blank, n=0, items=None, value=None, low=None, high=None, probe="order")
        blank = replace(blank, sentence="Whether it is so cannot be told: it is hidden.")
        other = replace(blank, sentence="Whether it helps cannot be told: nothing came.")
        each = [blank, replace(blank, name="position_locked"), other]
        rows = [f.as_json() for f in each]
        run = replace(guesses, findings={**guesses.findings, "verdict": rows})
        (line,) = [line for line in in_brief(run) if "[cannot tell]" in line]
        assert "] 3 questions are open" in line, "nothing else is"
        assert "it is hidden (2); nothing came (1)." in line

    def test_what_is_found_has_its_interval(self, refuses: Results) -> None:
        found = [line for line in in_brief(refuses) if line.startswith("[found]")]
        assert found
        assert all(line.endswith("].") and "\u202f% interval [" in line for line in found)


class TestChecks:
    def row(self, run: Results, name: str) -> Check:
        groups = checks_of(run, reasons_of(run), {}).groups
        return next(c for g in groups for c in g.checks if c.finding.name == name)

    def test_what_shows_no_sign_has_no_distance(self, guesses: Results) -> None:
        """ "Also open: replies choose no option (100 % against 95 %) +5.0", as if it were one."""
        told = named(self.row(guesses, "no_choice"))
        beside = "100\u202f% choose one; below 95\u202f% is a fault"
        assert told == f"replies choose no option ({beside}; no sign of it)"

    def test_a_row_has_the_level_and_the_count_of_its_interval(self, guesses: Results) -> None:
        """Every page began with "Brackets hold 95 % intervals", before brackets at 99.8 %."""
        row, f = (r := self.row(guesses, "no_choice")), r.finding
        assert row.about == f"at {level_text(f.level)}; {f.n} prompts"
        page = write_report(guesses).read_text(encoding="utf-8")
        assert page.count(f'<span class="more">{row.about}</span>') >= 1
        top = page.partition("Brackets hold 95 % intervals")[2].partition("</p>")[0]
        assert top.startswith(", beside what is found, ruled out or open at the level that stands")

    def test_a_row_says_what_keeps_it_from_showing(self, refuses: Results) -> None:
        """ "Cannot tell" stood beside [-25, -11.8], which leaves out 0."""
        row = self.row(refuses, "without_question")
        assert row.where == "Question withheld, 0\u202f% against 25\u202f%"
        assert row.why == "most replies choose no option"
        assert f"{row.where}: {row.why})" in named(row)
        assert "no sign" not in named(row)

    def test_a_reason_that_rows_share_stands_once(self, refuses: Results) -> None:
        """ "Also open: a (...: most replies choose no option), b (...: most replies ...)"."""
        why = "most replies choose no option"
        (group,) = (g for g in checks_of(refuses, [], {}).groups if g.outcome == "cannot_tell")
        sharing = [c for c in group.checks if c.why == why]
        assert len(sharing) > 3
        (line,) = (text for text in group.also(len(group.rest)) if why in text)
        assert line.count(why) == 1
        assert line.endswith(f"): {why}")
        assert all(f"({c.where})" in line for c in group.rest if c.why == why and c.where)
        assert sum(text.count(why) for text in group.in_words) == 1
        said = [text for text in verdict_of(refuses) if why in text]
        assert len(said) == 1
        assert " or whether " in said[0]

    def test_of_whom_an_interval_is(self, whole: Results) -> None:
        assert whole.findings["until"]["findings"]
        rows: list[Finding] = [f for f in whole.verdict if f.section == "until"]
        for f in rows:
            ends = f.about, f.low == f.high
            these = f.kind == "ruled_out"
            assert ends == (("these_items", True) if these else ("items_like_these", False))
        assert any(f.kind == "cannot_tell" for f in rows)
        checks = checks_of(whole, reasons_of(whole), {})
        assert not any(c.interval == "[0.0, 0.0]" for g in checks.groups for c in g.checks)
        known = replace(rows[0], kind="ruled_out", low=-0.025, high=-0.025, about="these_items")
        assert shown_interval(replace(known, value=-0.025)) == "of these items: −2.5 pts"
        one = SimpleNamespace(verdict=[known], readers=["text"], label=lambda *_: "x")
        made = checks_of(one, [], {})  # type: ignore[arg-type]
        ((row,),) = (group.checks for group in made.groups)
        assert (row.interval, row.of, made.of_these) == ("known", "of these items", True)


def test_what_lies_beyond_the_axis_is_marked(guesses: Results) -> None:
    """+99.6 and +61 had their dots at the same place, the end of the axis."""
    f = replace(next(f for f in guesses.verdict if f.measured), name="answer_change", null=0.0)
    far = replace(f, value=0.9, low=0.8, high=0.97)
    wide = replace(f, value=0.1, low=-0.7, high=0.75)
    near = replace(f, value=0.1, low=-0.02, high=0.3)
    rows = [f.as_json() for f in (far, wide, near)]
    run = replace(guesses, findings={**guesses.findings, "verdict": rows})
    checks = checks_of(run, [], {})
    told = {
        c.finding.value if c.outside else c.finding.low: c.beyond
        for group in checks.groups
        for c in group.checks
    }
    assert told == {0.9: ("right",), -0.7: ("left", "right"), -0.02: ()}
    assert checks.beyond
    page = write_report(run).read_text(encoding="utf-8")
    assert page.count('<svg class="beyond"') == 3
    assert "Reaches beyond the left and the right end of the axis." in page
    assert "An arrow points beyond the axis" in page


def test_detectable_changes_are_in_the_unit_of_changes(guesses: Results) -> None:
    """45.9 % beside differences in points."""
    html = write_report(guesses).read_text(encoding="utf-8")
    table = html[html.index("the minimum detectable effect") :].split("</table>")[0]
    told = [e.detectable for e in guesses.estimates if e.measure == "accuracy_change"]
    assert any(f'class="n">{100 * d:.1f}\u202fpts</td>' in table for d in told if d is not None)
    assert "\u202f%</td>" not in table

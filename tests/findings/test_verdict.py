"""The verdict: weights, both kinds of error, and evidence at its corrected level."""

from __future__ import annotations

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import binom

from cells import cell_of
from horsesense.findings.accusation import ALPHA, Accusation
from horsesense.findings.early import DECIDED, Banded, Decided, Early, _band
from horsesense.findings.evidence import Evidence, Way, clusters_needed
from horsesense.findings.finding import Finding, Outcome
from horsesense.findings.forms import by_position, speaking
from horsesense.findings.incomplete import why_open
from horsesense.findings.kinds import KINDS, SIZES, Kind
from horsesense.findings.known import by_gold
from horsesense.findings.needed import Needed, items_needed
from horsesense.findings.uncounted import LACK
from horsesense.findings.untested import named
from horsesense.findings.verdict import _after, accusations, verdict
from horsesense.findings.weights import weighted
from horsesense.findings.wording import (
    against,
    between,
    chance_text,
    in_points,
    level_text,
    signed,
)
from horsesense.measures.cells import STATUS_CODE, Cell
from horsesense.measures.composition import PARTS, ScoreComposition
from horsesense.measures.estimate import Context, Unknown, found_all
from horsesense.measures.registry import MEASURES
from horsesense.probes.gold_absent import HINTS
from horsesense.report.shown import shown_interval
from horsesense.report.told import told_of
from horsesense.runs.outlook import items_of
from horsesense.stats.paired import Paired
from horsesense.stats.shares import Shares
from horsesense.stats.words import these
from horsesense.trials.condition import PLAIN, Condition
from horsesense.trials.trial import NONE_OPTION, REFUSED_OPTION


def share(hits: int, n: int) -> Evidence:
    outcomes = np.repeat([1.0, 0.0], [hits, n - hits])
    about = Shares.of(outcomes, np.ones(n))
    return Evidence(about, "accuracy", "original", PLAIN, "text", "", n, "trials", 0.25)


def moved(up: int, down: int, lost: int) -> Accusation:
    """Of 100 items, so many rise and fall, and the last lack a reply."""
    rows = np.repeat([1.0, -1.0, 0.0], [up, down, 100 - up - down])
    low, high = rows.copy(), rows.copy()
    low[100 - lost :], high[100 - lost :] = -1.0, 1.0
    ends = [Paired.of(end, np.ones(100)) for end in (low, high)]
    about = Paired.of(rows[: 100 - lost], np.ones(100 - lost))
    unknown = Unknown(*ends, None) if lost else None
    evidence = replace(difference(up, down, 100), about=about, unknown=unknown)
    return Accusation(kind("accuracy_change"), evidence, 0.0, 0.05)


def difference(up: int, down: int, n: int) -> Evidence:
    outcomes = np.repeat([1.0, -1.0, 0.0], [up, down, n - up - down])
    about = Paired.of(outcomes, np.ones(n))
    return Evidence(about, "accuracy_change", "labels", PLAIN, "text", "", n, "items", None)


def found_in(cells: list[Cell], name: str) -> list[Evidence]:
    """The evidence of a measure in cells whose items are clusters of their own."""
    context = Context("d", "m", np.arange(9), signature=lambda *_: None)  # type: ignore[arg-type, return-value]
    found = found_all(cells, [MEASURES.get(name)], context)
    return [e for e in map(Evidence.of, found) if e is not None]


def kind(name: str) -> Kind:
    return next(k for k in KINDS if k.name == name)


class TestEvidence:
    def test_one_item_accuses_nobody(self) -> None:
        """A5: a perfect model with one item was said to be no better than guessing."""
        assert share(1, 1).p_found("lacks", 0.25, 0.05) == 1
        assert share(1, 1).p_ruled_out("lacks", 0.25, 0.05) == 1

    @pytest.mark.parametrize("n", [6, 12, 40])
    def test_an_interval_that_includes_chance_is_no_accusation(self, n: int) -> None:
        """A5: non-rejection is neither a fault nor its absence."""
        e = share(n // 3, n)
        assert e.p_found("lacks", 0.25, 0.05) > 0.05
        assert e.p_ruled_out("lacks", 0.25, 0.05) > 0.05

    def test_guessing_is_found_with_enough_items(self) -> None:
        assert share(250, 1000).p_found("lacks", 0.25, 0.05) < 0.001
        assert share(600, 1000).p_ruled_out("lacks", 0.25, 0.05) < 1e-6

    def test_a_small_null_is_held_to_the_binomial_tail(self) -> None:
        """2 of 40 against 1 %: exact P(X >= 2) = .0607; the score test alone says about .01."""
        e = share(2, 40)
        assert e.p_found("above", 0.01, 0.04) >= 0.055
        assert isinstance(e.about, Shares)
        assert e.about.tail_ends(0.0607)[0] == pytest.approx(0.01, abs=0.001)

    def test_no_change_of_many_items_is_ruled_out_and_of_few_is_not(self) -> None:
        assert difference(10, 10, 1000).p_ruled_out("both", 0.0, 0.05) < 0.001
        assert difference(1, 1, 20).p_ruled_out("both", 0.0, 0.05) > 0.05
        assert difference(1, 1, 20).p_found("both", 0.0, 0.05) > 0.5

    def test_sides_are_told_apart(self) -> None:
        fall = difference(2, 40, 200)
        assert fall.p_found("below", 0.0, 0.05) < 1e-4
        assert fall.p_found("above", 0.0, 0.05) > 0.5

    def test_items_needed_would_settle_it(self) -> None:
        """At the number that is named, no difference is ruled out in at least 3 of 4 studies."""
        few = difference(5, 5, 50)
        n = clusters_needed(few, "both", 0.0, 0.05, 0.05)
        assert n is not None
        rng = np.random.default_rng(1)
        settled = 0
        for _ in range(100):
            up, down = rng.multinomial(n, [0.1, 0.1, 0.8])[:2]
            settled += difference(up, down, n).p_ruled_out("both", 0.0, 0.05) <= 0.05
        assert 70 <= settled <= 97

    def test_numbers_from_few_items_settle_as_often_as_those_from_many(self) -> None:
        """Over pilots of 20 items, not of one that is typical: it was .57 for 2 that differ."""
        rng, settled, pilots = np.random.default_rng(2), 0, 80
        for _ in range(pilots):
            up, down = rng.multinomial(20, [0.05, 0.05, 0.9])[:2]
            n = clusters_needed(difference(up, down, 20), "both", 0.0, 0.05, 0.0006, none=True)
            assert n is not None
            up, down = rng.multinomial(n, [0.05, 0.05, 0.9])[:2]
            settled += difference(up, down, n).p_ruled_out("both", 0.0, 0.05) <= 0.0006
        assert 0.68 <= settled / pilots <= 0.92

    @pytest.mark.parametrize(("lost", "of"), [(2, 12), (3, 20), (4, 40), (6, 100)])
    @pytest.mark.parametrize("level", [0.005, 0.0006])
    def test_numbers_from_changes_in_one_direction_have_the_power_that_is_meant(
        self, lost: int, of: int, level: float
    ) -> None:
        """By exact sums over the binomial; it was .96 to 1.00."""
        n = clusters_needed(difference(0, lost, of), "both", 0.0, 0.05, level)
        assert n is not None
        found = [difference(0, k, n).p_found("both", 0.0, 0.05) <= level for k in range(n // 2)]
        least = found.index(True)
        assert all(found[least:])
        assert 0.75 <= binom.sf(least - 1, n, lost / of) <= 0.88

    def test_large_clusters_that_happen_to_agree_are_not_supposed_to_go_on(self) -> None:
        """10 of 100 single items differ, and none of ten texts of 30: number as if one had."""
        sizes = np.repeat([1.0, 30.0], [100, 10])

        def needed(*large: float) -> int:
            sums = np.zeros(110)
            sums[:10] = np.tile([1.0, -1.0], 5)
            sums[100 : 100 + len(large)] = large
            e = replace(difference(0, 0, 400), about=Paired.of(sums, sizes))
            return clusters_needed(e, "both", 0.0, 0.05, 0.005, none=True) or 0

        assert 0.4 < needed() / needed(30.0) < 1
        # Texts whose items change one by one show that they do, and cost little.
        assert needed(1, 2, -2, -1, 3, 1, -2, -1, 1, -2) < needed() / 3

    @pytest.mark.parametrize(
        ("hits", "of", "way", "null", "size", "truth"),
        [
            (9, 40, "lacks", 0.25, 0.05, 0.225),
            (24, 40, "lacks", 0.58, 0.05, 0.63),
            (1, 40, "above", 0.01, 0.04, 0.01),
            (3, 40, "above", 0.01, 0.04, 0.075),
        ],
    )
    def test_shares_needed_would_settle_it(
        self, hits: int, of: int, way: Way, null: float, size: float, truth: float
    ) -> None:
        """The numbers were up to three times too large, and too small for agreement."""
        n = clusters_needed(share(hits, of), way, null, size, 0.003)
        assert n is not None
        drawn = [share(h, n) for h in np.random.default_rng(1).binomial(n, truth, 100)]
        tests = [(e.p_found(way, null, size), e.p_ruled_out(way, null, size)) for e in drawn]
        assert 0.7 <= np.mean([min(both) <= 0.003 for both in tests]) <= 0.92

    def test_each_group_is_evidence_of_its_own(self) -> None:
        cell = cell_of([[0, 1], [0, 0]], [0, 0], k=2, positions=[[0, 1], [0, 0]])
        (a, b) = found_in([cell], "position_preference")
        assert [(e.group, e.value, e.about.n) for e in (a, b)] == [("A", 0.75, 4), ("B", 0.25, 4)]


class TestWeights:
    def accuse(self, *names: str) -> list[Accusation]:
        return [Accusation(kind(n), share(5, 10), 0.25, 0.05) for n in names]

    def test_half_is_on_the_main_questions(self) -> None:
        made = weighted(
            self.accuse("first_token", *["position_preference"] * 4, "no_choice", "answer_change")
        )
        assert sum(a.weight for a in made) == pytest.approx(1)
        assert made[0].weight == pytest.approx(0.25)
        assert [a.weight for a in made[1:5]] == pytest.approx([0.0625] * 4)
        assert made[5].weight == made[6].weight == pytest.approx(0.25)

    def test_alone_they_share_the_whole(self) -> None:
        made = weighted(self.accuse("no_choice", "answer_change"))
        assert [a.weight for a in made] == pytest.approx([0.5, 0.5])

    def test_kinds_are_whole(self) -> None:
        assert len(SIZES) == len(KINDS)
        for k in KINDS:
            assert k.measure in MEASURES.names()
            for text in (k.found, k.ruled_out):
                assert text.endswith(".")


def published(right: list[int]) -> Cell:
    return cell_of([[0 if r else 1] for r in right], [0] * len(right), probe="original")


class TestComposition:
    def cell(self) -> Cell:
        orders = cell_of([[0, 0], [0, 1], [1, 0], [1, 1], [0, -99]], [0] * 5, probe="order")
        (joint,) = ScoreComposition().cells([published([1, 1, 0, 0, 1]), orders])
        return joint

    def test_each_item_has_its_part(self) -> None:
        rows = ScoreComposition().rows(self.cell())
        assert rows.n == 4
        assert rows.n_missing == 1
        parts = ScoreComposition().value(rows.rows.sum(axis=0))
        assert dict(zip(PARTS, parts, strict=True)) == dict.fromkeys(PARTS, 0.25)

    def test_a_missing_form_leaves_the_parts_that_are_possible(self) -> None:
        from horsesense.measures.composition import parts, possible

        assert possible(self.cell())[4].tolist() == [True, True, False, False]
        assert parts(self.cell()).tolist() == [0, 1, 2, 3, -1]

    def test_what_is_right_and_wrong_as_published_is_right_in_some_orders(self) -> None:
        """Where a log shuffles its options, what depends on their order was in no part at all."""
        from horsesense.measures.composition import possible

        mixed = cell_of([[0, 1], [0, 0], [0, -99]], [0] * 3, probe="original")
        orders = cell_of([[0, 1], [0, 0], [0, 0]], [0] * 3, probe="order")
        (joint,) = ScoreComposition().cells([mixed, orders])
        assert possible(joint).tolist() == [
            [False, True, True, False],
            [True, False, False, False],
            [True, True, True, False],
        ]


class TestSwitches:
    def cells(self) -> list[Cell]:
        again = cell_of([[0], [1], [1], [1]], [0] * 4, probe="repeat")
        labels = cell_of([[1], [None], [1], [None]], [0] * 4, probe="labels")
        return [published([1, 1, 0, 0]), again, labels]

    def test_a_reply_without_a_choice_is_no_other_option(self) -> None:
        """It was said to change answers; now only the two that choose are compared."""
        (e,) = found_in(self.cells(), "answer_switch_beyond_repeat")
        assert (e.value, e.about.n) == (0.5, 2)
        (old,) = found_in(self.cells(), "answer_change_beyond_repeat")
        assert (old.value, old.about.n) == (0.5, 4)

    def test_what_chooses_no_option_is_not_missing(self) -> None:
        """ "4 of 24 items are missing" stood beside "1 of 2,400 trials have no answer"."""
        (e,) = found_in(self.cells(), "answer_switch_beyond_repeat")
        assert e.missing == 0
        original, again, _ = self.cells()
        lost = cell_of([[1], [None], [1], [-99]], [0] * 4, probe="labels")
        (e,) = found_in([original, again, lost], "answer_switch_beyond_repeat")
        assert (e.about.n, e.missing) == (2, 1)

    def test_it_is_told_as_what_it_is(self) -> None:
        change = {e.probe: e.value for e in found_in(self.cells(), "valid_change")}
        assert change == {"repeat": 0.0, "labels": -0.5}

    def test_a_refusal_is_no_other_option(self) -> None:
        """A model that refuses one form was said to choose other options there."""
        labels = cell_of([[0], [0], [REFUSED_OPTION], [NONE_OPTION]], [0] * 4, probe="labels")
        status = labels.status.copy()
        status[2:, 0] = STATUS_CODE["refusal"], STATUS_CODE["none"]
        refusing = replace(labels, status=status)
        cells = [published([1, 1, 1, 1]), replace(published([1, 1, 1, 1]), probe="repeat")]
        (e,) = found_in([*cells, refusing], "answer_switch_beyond_repeat")
        assert (e.value, e.about.n) == (0.0, 2)
        (shown,) = found_in([*cells, labels], "answer_switch_beyond_repeat")
        assert (shown.value, shown.about.n) == (0.5, 4)


def told(
    cells: list[Cell],
    *names: str,
    each: float = 1.0,
    sizes: dict[str, float] | None = None,
    unasked: dict[str, str] | None = None,
    clusters: npt.NDArray[np.intp] | None = None,
    some_gold: bool = False,
) -> list[Finding]:
    """The verdict on cells by some measures, of a run that promises the same answer throughout."""
    clusters = np.arange(max(len(cell.item) for cell in cells)) if clusters is None else clusters
    context = Context("d", "m", clusters, signature=lambda *_: None)  # type: ignore[arg-type, return-value]
    probe = {"title": "A probe", "invariant": "same_answer"}
    run = SimpleNamespace(
        reader="text",
        readers=[*dict.fromkeys(cell.reader for cell in cells)],
        probes=dict.fromkeys([*(cell.probe for cell in cells), *(unasked or {})], probe),
        unasked=unasked or {},
        by_people=False,
        lacking=LACK,
        not_covered=lambda e: "",
        ended="",
        never_asked=lambda _: 0,
        lost_shares=lambda _: (0.0, 0.0),
        some_gold=some_gold,
        label=lambda probe, condition: probe,
    )
    measures = map(MEASURES.get, names)
    return verdict(run, found_all(cells, measures, context), sizes, items_per_cluster=each)


class TestSentences:
    """No sentence is refuted by the number beside it."""

    def test_a_change_from_a_form_in_the_same_wording_says_so(self) -> None:
        """A model that slips in the form with the right answer alone was told "under 'None-option
        beside the right answer' accuracy rises", where it makes no mistake."""

        def cell(right: int, probe: str, **condition: str) -> Cell:
            made = cell_of([[0]] * right + [[1]] * (200 - right), [0] * 200, probe=probe)
            return replace(made, condition=Condition(**condition))

        shown = cell(160, "gold_absent", prompt="with_gold", asking="know_no", design="cyclic")
        beside = cell(200, "gold_plus_none", asking="know_no", design="cyclic")
        cells = [cell(200, "original"), shown, beside]
        told_of = {
            f.name: f.sentence
            for f in told(cells, "accuracy", "accuracy_change", "valid_change")
            if f.probe == "gold_plus_none"
        }
        assert told_of["accuracy_change"] == (
            "Under “gold_plus_none”, accuracy rises by 20 points, compared with the same wording "
            "without a none-option."
        )
        assert (
            "no fewer replies choose an option than in the same wording without a none-option"
            in told_of["fewer_choices"]
        )
        alone = told([cell(200, "original"), beside], "accuracy", "accuracy_change", "valid_change")
        assert not any("wording" in f.sentence for f in alone)
        assert any("than as published" in f.sentence for f in alone)

    def risen(self, probe: str) -> list[Cell]:
        as_published = cell_of([[None]] * 70 + [[0]] * 30, [0] * 100, probe="original")
        better = cell_of([[0]] * 100, [0] * 100, probe=probe)
        return [as_published, better]

    def test_an_item_without_a_right_answer_lacks_no_reply(self) -> None:
        """ "50 of 100 items lack a clear reply" where all replied, and 50 have no right answer."""
        cells = [published([1] * 8), replace(published([1] * 8), probe="labels")]
        gone = np.arange(8)[:, None] >= 4
        cells = [replace(c, correct=np.where(gone, -1, c.correct)) for c in cells]
        (e,) = found_in(cells, "accuracy_change")
        assert (e.about.n, e.missing) == (4, 0)
        lost = cell_of([[1]] * 6 + [[-99]] * 2, [1] * 8, probe="labels")
        (e,) = found_in([published([1] * 8), lost], "accuracy_change")
        assert (e.about.n, e.missing) == (6, 2)

    def test_many_problems_that_gain_are_not_told_to_cost(self) -> None:
        assert kind("many_problems").way == "both"
        assert "cost" not in kind("many_problems").title

    def test_a_none_option_is_told_from_one_side(self) -> None:
        text = kind("none_option").ruled_out
        assert "about as often" not in text
        assert "falls by less" not in text

    def test_more_choices_are_not_about_as_many(self) -> None:
        (f,) = told(self.risen("labels"), "valid_change")
        assert f.kind == "ruled_out"
        assert "no fewer replies choose" in f.sentence
        assert "+70 points" in f.sentence

    def test_items_in_clusters_are_counted_as_items(self) -> None:
        cells = [published([1, 1, 1, 0] * 5), replace(published([1, 1, 0, 0] * 5), probe="labels")]
        (alone,) = (f for f in told(cells, "valid_change") if f.kind == "cannot_tell")
        (four,) = (f for f in told(cells, "valid_change", each=4.0) if f.kind == "cannot_tell")
        assert alone.items is not None
        assert four.items == 4 * alone.items
        assert four.sentence.endswith(
            " items in all, in clusters like these, if there is nothing to find."
        )

    def test_an_effect_that_looks_large_is_no_known_effect(self) -> None:
        """A chance effect at 12 items was said to need 34, as if it were the truth."""
        cells = [published([1, 1, 1, 0] * 5), replace(published([1, 1, 0, 0] * 5), probe="labels")]
        found = told(cells, "accuracy", "accuracy_change", "answer_switch_beyond_repeat")
        (f,) = (f for f in found if f.name == "accuracy_change")
        assert f.value == pytest.approx(-0.25)
        assert re.search(
            r"; it would take about \d+ items in all if the effect is as large as it looks, and",
            f.sentence,
        )
        assert f.sentence.endswith(" if there is none.")

    def test_a_number_of_items_names_what_it_supposes(self) -> None:
        """ "It would take about 960 items", for a change of -4.6 points: only if there is none."""
        change = Accusation(kind("accuracy_change"), difference(5, 7, 60), 0.0, 0.05)
        assert (
            items_needed(change, 0.003, 60, 1)
            .told(change, 1)
            .endswith(" items in all if there is nothing to find")
        )
        both = Needed(2590, 2600).told(change, 1)
        assert both == (
            "; it would take about 2,600 items in all, whether the effect is as large as it looks"
            " or there is none"
        )
        assert Needed(900, 2600).told(change, 1).endswith(", and about 2,600 if there is none")
        guessing = kind("no_better_than_guessing")
        for hits, supposed in ((23, "as high as it looks"), (17, "5 points above guessing")):
            score = Accusation(guessing, share(hits, 60), 0.25, 0.05)
            assert Needed(none=300).told(score, 1).endswith(f" items in all if it is {supposed}")

    def test_where_as_many_would_have_sufficed_that_is_said(self) -> None:
        """27 % right without the question of 1,000 items, and chance is 25 %: neither number nor
        reason."""
        accused = Accusation(kind("without_question"), share(280, 1000), 0.25, 0.05)
        needed = items_needed(accused, 0.02, 1000, 1)
        assert needed.most is None
        assert needed.told(accused, 1).startswith("; as many would have sufficed if there were")

    def test_a_change_beside_its_size_is_told_from_it(self) -> None:
        """ "Changes by +5 points", of 5.2, where 5 matter; and "-5 points", of -4.6."""
        assert in_points(0.052, signed=True, beside=0.05) == "+5.2 points"
        assert in_points(-0.046, signed=True, beside=0.05) == "−4.6 points"
        assert in_points(0.05, beside=0.05) == "5 points"

    def test_few_unequal_clusters_name_no_number_for_a_share(self) -> None:
        """They settled .52 of what .8 was meant for: how noisy others are is hardly known."""
        sizes = np.repeat([1.0, 30.0], [100, 10])
        hits = np.where(np.arange(110) % 5 < 3, sizes, 0.0)
        few = replace(share(9, 40), about=Shares.of(hits, sizes))
        accused = Accusation(kind("without_question"), few, 0.55, 0.05)
        needed = items_needed(accused, 0.003, 400, 1)
        assert needed.most is None
        assert needed.told(accused, 3.6) == (
            "; how many items it would take is not known, as clusters of such unlike sizes count as"
            " no more than 17"
        )
        equal = replace(
            share(9, 40), about=Shares.of(np.repeat([2.0, 0.0], [6, 10]), np.full(16, 2.0))
        )
        accused = replace(accused, evidence=equal)
        assert items_needed(accused, 0.003, 32, 1).most is not None

    def test_where_replies_are_missing_the_number_is_what_every_reply_would_need(self) -> None:
        """14 of 100 rise and 4 fall: 228 items, 29,211 as if 9 in 100 lacked a reply again, none as
        if 10 did; and numbers like these settled .53 of what .8 was meant for."""
        for lost in (0, 2, 9, 10):
            accused = moved(14, 4, lost)
            needed = items_needed(accused, 0.01, 100, 1)
            assert needed.as_seen is not None
            assert 200 < needed.as_seen < 235
            told = needed.told(accused, 1.0)
            assert told.startswith(
                "; if every reply comes and is clear, it would" if lost else "; it would take about"
            )
        all_there, lost_some = (items_needed(moved(25, 8, n), 0.01, 100, 1) for n in (0, 4))
        assert all_there.none == 1775
        assert lost_some.none == pytest.approx(1775, rel=0.1)

    def test_where_the_replies_that_are_missing_would_do_that_is_said(self) -> None:
        """As many items would rule it out in four of five studies, with the replies that lack."""
        accused = moved(0, 0, 30)
        needed = items_needed(accused, 0.01, 100, 1)
        said = "; as many would do if every reply comes and is clear and there is nothing to find"
        assert (needed.most, needed.told(accused, 1)) == (None, said)

    def test_few_bundles_name_no_number(self) -> None:
        """Of 10 bundles, whose interval was everything, 11 were to settle it; then 13 of 12."""
        few = Accusation(kind("many_problems"), difference(1, 4, 12), 0.0, 0.05)
        needed = items_needed(few, 0.003, 120, 1)
        assert needed.most is None
        said = "; how many items it would take is not known, as 12 bundles are too few to say"
        assert needed.told(few, 1) == said

    def test_who_may_guess_is_told_no_number_that_would_rule_a_fault_out(self) -> None:
        change = Accusation(kind("accuracy_change"), difference(5, 15, 60), 0.0, 0.05)
        seen = items_needed(change, 0.003, 60, 1)
        assert seen.as_seen
        assert seen.none
        blind = items_needed(change, 0.003, 60, 1, blind=True)
        assert blind == replace(seen, none=None)

    def test_one_cluster_names_no_number(self) -> None:
        """One lucky item was said to need six."""
        for f in told([published([1])], "accuracy", "valid_rate"):
            assert (f.kind, f.low, f.items) == ("cannot_tell", None, None)
            assert "about" not in f.sentence

    def test_one_reason_for_two_probes_is_told_once(self) -> None:
        """ "1 cannot be told: no item ...; 1 cannot be told: no item ...", for the same reason."""
        why = "there are only two"
        found = told([published([1, 0] * 9)], "accuracy", unasked={"order": why, "labels": why})
        reasons = {f.reason for f in found if not f.measured}
        assert reasons == {f"no item can be asked under “A probe” or “A probe”, since {why}"}

    def test_what_could_not_be_asked_is_not_passed_over(self) -> None:
        """Kinds whose items were all excluded vanished (three orders of two options)."""
        found = told([published([1, 0] * 9)], "accuracy", unasked={"order": "there are only two"})
        silent = {f.name: f for f in found if f.probe == "order"}
        assert set(silent) == {
            "position_preference", "accuracy_change", "answer_change", "fewer_choices",
            "position_locked", "no_agreement",
        }  # fmt: skip
        for f in silent.values():
            assert (f.kind, f.value, f.low, f.weight, f.measured) == (
                "cannot_tell", None, None, 0.0, False,
            )  # fmt: skip
            assert f.reason == "no item can be asked under “A probe”, since there are only two"
        position = silent["position_preference"].sentence
        assert position == f"Whether a position is preferred cannot be told: {f.reason}."
        # Each has a sentence of its own, and those who read them all read one.
        (one,) = [
            t
            for _, _, group in told_of(SimpleNamespace(verdict=[*silent.values()]))  # type: ignore[arg-type]
            for t in group
        ]
        assert one.sentence.startswith("Whether a position is preferred, whether accuracy changes")
        assert ", or whether the model agrees with itself" in one.sentence
        assert one.sentence.count(f.reason) == 1
        # It takes no share of the error rate from what could be asked.
        assert sum(f.weight for f in found) == 1

    def test_what_has_no_right_answer_is_not_passed_over(self) -> None:
        unknown = replace(published([1] * 20), correct=np.full((20, 1), -1, np.int8))
        (f,) = (f for f in told([unknown], "accuracy") if f.probe == "original")
        assert (f.kind, f.name) == ("cannot_tell", "no_better_than_guessing")
        assert f.reason == "no item has a gold answer"

    def test_less_than_guessing_is_told_as_such(self) -> None:
        """ "28 % of its answers, less than 5 points above guessing (53 %)" sounds like 58 %."""
        (f,) = (f for f in told([published([0] * 60)], "accuracy") if f.probe == "original")
        assert f.kind == "found"
        assert f.sentence.endswith("below guessing (25\u202f%), and so not 5 points above it.")

    @pytest.mark.parametrize("right", [320, 420, 980])
    def test_better_than_guessing_says_by_how_much_at_least(self, right: int) -> None:
        """ "Less than 5 points would be a fault", of a score 4 to 10 points above guessing."""
        cell = published([1] * right + [0] * (1000 - right))
        (f,) = (f for f in told([cell], "accuracy") if f.probe == "original")
        assert f.kind == "ruled_out"
        assert "fault" not in f.sentence
        assert f.low is not None
        said = f.sentence.partition("better than guessing (25\u202f%), by at least ")[2]
        least = float(said.removesuffix(" points."))
        above = 100 * (f.low - f.null)
        assert above - 1 < least <= above
        assert above - least < 0.1 or least >= 10

    @pytest.mark.parametrize("known", [True, False])
    def test_accuracy_is_spoken_of_where_there_is_one(self, known: bool) -> None:
        """ "So accuracy says as much", where no item had a right answer."""
        cell = cell_of([[0]] * 20 + [[None]] * 40, [0] * 60, probe="original")
        if not known:
            cell = replace(cell, correct=np.full((60, 1), -1, np.int8))
        (f,) = (f for f in told([cell], "valid_rate", some_gold=known) if f.name == "no_choice")
        assert f.kind == "found"
        assert f.sentence.startswith("33\u202f% of replies choose an option, fewer than 95\u202f%")
        assert ("accuracy" in f.sentence) == known

    def test_where_there_is_no_interval_the_reason_is_told(self) -> None:
        cells = [published([1, 0, 1]), replace(published([1, 0, 0]), probe="labels")]
        (f,) = (f for f in told(cells, "valid_change") if f.name == "fewer_choices")
        assert f.sentence.endswith("no interval (too few independent clusters to compare).")

    @pytest.mark.parametrize(
        ("sizes", "why"),
        [
            ([120] * 4 + [1] * 20, "independent clusters differ too much in size"),
            ([1] * 4, "too few independent clusters"),
        ],
    )
    def test_where_the_level_allows_no_interval_that_is_told(
        self, sizes: list[int], why: str
    ) -> None:
        """104 clusters, and every reply lost its choice: they were said to be too few."""
        clusters = np.repeat(np.arange(len(sizes)), sizes)
        n = len(clusters)
        cells = [published([1] * n), replace(published([0] * n), probe="labels")]
        measures = ("accuracy", "accuracy_change", "valid_rate", "valid_change")
        found = told(cells, *measures, clusters=clusters)
        (f,) = (f for f in found if f.name == "accuracy_change")
        assert (f.kind, f.value, f.low) == ("cannot_tell", -1, None)
        assert f"no interval at {level_text(f.level)} ({why} for so high a level" in f.sentence

    def test_what_is_found_is_smaller_only_where_the_interval_shows_it(self) -> None:
        """2.5 points were "smaller than 5 points" beside an interval up to 5.2 points."""
        seen = set()
        for lost in range(7, 15):
            fewer = replace(published([0] * lost + [1] * (400 - lost)), probe="labels")
            found = told([published([1] * 400), fewer], "accuracy", "accuracy_change")
            (f,) = (f for f in found if f.name == "accuracy_change")
            assert f.low is not None
            if f.kind == "found" and f.p_ruled_out is not None and f.p_ruled_out <= ALPHA:
                shown = "smaller" if f.low > -0.05 else "may be smaller"
                assert f"it is there, but {shown} than 5 points" in f.sentence
                seen.add(shown)
        assert len(seen) == 2

    def test_an_end_beside_0_is_not_shown_as_0(self) -> None:
        """1e-9 was shown as 0.0 under "Found"; dust of sums is 0."""
        assert between(1e-7, 5.2, 1) == "[above 0, 5.2]"
        assert between(-5.2, -1e-7, 0) == "[−5, below 0]"
        assert between(-1e-14, 1e-14, 1) == "[0.0, 0.0]"
        assert between(0.00002, 5.0, 1) == "[0.00002, 5.0]"

    def test_items_are_counted_not_trials_nor_held_out_items(self) -> None:
        """A reader judged on half of the items needs twice as many to be asked."""
        token = replace(published([1, 1, 0, 0] * 20), reader="first_token")
        whole = replace(published([1, 1, 1, 0, 1, 0, 0, 0] * 10), reader="pride")
        half = published([1, 1, 1, 0, 1, 0, 0, 0] * 5)
        half = replace(half, reader="pride_held_out")
        found = told([token, whole, half], "score_gain")
        gains = {f.reader: f for f in found if f.name == "other_reader"}
        whole_needs = gains["pride"].items
        assert whole_needs is not None
        assert gains["pride_held_out"].items == pytest.approx(2 * whole_needs, rel=0.05)
        assert "whether PriDe and the first token give" in gains["pride"].sentence
        fitted = "whether PriDe, on items that it was not fitted on, and the first token give"
        assert fitted in gains["pride_held_out"].sentence

    def test_settings_tell_readers_of_a_kind_apart(self) -> None:
        assert named("pride(least=20)", ["text", "pride(least=20)"]) == "PriDe"
        two = ["pride", "pride(least=20)"]
        assert [named(name, two) for name in two] == ["PriDe", "PriDe (least=20)"]
        assert named("mine(a=1)", ["mine(a=1)"]) == "mine(a=1)"

    def test_silence_accepts_no_wrong_option(self) -> None:
        """A model that declined all was accused of accepting wrong options alone."""
        condition = Condition.parse("polarity=positive")
        wrong = [[1]] * 40  # what rejects, of (accept, reject)
        for said, outcome in (([[None]] * 40, "cannot_tell"), ([[0]] * 40, "found")):
            cell = cell_of(said, [1] * 40, k=2, probe="true_false", gold_at=wrong)
            cell = replace(cell, condition=condition)
            found = told([cell], "true_false_consistency", "true_false_not_wrong")
            (f,) = (f for f in found if f.name == "wrong_accepted")
            assert f.kind == outcome
            assert ("100 % of replies choose no option" in f.sentence.replace("\u202f", " ")) == (
                outcome == "cannot_tell"
            )

    def test_silence_counts_among_the_replies_that_a_finding_is_about(self) -> None:
        """Of 40 right statements and 120 wrong ones. Where .44 of the wrong ones had no answer and
        none was accepted, that was an accusation, as .67 of all replies answered; where a third was
        accepted, none, as right ones had no answer."""
        gold, yes, no = [[0, 1, 1, 1]] * 40, 0, 1
        declined = [[yes, *(None if 3 * i + j < 53 else no for j in range(3))] for i in range(40)]
        accepted = [[None, *(yes if 3 * i + j < 40 else no for j in range(3))] for i in range(40)]
        for said, outcome in ((declined, "cannot_tell"), (accepted, "found")):
            cell = cell_of(said, [0] * 40, k=2, probe="true_false", gold_at=gold)
            right = np.array(said) == np.array(gold)
            cell = replace(
                cell, condition=Condition(polarity="positive"), correct=right.astype(np.int8)
            )
            found = told([cell], "true_false_consistency", "true_false_not_wrong", "valid_rate")
            (f,) = (f for f in found if f.name == "wrong_accepted")
            assert f.kind == outcome

    @pytest.mark.parametrize("rejected", [0.84, 0.02])
    def test_silence_is_held_to_the_level_of_what_is_found(self, rejected: float) -> None:
        """A tenth of the wrong options is accepted, which is no fault, and the rest is rejected or
        silence: up to half of the studies accused, as one share was held against another without
        its noise; and with the noise of what is rejected alone, .17 of those that reject .02."""
        rng, accused = np.random.default_rng(1), 0
        for _ in range(30):
            u = rng.random((300, 4))
            said = np.where(u < rejected, 1, np.where(u < 0.9, -1, 0))
            said[:, 0] = 0
            gold = [[0, 1, 1, 1]] * 300
            replies = [[None if one < 0 else int(one) for one in row] for row in said]
            cell = cell_of(replies, [0] * 300, k=2, probe="true_false", gold_at=gold)
            right = (said == np.array(gold)).astype(np.int8)
            cell = replace(cell, condition=Condition(polarity="positive"), correct=right)
            found = told([cell], "true_false_consistency", "true_false_not_wrong")
            accused += any(f.name == "wrong_accepted" and f.kind == "found" for f in found)
        assert accused <= 3

    def test_silence_where_the_right_answer_is_missing_is_held_to_the_level(self) -> None:
        """Half overlook it, which is no fault, and hardly any notice: .28 of studies accused."""
        rng, accused = np.random.default_rng(2), 0
        for _ in range(30):
            cells = []
            for prompt in HINTS:
                u = rng.random(300)
                said = [[4 if one < 0.02 else None if one < 0.5 else 1] for one in u]
                cell = cell_of(said, [4] * 300, probe="gold_absent", gold_at=[[4]] * 300)
                condition = Condition(prompt=prompt, asking="know_no", design="auto")
                cells.append(replace(cell, condition=condition))
            found = told(cells, "accuracy_without_gold_lenient", "without_gold_not_wrong")
            accused += any(f.name == "without_gold" and f.kind == "found" for f in found)
        assert accused <= 3

    def test_silence_is_spared_in_the_number_that_would_find_a_fault(self) -> None:
        """It is found by both shares, and needs as many items as the one that shows less of it."""
        alone = Accusation(kind("wrong_accepted"), share(10, 20), 0.9, 0.1)
        beside = replace(alone, spared=share(14, 20))
        few, more = (items_needed(a, 1e-6, 20, 1).as_seen for a in (alone, beside))
        assert few
        assert more
        assert more > few

    def test_silence_is_no_reason_where_too_few_items_are(self) -> None:
        """Of 20, 8 notice and one is silent: "cannot be told: 5 % of replies choose no option"."""
        few = Accusation(kind("without_gold"), share(8, 20), 0.5, 0.05, spared=share(9, 20))
        assert why_open(few, "cannot_tell", 0.99) == ""
        many = replace(few, evidence=share(0, 20), spared=share(9, 20))
        assert why_open(many, "cannot_tell", 0.99).endswith("of replies choose no option")
        beside = replace(few, evidence=share(6, 20), spared=share(11, 20))
        assert items_needed(beside, 0.01, 20, 1).as_seen is None, "no number would find it"

    def test_silence_is_spared_whatever_the_missing_replies_were(self) -> None:
        """22 of 136 wrong options are accepted and 14 have no answer: a fault, but not where 24
        more replies are missing, which may accept none; with the 14 as accepted it would be."""
        for missing, outcome in ((0, "found"), (24, "cannot_tell")):
            said = [[0]] * 22 + [[None]] * 14 + [[1]] * 100 + [[-99]] * missing
            n = len(said)
            cell = cell_of(said, [1] * n, k=2, probe="true_false", gold_at=[[1]] * n)
            cell = replace(cell, condition=Condition(polarity="positive"))
            found = told([cell], "true_false_consistency", "true_false_not_wrong")
            (f,) = (f for f in found if f.name == "wrong_accepted")
            assert f.kind == outcome
            assert ("10 % of replies choose" in f.sentence.replace("\u202f", " ")) == (missing > 0)

    @pytest.mark.parametrize(
        ("absent", "published", "outcome"),
        [(None, 0, "cannot_tell"), (1, None, "found"), (1, 0, "found")],
    )
    def test_silence_where_the_right_answer_is_missing_is_not_that_where_it_is_shown(
        self, absent: int | None, published: int | None, outcome: Outcome
    ) -> None:
        """All declined without the right answer: accused of choosing wrong ones. Wrong ones chosen,
        and half of the replies as published declined: no accusation."""
        none, asked = [[4]] * 60, {"asking": "know_no", "design": "auto"}
        shown = [[published if i < 31 else 0] for i in range(60)]
        cells = [cell_of(shown, [0] * 60, probe="original")]
        for prompt in HINTS:
            cell = cell_of([[absent]] * 60, [4] * 60, probe="gold_absent", gold_at=none)
            cells.append(replace(cell, condition=Condition(prompt=prompt, **asked)))
        found = told(cells, "accuracy_without_gold_lenient", "without_gold_not_wrong", "valid_rate")
        (f,) = (f for f in found if f.name == "without_gold")
        assert f.kind == outcome

    def test_no_number_is_named_where_no_number_helps(self) -> None:
        silent = cell_of([[None]] * 20, [0] * 20, probe="original")
        cells = [silent, replace(silent, probe="labels")]
        found = told(cells, "valid_rate", "valid_change")
        (f,) = (f for f in found if f.name == "fewer_choices")
        assert (f.kind, f.items) == ("cannot_tell", None)
        assert "most replies choose no option" in f.sentence

    def test_a_size_beyond_all_values_decides_nothing(self) -> None:
        """Less than 80 points above guessing of 25 % is true of every score."""
        perfect = cell_of([[0]] * 100, [0] * 100, probe="original")
        (f,) = told([perfect], "accuracy", sizes={"no_better_than_guessing": 0.8})
        assert (f.kind, f.items) == ("cannot_tell", None)
        assert "no value can lie 80 points or more from 25" in f.sentence

    def test_fewer_changes_are_not_about_as_often(self) -> None:
        assert "about as often" not in kind("answer_change").ruled_out

    def test_the_most_chosen_position_is_the_most_chosen(self) -> None:
        """A of four with 23 % was called the most chosen, being the farthest from an even 25 %."""
        rows = [[0] * 4] * 180 + [[1] * 4] * 206 + [[2] * 4] * 207 + [[3] * 4] * 207
        cell = replace(
            cell_of(rows, [0] * len(rows), positions=rows),
            condition=Condition.parse("design=cyclic"),
        )
        (f,) = told([cell], "position_preference")
        assert f.kind == "ruled_out"
        assert f.value is not None
        assert f.value > 0.25
        assert f.group != "A"


class TestEarly:
    @pytest.mark.parametrize(
        ("direction", "outcome", "said"),
        [(1, "ruled_out", "does not fall by 5 points"), (-1, "found", "falls by 5 points")],
    )
    def test_a_none_option_is_accused_of_a_fall_alone(
        self, direction: int, outcome: str, said: str
    ) -> None:
        """A rise was found, as if it were a fault."""
        (f,) = self.told(np.full(50, 0.3 * direction), direction)
        assert (f.name, f.kind) == ("none_option", outcome)
        assert said in f.sentence

    def told(
        self, d: npt.NDArray[np.float64], direction: int, of: int = 600, cluster: int = 1
    ) -> list[Finding]:
        """What is said of differences of clusters that were found to change the accuracy."""
        one = self.decided(d, direction, of, cluster)
        return [one.told(one.finding())]

    @staticmethod
    def decided(
        d: npt.NDArray[np.float64], direction: int, of: int = 600, cluster: int = 1
    ) -> Decided:
        """Differences of clusters that were found to change the accuracy."""
        sums = d.reshape(-1, cluster).sum(axis=1)
        about = Paired.of(sums, np.full(len(sums), float(cluster)))
        condition = Condition.parse("place=last")
        known = Evidence(
            about, DECIDED, "none_of_the_above", condition, "text", "", len(d), "items", None
        )
        where = {"probe": "none_of_the_above", "condition": "place=last", "missing": 0}
        row = {"kind": "found", "direction": direction, "value": float(d.mean())}
        low, high = sorted((0.051 * direction, 0.5 * direction))
        ends = {"low": low, "high": high, "level": 0.99, "size": 0.05, "n": len(d), "units": of}
        run = SimpleNamespace(
            reader="text",
            probes={"none_of_the_above": {"title": "None", "invariant": "none"}},
            by_people=False,
            lacking=LACK,
            not_covered=lambda e: "",
            ended="",
            never_asked=lambda _: 0,
            lost_shares=lambda _: (0.0, 0.0),
            some_gold=False,
            label=lambda probe, condition: probe,
        )
        early = Early([{**where, **row, **ends}], frozenset(), "text")
        (one,) = early.decided(run, [known], float(cluster))
        return one

    def test_a_few_items_accuse_nobody(self) -> None:
        """Three of three wrong are certain about these three, and say nothing of a model."""
        (f,) = self.told(-np.ones(3), -1, of=3)
        assert (f.kind, f.items) == ("cannot_tell", None)
        assert f.sentence == (
            "Under “none_of_the_above”, accuracy is 100 points lower on these 3 items;"
            " whether it is on others like them cannot be told."
        )

    def test_what_is_certain_of_these_items_may_be_luck(self) -> None:
        d = np.repeat([-1.0, 1.0, 0.0], [9, 4, 27])
        (f,) = self.told(d, -1, of=40)
        assert f.kind == "cannot_tell"
        assert f.items is not None
        assert f.items > 40
        assert "is 12.5 points lower on these 40 items; whether it is on others" in f.sentence
        assert "items in all if the effect is as large as it looks." in f.sentence
        (f,) = self.told(d, -1, of=200)
        assert "is between 5.1 and 50.0 points lower on these 200 items (after 40" in f.sentence

    def test_more_items_are_enough(self) -> None:
        (f,) = self.told(np.repeat([-1.0, 1.0, 0.0], [90, 40, 270]), -1)
        assert f.kind == "found"
        assert "alone, that it falls is about items like them too." in f.sentence

    def test_an_interval_of_what_accuses_is_of_the_model_where_all_was_asked(self) -> None:
        """It was [-12.5, -12.5], under "cannot tell" and "found" alike."""
        (f,) = self.told(np.repeat([-1.0, 1.0, 0.0], [9, 4, 27]), -1, of=40)
        assert (f.kind, f.about, f.level) == ("cannot_tell", "items_like_these", 0.9975)
        assert f.low is not None
        assert f.high is not None
        assert f.low < -0.3 < 0 < f.high
        told = f"(between {signed(100 * f.low, 1)} and +{signed(100 * f.high, 1)} points)"
        assert told in f.sentence
        (f,) = self.told(np.repeat([-1.0, 1.0, 0.0], [90, 40, 270]), -1, of=400)
        assert (f.kind, f.about) == ("found", "items_like_these")
        assert f.high is not None
        assert f.high < 0
        assert f.sentence.startswith(
            "Under “none_of_the_above”, accuracy is 12.5 points lower on these 400 items, and on"
            " items like them too (between "
        )
        (f,) = self.told(np.repeat([-1.0, 1.0, 0.0], [90, 40, 270]), -1, of=600)
        assert (f.about, f.low, f.high) == ("these_items", -0.5, -0.051)
        assert f.level == 0.99

    def test_what_is_found_among_all_items_leaves_out_0(self) -> None:
        """The interval and the test behind a sentence agree."""
        rng = np.random.default_rng(8)
        kinds = set()
        for _ in range(40):
            (f,) = self.told(-rng.multinomial(1, [0.25, 0.1, 0.65], 90) @ [1.0, -1.0, 0.0], -1, 90)
            assert f.low is not None
            assert f.high is not None
            assert f.kind == ("cannot_tell" if f.low <= 0 <= f.high else "found")
            kinds.add(f.kind)
        assert len(kinds) == 2

    def test_what_is_taken_back_is_of_the_model_too(self) -> None:
        """A rise "cannot be told", since the score may be guessing: +58.3 [58.3, 58.3]."""
        d = np.repeat([1.0, 0.0], [24, 16])
        decided = self.decided(d, 1, of=40)
        ruled_out = decided.told(decided.finding())
        assert (ruled_out.kind, ruled_out.about) == ("ruled_out", "these_items")
        untold = decided.told(replace(decided.finding(), kind="cannot_tell"))
        assert untold.about == "items_like_these"
        assert untold.low is not None
        assert untold.high is not None
        assert 0 < untold.low < 0.6 < untold.high < 1

    def test_clusters_are_the_units(self) -> None:
        d = np.repeat([-1.0, 1.0, 0.0], [90, 40, 270])
        (f,) = self.told(d, -1, cluster=10)
        assert f.kind == "cannot_tell"
        assert "items in all, in clusters like these, if" in f.sentence

    def test_what_is_missing_may_be_where_the_change_is_favourable(self) -> None:
        """The test of the others accused at up to ten times the level of the finding."""
        d = np.repeat([-1.0, 1.0, 0.0], [40, 14, 200])
        one = self.decided(d, -1)
        assert one.finding().kind == "found"
        assert one.evidence is not None

        def lacking(n: int) -> Finding:
            ends = (
                Paired.of(np.concatenate([d, np.full(n, end)]), np.ones(254 + n))
                for end in (-1.0, 1.0)
            )
            e = replace(one.evidence, unknown=Unknown(*ends, None))
            row = {**one.row, "missing": n, "n": 254 + n}
            return replace(one, row=row, evidence=e).finding()

        f = lacking(12)
        assert (f.kind, f.items) == ("cannot_tell", None)
        assert f.sentence.endswith("cannot be told, as 12 of them lack an answer.")
        assert lacking(1).kind == "found"

    def test_a_share_has_half_of_its_level_on_either_route(self) -> None:
        """A band where asking stopped and a test where it did not accuse at twice the level."""
        cell = cell_of([[0]] * 15 + [[1]] * 25, [0] * 40, probe="original")
        context = Context("d", "m", np.arange(40), signature=lambda *_: None)  # type: ignore[arg-type, return-value]
        found = found_all([cell], [MEASURES.get("accuracy")], context)
        published = {"original": {"title": "Published", "invariant": "none"}}
        run = SimpleNamespace(reader="text", probes=published, by_people=False)
        early = Early([], frozenset(), "text")
        (alone,), (split,) = (
            [
                a
                for a in accusations(run, found, SIZES, when)
                if a.kind.name == "no_better_than_guessing"
            ]
            for when in (None, early)
        )
        assert (alone.routes, split.routes) == (1, 2)
        assert 0 < alone.p_small < 0.5
        assert split.p_small == pytest.approx(2 * alone.p_small)
        assert split.p == min(1.0, 2 * alone.p)
        assert early.routes(replace(alone.evidence, measure="mismatch"), kind("first_token")) == 1


class TestForms:
    @staticmethod
    def found(place: str, value: float, kind: Outcome) -> Finding:
        (one,) = TestEarly().told(np.repeat([-1.0, 0.0], [90, 310]), -1)
        sentence = f"Under “{place}”, accuracy is lower."
        where = f"design=published, place={place}, wording=above"
        return replace(one, kind=kind, value=value, condition=where, sentence=sentence)

    def test_a_last_none_option_found_alone_may_be_its_position(self) -> None:
        """A model that prefers the first position was accused of not saying "none"."""
        last = self.found("last", -0.06, "found")
        kept = self.found("kept", -0.01, "cannot_tell")
        told, other = by_position([last, kept])
        assert other == kept
        assert told.sentence == (
            "Under “last”, accuracy is lower; that is not found where the none-option stands in the"
            " place of the right one (−1.0 points), so that its last position may be the cause."
        )
        assert speaking([told, other]) == told
        both = [last, self.found("kept", -0.06, "found")]
        assert [*by_position(both)] == both
        assert "found in 2 of 2 forms" in speaking(both).sentence
        one = [self.found("a", -0.06, "found"), self.found("b", 0.0, "ruled_out")]
        one += [self.found("c", -0.01, "cannot_tell")] * 2
        told = speaking(one).sentence
        assert "found in 1 of 4 forms (ruled out in 1, not to be told in 2)" in told
        first = [self.found("last", 0.0, "ruled_out"), self.found("kept", -0.06, "found")]
        assert [*by_position(first)] == first

    def test_no_end_is_rounded_to_the_size_that_it_does_not_reach(self) -> None:
        """ "Changes by less than 5 points (between -1.2 and 5.0 points)"."""
        row = {"kind": "ruled_out", "low": -0.012, "high": 0.0496, "size": 0.05}
        assert _band(row) == "between −1.2 and just under +5 points"
        assert _band({**row, "low": -0.0496}) == "between just above −5 and just under +5 points"
        assert _band({**row, "high": 0.0504}) == "between −1.2 and +5.0 points"
        ruled_out = replace(self.found("a", 0.0, "ruled_out"), low=-0.04, high=0.0496)
        assert shown_interval(replace(ruled_out, null=0.0, size=0.05)).endswith("4.96]")
        # "Less than 5 points above 25 %", beside [15.240, 30.000].
        close = replace(ruled_out, null=0.25, size=0.05, low=0.1524, high=0.3 - 1e-8)
        assert shown_interval(close).endswith("[15, just under 30]")

    def test_one_item_is_one(self) -> None:
        assert (these(1, "item"), these(2, "item")) == ("this item", "these 2 items")
        assert items_of(1, "mmlu") == "1 item of mmlu"

    def test_a_value_is_told_apart_from_guessing(self) -> None:
        """ "In 53 % of its answers, below guessing (53 %)"."""
        assert against(0.5262, 0.531, 0) == ("52.6\u202f%", "53.1\u202f%")
        assert against(0.53, 0.53, 0) == ("53\u202f%", "53\u202f%")
        assert against(0.004, 0.0039, 0) == ("0.40\u202f%", "0.39\u202f%")
        assert against(0.0, 0.0039, 0) == ("0\u202f%", "0.4\u202f%")
        assert against(0.45, 0.25, 0) == ("45\u202f%", "25\u202f%")
        # "4 % against 3.5 %" of two that are the same.
        assert against(0.0353, 0.0353, 0) == ("3.5\u202f%", "3.5\u202f%")
        assert against(0.12, 0.035, 0) == ("12\u202f%", "3.5\u202f%")
        assert chance_text(0.2**5) == "0.03\u202f%"

    def test_half_a_point_keeps_its_digit(self) -> None:
        """ "−2 points" beside −2.5, and "less than 2 points" of a size of 2.5."""
        assert in_points(-0.025, signed=True) == "−2.5 points"
        assert in_points(0.075 - 0.05) == "2.5 points"
        assert in_points(0.026) == "3 points"

    def test_a_rise_has_its_sign(self) -> None:
        """ "Between −34.1 and 13.3 points", beside "between −1.1 and +2.0"."""
        band = Banded(-0.069, 0.082, 100, 400, None)
        f = replace(self.found("a", 0.0, "cannot_tell"), null=0.0)
        assert "between −6.9 and +8.2 points" in _after(f, band, "")


class TestKnownCells:
    def test_choices_are_put_where_the_gold_was(self) -> None:
        cell = cell_of(
            [[0, 0], [0, 1]], [0, 0], k=2, positions=[[1, 0], [1, 1]], gold_at=[[1, 0], [1, 0]]
        )
        tables, _, unclear = by_gold(cell, np.arange(9))
        assert tables[2].tolist() == [[0, 1], [1, 1]]
        assert unclear == 0

    def test_items_without_a_choice_are_counted(self) -> None:
        cell = cell_of([[0, None]], [0], k=2, positions=[[1, 0]], gold_at=[[1, 0]])
        tables, _, unclear = by_gold(cell, np.arange(9))
        assert (tables, unclear) == ({}, 1)

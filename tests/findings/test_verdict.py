"""What numbers allow to be said: found, ruled out, or undecided and why."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from horsesense.findings.early import Banded, Early
from horsesense.findings.evidence import Evidence, Way, items_needed
from horsesense.findings.finding import Finding
from horsesense.findings.guesses import Guesses
from horsesense.findings.kinds import check_sizes, sizes_of
from horsesense.findings.sentences import between, looks_faulty, spread
from horsesense.findings.verdict import verdict
from horsesense.measures.base import Estimate
from horsesense.measures.estimate import Computed, LeftOpen
from horsesense.measures.signature import Signature
from horsesense.report.told import Told
from horsesense.runs.expected import Expected
from horsesense.stats.change import Change
from horsesense.stats.share import Share
from horsesense.trials.condition import PLAIN, Condition

TOLD = {
    name: {"title": name, "invariant": "same_answer"}
    for name in ("original", "labels", "order", "delimiter")
}


class Asked(Expected):
    """A run as the verdict looks at it, of which something is lost where asking ended early."""

    def lost_shares(self, e: object) -> tuple[float, float]:
        return (0.3, 0.0) if self.ended else (0.0, 0.0)


def asked(ended: str = "") -> Asked:
    return Asked("text", ("text",), TOLD, ended=ended)


def number(
    about: Share | Change | None,
    measure: str,
    probe: str = "original",
    unknown: LeftOpen | None = None,
    missing: int = 0,
    baseline: float | None = None,
) -> Computed:
    n = 0 if about is None else int(about.n)
    e = Estimate(
        measure=measure, value=None if about is None else about.estimate, low=None, high=None,
        level=0.95, n=n, n_missing=missing, counted="items", unit="fraction", dataset="d",
        model="m",
        probe=probe, condition=PLAIN, reader="text", group="", signature=cast(Signature, None),
        baseline=baseline, note="" if about is not None else "none was asked",
    )  # fmt: skip
    return Computed(e, about, None if unknown is None else (lambda: unknown))


def change(plus: int, minus: int, n: int = 300) -> Change:
    d = np.array([1.0] * plus + [-1.0] * minus + [0.0] * (n - plus - minus))
    return Change.of(d, np.ones(n))


def share(hits: int, n: int = 300) -> Share:
    return Share.of((np.arange(n) < hits) * 1.0, np.ones(n))


KNOWS = number(share(200), "accuracy", baseline=0.25)


def judged(*found: Computed, ended: str = "", **more: Any) -> dict[tuple[str, str], Finding]:
    told = verdict(asked(ended), [KNOWS, *found], **more)
    return {(f.kind, f.probe): f for f in told}


def of(*found: Computed, **more: Any) -> Finding:
    return judged(*found, **more)["accuracy_change", "labels"]


def labels(about: Change, **more: Any) -> Computed:
    return number(about, "accuracy_change", "labels", **more)


def test_a_change_is_found_ruled_out_or_undecided() -> None:
    found, none, open_still = (
        of(labels(change(*counts))) for counts in ((5, 40), (20, 22), (12, 22))
    )
    assert (found.conclusion, found.reason) == ("found", "")
    assert found.high < 0
    assert (none.conclusion, none.level) == ("ruled_out", 0.9)
    assert -0.05 < none.ends[0] < none.ends[1] < 0.05
    assert open_still.conclusion == "undecided"


def test_what_stands_out_alone_may_not_among_many() -> None:
    alone = of(labels(change(10, 25)))
    assert (alone.conclusion, alone.reason) == ("found", "")
    others = [number(change(15, 15), m, p) for m in ("accuracy_change", "valid_change")
              for p in ("order", "delimiter")]  # fmt: skip
    among = of(labels(change(10, 25)), *others)
    assert (among.conclusion, among.reason) == ("undecided", "many_questions")
    locked = number(share(3, 60), "position_locked", "order", baseline=0.0106)
    told = judged(locked, *others)["position_locked", "order"]
    assert (told.conclusion, told.reason) == ("undecided", "noise"), "its interval holds guessing"
    assert between(told, difference=False) == "between 1.0\u202f% and 14\u202f%"


def test_a_second_test_that_finds_nothing_is_named() -> None:
    class Orders(Guesses):
        def drawn(self, e: Evidence, way: Way) -> float:
            return 0.2 if e.probe == "labels" else 0.0

    f = of(labels(change(5, 40)), guesses=Orders([], np.arange(300)))
    assert (f.conclusion, f.reason, f.p) == ("undecided", "drawn_anew", pytest.approx(0.2, abs=0.2))
    assert looks_faulty(f)
    assert not Told(f, []).speaks_for(replace(f, reason="noise")), "one sentence, one reason"


def test_one_number_of_items_would_settle_it() -> None:
    f = of(labels(change(8, 11, 100)))
    assert f.reason == "noise"
    assert 300 < f.needed < 2000
    e = Evidence.of(labels(change(20, 22, 10_000)))
    assert items_needed(e, "both", 0.0, 0.05, 10_000) is None


def test_of_few_texts_the_numbers_are_about_these_items() -> None:
    d = np.array([-5.0, -4, -6, -3, -5])
    f = of(labels(Change.of(d, np.full(5, 12.0))))
    assert (f.conclusion, f.reason, f.about) == ("undecided", "few_clusters", "these_items")
    assert f.value == pytest.approx(-23 / 60)


def test_missing_replies_are_bounds() -> None:
    ends = LeftOpen(change(5, 60), change(25, 40), None)
    f = of(labels(change(5, 40), unknown=ends, missing=20))
    assert (f.conclusion, f.reason, f.n_missing) == ("undecided", "missing", 20)
    still = LeftOpen(change(5, 45), change(6, 38), None)
    assert of(labels(change(5, 40), unknown=still, missing=2)).conclusion == "found"


def test_a_score_at_chance_level_hides_what_changes() -> None:
    guesses = number(share(78), "accuracy", baseline=0.25)
    told = verdict(asked(), [guesses, labels(change(20, 20))])
    by = {f.kind: f for f in told}
    assert by["no_better_than_guessing"].conclusion != "ruled_out"
    assert by["accuracy_change"].reason == "at_chance"


def test_most_replies_that_choose_nothing_hide_the_rest() -> None:
    f = of(number(share(100), "valid_rate"), labels(change(20, 20)))
    assert (f.conclusion, f.reason) == ("undecided", "unread")


def test_only_the_first_items_are_no_sample() -> None:
    f = of(labels(change(5, 40), missing=90), ended="budget")
    assert (f.conclusion, f.reason) == ("undecided", "first_items")


def test_what_was_not_measured_is_told_with_its_cause() -> None:
    f = of(number(None, "accuracy_change", "labels"))
    assert (f.conclusion, f.reason, f.detail) == ("undecided", "unmeasured", "none was asked")
    assert not f.measured


def test_a_stopped_probe_is_held_to_its_bands() -> None:
    def band(e: Evidence, alpha: float) -> Banded | None:
        wide = 0.02 if alpha < 0.01 else 0.01
        return Banded(-0.1 - wide, -0.03 + wide, 100, 300)

    early = Early(frozenset({"labels"}), "text", 10, band)
    f = of(labels(change(5, 40)), early=early)
    assert (f.conclusion, f.p) == ("found", None)
    assert f.ends == pytest.approx((-0.12, -0.01))
    none = of(labels(change(5, 40)), early=Early(frozenset({"labels"}), "text", 10))
    assert (none.conclusion, none.reason) == ("undecided", "stopped")


def test_one_form_speaks_for_the_others() -> None:
    forms = [labels(change(5, 40)), labels(change(20, 22))]
    second = forms[1].estimate._replace(condition=Condition(kind="digits"))
    other = forms[1]._replace(estimate=second)
    f = of(forms[0], other)
    assert (spread(f), f.found_forms) == ("found in 1 of 2 forms", ["labels"])
    both = spread(replace(f, found_in=2, found_apart=["b", "a: c"]))
    assert both == "found in 2 of 2 forms (b; a: c)"
    last = spread(replace(f, kind="none_option", found_apart=["last"], condition="place=last"))
    assert last == "found in 1 of 2 forms (last): perhaps position preference"


def test_false_accusations_are_as_rare_as_promised() -> None:
    rng, wrong = np.random.default_rng(2), 0
    for _ in range(200):
        d = [rng.choice([1.0, -1, 0], p=[0.1, 0.1, 0.8], size=80) for _ in range(3)]
        found = [number(Change.of(x, np.ones(80)), "accuracy_change", p)
                 for x, p in zip(d, ("labels", "order", "delimiter"), strict=True)]  # fmt: skip
        wrong += any(f.conclusion == "found" for (k, _), f in judged(*found).items()
                     if k == "accuracy_change")  # fmt: skip
    assert wrong <= 18


def test_sizes_are_checked() -> None:
    assert sizes_of({"none_option": 0.1}, 0.03)["accuracy_change"] == 0.03
    for wrong in ({"nothing": 0.1}, {"no_choice": 0.96}, {"accuracy_change": 0.0}):
        with pytest.raises(Exception, match=r"smallest|kind of finding"):
            check_sizes(wrong)

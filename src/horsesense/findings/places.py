"""Where a kind of finding looks: which numbers of a run it accuses by."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from horsesense.findings.evidence import Evidence
from horsesense.measures.base import Estimate
from horsesense.measures.contrast import REPEAT
from horsesense.measures.joined import balanced
from horsesense.trials.condition import Condition


class RunToJudge(Protocol):
    """What the kinds ask of a run."""

    @property
    def reader(self) -> str:
        """The main reader."""

    @property
    def readers(self) -> Sequence[str]:
        """Every reader."""

    @property
    def probes(self) -> Mapping[str, Mapping[str, Any]]:
        """Every probe by name, with its title and what should hold under it."""

    @property
    def by_people(self) -> bool:
        """Whether people answered, of whom others could have been drawn as items could."""

    @property
    def unasked(self) -> Mapping[str, str]:
        """Why no item can be asked under a probe, for each probe of which that is so."""

    @property
    def ended(self) -> str:
        """What ended asking before it was complete, as in the record; "" where nothing did."""

    def setting(self, probe: str, condition: Condition) -> str:
        """What sets a condition apart from others of its probe; "" where nothing does."""

    def lost_shares(self, e: Number) -> tuple[float, float]:
        """The shares of the prompts of a place that were not asked, and that failed."""

    def not_covered(self, e: Number) -> str:
        """Which items the reader says nothing of, in words; "" where there is none."""

    def never_asked(self, probe: str) -> int:
        """How many prompts of a probe were not asked, since asking ended before them."""

    @property
    def some_gold(self) -> bool:
        """Whether any item of the set has a gold answer, asked or not."""


class Anywhere(NamedTuple):
    """A place where something could be measured."""

    probe: str
    condition: Condition
    reader: str
    group: str


Number = Evidence | Estimate
"""What was measured somewhere."""
Place = Anywhere | Number
"""Where something was measured, or could be."""


ANYWHERE = tuple(
    (Condition(**settings), group)
    for settings in ({}, {"place": "distractor"}, {"prompt": "hint_option", "polarity": "positive"})
    for group in ("", "mean", "distractors")
)
"""Conditions and groups that tell the kinds apart."""
MANY_PROBLEMS = ("batch", "select_one", "select_all")
"""Probes with several problems in one prompt."""
NOT_COMPARED = frozenset(
    ("true_false", "option_confidence", "multi_select", "misleading_replaced", *MANY_PROBLEMS)
)
"""Probes whose replies do not choose one of an item's options as those to its published form do, or
that are put to items chosen by their answers: kinds of their own are about them."""


def by_main_reader(run: RunToJudge, e: Place) -> bool:
    return e.reader == run.reader


def as_published(run: RunToJudge, e: Place) -> bool:
    """Or in the form of its booklets that shows the right option, where a run has no other."""
    shown = e.probe == "gold_absent" and e.condition.matches(prompt="with_gold")
    published = e.probe == "original" or (shown and run.by_people)
    return by_main_reader(run, e) and published


def under(probe: str, **settings: str) -> Callable[[RunToJudge, Place], bool]:
    def takes(run: RunToJudge, e: Place) -> bool:
        here = by_main_reader(run, e) and e.probe == probe
        return here and e.condition.matches(**settings)

    return takes


over_orders = under("order")


def over_balanced_orders(run: RunToJudge, e: Place) -> bool:
    """Orders in which every position has the same content as often as any other.

    Those that a log happens to hold have not, nor those that leave most options where they were.
    """
    return over_orders(run, e) and balanced(e.condition)


def none_in_place(run: RunToJudge, e: Place) -> bool:
    """A none-option is shown, and the right option is not."""
    replaced = e.probe == "none_of_the_above" and not e.condition.matches(place="distractor")
    offered = e.probe == "gold_absent" and e.condition.matches(prompt="hint_option")
    return by_main_reader(run, e) and (replaced or offered)


SERVER = "server"
"""The probe that asks the plain prompts differently."""


def promising(*promises: str, but: str = "") -> Callable[[RunToJudge, Place], bool]:
    """Probes of anybody that promise one of these, but for the repeat, which is the noise, and
    for one that another kind is about."""

    def takes(run: RunToJudge, e: Place) -> bool:
        kept = run.probes[e.probe]["invariant"] in promises and e.probe not in (REPEAT, but)
        return by_main_reader(run, e) and kept and e.probe not in NOT_COMPARED

    return takes


def accuracy_should_hold(run: RunToJudge, e: Place) -> bool:
    """But where the right answer is missing, which other kinds are about."""
    kept = promising("same_answer", "same_accuracy", "none")(run, e)
    return kept and e.probe != "gold_absent" and not none_in_place(run, e)


def chance_elsewhere(run: RunToJudge, e: Place) -> bool:
    """Where nothing better than chance should be possible, but for the question withheld."""
    return promising("chance")(run, e) and e.probe != "options_only"


def wrong_alone(run: RunToJudge, e: Place) -> bool:
    return under("true_false", polarity="positive")(run, e) and e.group == "distractors"


def other_reader(run: RunToJudge, e: Place) -> bool:
    return e.probe == "original"


def mean_of_prompts(run: RunToJudge, e: Place) -> bool:
    return by_main_reader(run, e) and e.probe == "gold_absent" and e.group == "mean"


def showing_texts(run: RunToJudge, e: Place) -> bool:
    """Tasks that show the label itself are variants of those that show texts."""
    shown = e.probe in MANY_PROBLEMS and not e.condition.matches(shows="label")
    return by_main_reader(run, e) and shown

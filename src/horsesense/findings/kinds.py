"""The kinds of findings: what each accuses of, against which size, and in which words.

A new kind is one entry of KINDS. What a kind accuses of is fixed by what was asked, and the weights
of the correction rest on it, with one exception: a number that the replies leave undefined (all
refuse, so that no answer has a position) accuses nobody, and its weight goes to the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from horsesense.findings.evidence import Evidence, Way
from horsesense.findings.finding import Outcome
from horsesense.findings.places import (
    ANYWHERE,
    Anywhere,
    Place,
    Run,
    accuracy_should_hold,
    as_published,
    chance_elsewhere,
    mean_of_prompts,
    none_in_place,
    other_reader,
    over_balanced_orders,
    over_orders,
    promising,
    showing_texts,
    under,
    wrong_alone,
)

COUNTED_WRONG = (
    ". Where a right answer is known, the others count as wrong, so accuracy says as much about "
    "the form of the replies as about what is known"
)
"""What replies without a choice mean, where any item has a right answer."""
UNREAD = "most replies choose no option"
AT_CHANCE = "the score is not shown to be better than guessing, and guesses would hide a fault"
"""Why what the answers could not have shown cannot be told."""


@dataclass(frozen=True)
class Kind:
    """One kind of finding.

    Attributes:
        name: as in `verdict` and in the setting of its size.
        title: what is looked for, for tables.
        measure: what it rests on.
        section: of the report that shows more.
        size: the smallest distance from the null that matters, unless the settings say otherwise.
        null: what there is without the fault; None: what guessing gives.
        way: which side of the null is a fault.
        found, ruled_out: sentences; see `verdict.words` for what they may name.
        question: what cannot be told "whether", as a clause; it may name the label, the limit and
            the reader alone.
        seen: what was seen of it, after the clause.
        beside: its value and the null in a table, beside the title, which names the fault.
        each: `found`, `ruled_out` and `seen` where groups have nulls of their own, as positions
            that not every item has.
        main: whether it is one of the report's main questions, which share half of the weight.
        takes: by which of the measure's numbers it accuses.
        blind_at_chance: whether a score no better than guessing hides the fault.
        blind_if_unread: whether replies that choose no option hide it.
        silence: the measure in which replies that choose nothing, and so do not show the fault,
            do not count for it; "" where they do not count for it anyway.
    """

    name: str
    title: str
    measure: str
    section: str
    size: float
    null: float | None
    way: Way
    found: str
    ruled_out: str
    question: str
    seen: str
    each: Mapping[str, str] = field(default_factory=dict)
    beside: str = "{value} against {null}"
    main: bool = False
    takes: Callable[[Run, Place], bool] = lambda run, e: e.probe == "original"
    blind_at_chance: bool = False
    blind_if_unread: bool = True
    silence: str = ""

    def sentence(self, outcome: Outcome, own_null: bool = False) -> str:
        """The sentence of an outcome; where these items do not tell, its end says what would."""
        each = self.each if own_null else {}
        if outcome == "cannot_tell":
            seen = each.get("seen", self.seen)
            return f"These items cannot tell whether {self.question}{seen}"
        return each.get(outcome) or {"found": self.found, "ruled_out": self.ruled_out}[outcome]

    def asks(self, run: Run, probe: str) -> bool:
        """Whether it may accuse by what a probe shows, under any of its conditions."""
        return any(self.takes(run, Anywhere(probe, c, run.reader, g)) for c, g in ANYWHERE)

    def found_beyond(self, null: float, size: float) -> float:
        """The value that an interval must leave out for a fault to be found."""
        return null + size if self.way == "lacks" else null

    def room(self, null: float) -> float:
        """How far a value can lie from `null` on the side that is a fault: a size is below it."""
        if self.null == 0:  # a difference, between -1 and 1
            return 1.0
        return null if self.way == "below" else 1 - null


KINDS: tuple[Kind, ...] = (
    Kind(
        name="no_better_than_guessing",
        title="The score is no better than guessing",
        measure="accuracy",
        section="score",
        size=0.05,
        null=None,
        way="lacks",
        found="{scores} {value}, {lacking}.",
        ruled_out="{scores} {value}, better than guessing ({null}){by_at_least}.",
        question="the score is better than guessing",
        seen=": it is {value}, and guessing gives {null}",
        main=True,
        takes=as_published,
        blind_if_unread=False,
    ),
    Kind(
        name="position_preference",
        title="A position is preferred",
        measure="position_preference",
        section="positions",
        size=0.05,
        null=None,
        way="above",
        found="The model prefers position {group}: over the orders, {value} of its answers go "
        "there; an even spread would be {null}.",
        ruled_out="No position is preferred by {size} or more: the most chosen, {group}, "
        "receives {value} of the answers.",
        question="a position is preferred",
        seen=": the most chosen, {group}, receives {value} of the answers",
        each={
            "found": "The model prefers position {group}: over the orders, {value} of its answers "
            "to items that have it go there; an even spread would be {null}.",
            "ruled_out": "No position is preferred by {size} or more: of the answers to items that "
            "have it, {group}, the furthest above an even spread ({null}), receives {value}.",
            "seen": ": of the {n} answers to items that have it, {group} receives {value}, by an "
            "even spread {null}",
        },
        main=True,
        takes=over_balanced_orders,
    ),
    Kind(
        name="without_question",
        title="Right without the question",
        measure="accuracy",
        section="score",
        size=0.05,
        null=None,
        way="above",
        found="Without the question, {value} of items are still right, where chance is {null}.",
        ruled_out="Without the question, {value} of items are right, less than {size} above "
        "chance ({null}).",
        question="the options give answers away",
        seen=": without the question, {value} of items are right, and chance is {null}",
        main=True,
        takes=under("options_only"),
    ),
    Kind(
        name="none_option",
        title="Cannot say that none is right",
        measure="accuracy_change",
        section="score",
        size=0.05,
        null=0.0,
        way="below",
        found="The model says “none of these” less often than it should: under "
        "“{label}”, where the right answer was removed, accuracy is {distance} "
        "lower than where it is shown.",
        ruled_out="The model does not say “none of these” less often than it should: under "
        "“{label}”, where the right answer was removed, accuracy is not lower than "
        "where it is shown, to within {size} ({change}).",
        question="the model says “none of these” as often as it should",
        seen=": under “{label}”, where the right answer was removed, accuracy is {beside}",
        main=True,
        takes=none_in_place,
        blind_at_chance=True,
    ),
    Kind(
        name="first_token",
        title="First token and text disagree",
        measure="mismatch_valid",
        section="readers",
        size=0.04,
        null=0.01,
        way="above",
        found="First token and text choose different options in {value} of replies, so "
        "a score by first token does not measure what the model says.",
        ruled_out="First token and text choose different options in {value} of replies, "
        "fewer than {limit}.",
        question="first token and text say the same",
        seen=": they choose different options in {value} of replies",
        main=True,
        takes=lambda run, e: e.probe == "original" and e.reader == "first_token",
    ),
    Kind(
        name="accuracy_change",
        title="The form changes the score",
        measure="accuracy_change",
        section="score",
        size=0.05,
        null=0.0,
        way="both",
        found="Under “{label}”, accuracy {moves} by {distance}{beside_base}.",
        ruled_out="Under “{label}”, accuracy changes by less than {size} ({change}{beside_base}).",
        question="accuracy changes under “{label}”",
        seen=" ({change}{beside_base})",
        takes=accuracy_should_hold,
        blind_at_chance=True,
    ),
    Kind(
        name="answer_change",
        title="The form changes answers",
        measure="answer_switch_beyond_repeat",
        section="agreement",
        size=0.05,
        null=0.0,
        way="above",
        found="Under “{label}”, the model chooses another option more often than when "
        "the same prompt is asked again, by {distance}.",
        ruled_out="Under “{label}”, the model does not choose another option more often than "
        "when the same prompt is asked again, to within {size} ({change}).",
        question="the model chooses another option under “{label}” more often than when the "
        "same prompt is asked again",
        seen=" ({change})",
        takes=promising("same_answer"),
    ),
    Kind(
        name="fewer_choices",
        title="The form keeps replies from choosing",
        measure="valid_change",
        section="readers",
        size=0.05,
        null=0.0,
        way="below",
        found="Under “{label}”, fewer replies choose an option than {base}, by "
        "{distance}; those that choose none count as wrong.",
        ruled_out="Under “{label}”, no fewer replies choose an option than {base}, "
        "to within {size} ({change}).",
        question="fewer replies choose an option under “{label}”",
        seen=" than {base} ({change})",
        takes=promising("same_answer", "same_accuracy"),
        blind_if_unread=True,
    ),
    Kind(
        name="above_chance",
        title="Better than chance where it should not be",
        measure="accuracy",
        section="score",
        size=0.05,
        null=None,
        way="above",
        found="Under “{label}”, {value} of items are right, where no more than chance "
        "({null}) should be.",
        ruled_out="Under “{label}”, {value} of items are right, less than {size} above "
        "chance ({null}).",
        question="more items than by chance are right under “{label}”",
        seen=" (here {value}, by chance {null})",
        takes=chance_elsewhere,
    ),
    Kind(
        name="position_locked",
        title="One position whatever it holds",
        measure="position_locked",
        section="positions",
        size=0.05,
        null=None,
        way="above",
        found="The model chooses position {group} in {value} of items, whatever stands "
        "there; guessing would in {null}.",
        ruled_out="Fewer than {limit} of items are answered by one position, whatever "
        "stands there (most often by {group}: {value}).",
        question="some items are answered by position alone",
        seen=" (most often by {group}: {value} of items)",
        each={
            "found": "The model chooses position {group} in {value} of the items that have it, "
            "whatever stands there; guessing would in {null}.",
            "ruled_out": "No position is chosen in {size} more of the items that have it than by "
            "guessing, whatever stands there (the furthest above, {group}: {value} and {null}).",
            "seen": " ({group}: {value} of the {n} items that have it, guessing {null})",
        },
        takes=over_balanced_orders,
    ),
    Kind(
        name="no_agreement",
        title="Agrees with itself no more than guessing",
        measure="plurality_agreement",
        section="agreement",
        size=0.05,
        null=None,
        way="lacks",
        found="Across the orders, the model agrees with itself in {value} of its "
        "answers, {lacking}.",
        ruled_out="Across the orders, the model agrees with itself in {value} of its "
        "answers, more than guessing would ({null}){by_at_least}.",
        question="the model agrees with itself across the orders more than guessing would",
        seen=" (in {value} of its answers; guessing {null})",
        takes=over_orders,
    ),
    Kind(
        name="other_reader",
        title="The score depends on how it is read",
        measure="score_gain",
        section="readers",
        size=0.02,
        null=0.0,
        way="both",
        found="Read by {reader}, the score is {distance} {compared} than by the first "
        "token, so it matters which of the two was published.",
        ruled_out="Read by {reader} or by the first token, the score is the same to within "
        "{size} ({change}).",
        question="{reader} and the first token give different scores",
        seen=" ({change})",
        takes=other_reader,
    ),
    Kind(
        name="no_choice",
        title="Replies choose no option",
        measure="valid_rate",
        section="readers",
        size=0.05,
        null=0.95,
        way="below",
        found="{value} of replies choose an option, fewer than {null}{counted_wrong}.",
        ruled_out="At least {limit} of replies choose an option (here {value}; {size} fewer than "
        "{null} would be a fault).",
        question="at least {limit} of replies choose an option",
        seen=" (here {value}{sign})",
        beside="{value} choose one; below {null} is a fault",
        takes=as_published,
        blind_if_unread=False,
    ),
    Kind(
        name="without_gold",
        title="A missing right answer goes unnoticed",
        measure="accuracy_without_gold_lenient",
        section="without_gold",
        size=0.05,
        null=0.5,
        way="below",
        found="Where the right answer is missing, {value} of replies notice it, fewer than half "
        "(in whatever words, averaged over three prompts).",
        ruled_out="Where the right answer is missing, {value} of replies notice it, "
        "in whatever words, averaged over three prompts: at least {limit} ({size} below {null} "
        "would be a fault).",
        question="most replies notice that the right answer is missing",
        seen=" (here {value}, in whatever words, averaged over three prompts)",
        beside="noticed in {value}; below {null} is a fault",
        takes=mean_of_prompts,
        silence="without_gold_not_wrong",
    ),
    Kind(
        name="wrong_accepted",
        title="Wrong options are accepted alone",
        measure="true_false_consistency",
        section="second_look",
        size=0.1,
        null=0.9,
        way="below",
        found="When options are judged one at a time, {value} of wrong options are rejected, fewer "
        "than {null}{right_ones}.",
        ruled_out="When options are judged one at a time, {value} of wrong options are "
        "rejected: at least {limit}{right_ones}.",
        question="wrong options are rejected when options are judged one at a time",
        seen=" ({value} are{right_ones})",
        beside="{value} rejected; below {null} is a fault",
        takes=wrong_alone,
        silence="true_false_not_wrong",
    ),
    Kind(
        name="many_problems",
        title="Many problems in one prompt change accuracy",
        measure="change_from_single",
        section="multi_problem",
        size=0.05,
        null=0.0,
        way="both",
        found="Accuracy {label} is {distance} {compared} than one by one.",
        ruled_out="Accuracy {label} is the same as one by one to within {size} ({change}).",
        question="accuracy {label} differs from accuracy one by one",
        seen=" ({change})",
        takes=showing_texts,
        blind_at_chance=True,
    ),
)

SIZES: Mapping[str, float] = {kind.name: kind.size for kind in KINDS}
"""The smallest size that matters, by kind, unless the settings say otherwise."""


def accused(kind: Kind, run: Run, evidence: Iterable[Evidence]) -> list[Evidence]:
    """The evidence by which a kind accuses; of several sizes of prompts, the largest alone."""
    taken = [e for e in evidence if kind.takes(run, e)]
    if kind.name != "many_problems":
        return taken
    largest = max((problems(e) for e in taken), default=0)
    return [e for e in taken if problems(e) == largest]


def problems(e: Evidence) -> int:
    """How many problems a prompt holds."""
    return e.condition.integer("size", 0)

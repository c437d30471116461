"""The kinds of findings: what each accuses of, against which size, and in which words.

A new kind is one entry of KINDS. What a kind accuses of is fixed by what was asked, before any
reply came. Templates may name what `findings.sentences.words` offers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from horsesense.errors import UsageError
from horsesense.findings.evidence import Evidence, Way
from horsesense.findings.places import (
    ANYWHERE,
    SERVER,
    Anywhere,
    Place,
    RunToJudge,
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

SIZE = 0.05
"""The smallest distance from the null that matters, unless a kind or the settings say otherwise."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of finding.

    Attributes:
        name: as in `verdict` and in the setting of its size.
        title: what is looked for, for tables.
        measure: what it rests on.
        section: of the report that shows more.
        size: the smallest distance from the null that matters (`SIZE`).
        null: what there is without the fault; None: what guessing gives.
        way: which side of the null is a fault.
        found, ruled_out, undecided: sentences without their full stop.
        short: `found` in a few words.
        takes: by which of the measure's numbers it accuses.
        blind_at_chance: whether a score no better than guessing hides the fault.
        blind_if_unread: whether replies that choose no option hide it.
        silence: the measure in which replies that choose nothing, and so do not show the fault,
            do not count for it; "" where they do not count for it anyway.
        by_position: whether it is about each position by itself.
    """

    name: str
    title: str
    measure: str
    section: str
    size: float = SIZE
    null: float | None = None
    way: Way = "above"
    found: str
    short: str
    ruled_out: str
    undecided: str
    takes: Callable[[RunToJudge, Place], bool] = lambda run, e: e.probe == "original"
    blind_at_chance: bool = False
    blind_if_unread: bool = True
    silence: str = ""
    by_position: bool = False

    def asks(self, run: RunToJudge, probe: str) -> bool:
        """Whether it may accuse by what a probe shows, under any of its conditions."""
        return any(self.takes(run, Anywhere(probe, c, run.reader, g)) for c, g in ANYWHERE)

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
        way="lacks",
        found="The score is no better than guessing: {value}, where guessing gives {null}",
        short="No better than guessing ({value}, guessing {null})",
        ruled_out="Better than guessing: {value}, where guessing gives {null}",
        undecided="Better than guessing or not: undecided ({value}{ends}, guessing {null})",
        takes=as_published,
        blind_if_unread=False,
    ),
    Kind(
        name="position_preference",
        title="A position is preferred",
        measure="position_preference",
        section="positions",
        found="The model prefers position {group}: it chooses it in {value} of its answers, "
        "where an even spread gives {null}",
        short="Prefers position {group} ({value}, even spread {null})",
        ruled_out="No position is preferred: most often {group}, {value} (even spread {null})",
        undecided="Position preference: undecided ({group} {value}{ends}, even spread {null})",
        takes=over_balanced_orders,
        by_position=True,
    ),
    Kind(
        name="position_locked",
        title="One position whatever it holds",
        measure="position_locked",
        section="positions",
        found="The model answers {group} whatever stands there in {value} of items, where "
        "guessing gives {null}",
        short="Answers {group} whatever stands there in {value} of items (guessing {null})",
        ruled_out="Few items are answered by position alone: {group} in {value} (guessing {null})",
        undecided="Items answered {group} whatever stands there: undecided ({value}{ends}, "
        "guessing {null})",
        takes=over_balanced_orders,
        by_position=True,
    ),
    Kind(
        name="no_agreement",
        title="Agrees with itself no more than guessing",
        measure="plurality_agreement",
        section="agreement",
        way="lacks",
        found="Answers change with the order of the options: agreement {value}, chance {null}",
        short="Answers change with the order: agreement {value}, chance {null}",
        ruled_out="More consistent than guessing: agreement across the orders {value}, chance "
        "{null}",
        undecided="Agreement across the orders: undecided ({value}{ends}, chance {null})",
        takes=over_orders,
    ),
    Kind(
        name="answer_change",
        title="The form changes answers",
        measure="answer_switch_beyond_repeat",
        section="agreement",
        null=0.0,
        found="{label}: the answer changes {distance} more often than {noise}",
        short="{label}: answers change {distance} more often than {noise}",
        ruled_out="{label}: answers change at most {size} more often than {noise} (seen: {change})",
        undecided="{label}: changed answers undecided ({change}{ends})",
        takes=promising("same_answer", but=SERVER),
    ),
    Kind(
        name="none_option",
        title="Cannot say that none is right",
        measure="accuracy_change",
        section="score",
        null=0.0,
        way="below",
        found="The model says “none of these” too seldom: {distance} fewer right than where the "
        "right answer is shown",
        short="Says “none of these” too seldom: {distance} fewer right than in the original",
        ruled_out="The model says “none of these” when it should (change of accuracy {change})",
        undecided="Saying “none of these” when it should: undecided ({change}{ends})",
        takes=none_in_place,
        blind_at_chance=True,
    ),
    Kind(
        name="without_gold",
        title="A missing right answer goes unnoticed",
        measure="accuracy_without_gold_lenient",
        section="without_gold",
        null=0.5,
        way="below",
        found="A missing right answer goes unnoticed: only {value} of replies notice it, over "
        "three prompts",
        short="A missing right answer is noticed in only {value} of replies (expected {null})",
        ruled_out="A missing right answer is noticed in {value} of replies, over three prompts",
        undecided="Noticing a missing right answer: undecided ({value}{ends})",
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
        found="Judged one at a time, only {value} of wrong options are rejected (expected {null})",
        short="Only {value} of wrong options are rejected when judged alone (expected {null})",
        ruled_out="Judged one at a time, {value} of wrong options are rejected",
        undecided="Rejecting wrong options one at a time: undecided ({value}{ends}, expected "
        "{null})",
        takes=wrong_alone,
        silence="true_false_not_wrong",
    ),
    Kind(
        name="without_question",
        title="Right without the question",
        measure="accuracy",
        section="score",
        found="The options give answers away: without the question {value} are right, where "
        "chance is {null}",
        short="Options give answers away ({value} right without the question, chance {null})",
        ruled_out="Options give nothing away ({value} right without the question, chance {null})",
        undecided="Answers without the question: undecided ({value} right{ends}, chance {null})",
        takes=under("options_only"),
    ),
    Kind(
        name="above_chance",
        title="Better than chance where it should not be",
        measure="accuracy",
        section="score",
        found="{label}: {value} are right, where no more than chance ({null}) should be",
        short="{label}: {value} right, where chance is {null}",
        ruled_out="{label}: {value} are right, no more than chance ({null}) by {size}",
        undecided="{label}: better than chance undecided ({value}{ends}, chance {null})",
        takes=chance_elsewhere,
    ),
    Kind(
        name="first_token",
        title="First token and text disagree",
        measure="mismatch_valid",
        section="readers",
        size=0.04,
        null=0.01,
        found="First token and text choose different options in {value} of replies: a score by "
        "first token is not what the model says",
        short="First token and text disagree in {value} of replies (expected {null})",
        ruled_out="First token and text agree: they differ in {value} of replies",
        undecided="Whether first token and text agree: undecided ({value} differ{ends})",
        takes=lambda run, e: e.probe == "original" and e.reader == "first_token",
    ),
    Kind(
        name="other_reader",
        title="The score depends on how it is read",
        measure="score_gain",
        section="readers",
        size=0.02,
        null=0.0,
        way="both",
        found="The score depends on how replies are read: by {reader} it is {distance} "
        "{compared} than by first token",
        short="Read by {reader}, the score is {distance} {compared} than by first token",
        ruled_out="Read by {reader} or by first token, the score is the same to within {size} "
        "({change})",
        undecided="Score by {reader} against first token: undecided ({change}{ends})",
        takes=other_reader,
    ),
    Kind(
        name="no_choice",
        title="Replies choose no option",
        measure="valid_rate",
        section="readers",
        null=0.95,
        way="below",
        found="Only {value} of replies choose an option; the others count as wrong",
        short="Only {value} of replies choose an option (expected {null})",
        ruled_out="Replies choose an option: {value} do",
        undecided="Replies that choose an option: undecided ({value}{ends}, expected {null})",
        takes=as_published,
        blind_if_unread=False,
    ),
    Kind(
        name="many_problems",
        title="Many problems in one prompt change accuracy",
        measure="change_from_single",
        section="multi_problem",
        null=0.0,
        way="both",
        found="{label}: accuracy is {distance} {compared} than one by one",
        short="{label}: accuracy {distance} {compared} than alone",
        ruled_out="{label}: accuracy is the same as one by one to within {size} ({change})",
        undecided="{label} against one by one: undecided ({change}{ends})",
        takes=showing_texts,
        blind_at_chance=True,
    ),
    Kind(
        name="accuracy_change",
        title="The form changes the score",
        measure="accuracy_change",
        section="score",
        null=0.0,
        way="both",
        found="{label}: accuracy {moves} by {distance}",
        short="{label}: accuracy {moves} by {distance}",
        ruled_out="{label}: accuracy changes by less than {size} (seen: {change})",
        undecided="{label}: change of accuracy undecided ({change}{ends})",
        takes=accuracy_should_hold,
        blind_at_chance=True,
    ),
    Kind(
        name="fewer_choices",
        title="The form keeps replies from choosing",
        measure="valid_change",
        section="readers",
        null=0.0,
        way="below",
        found="{label}: {distance} fewer replies choose an option; the others count as wrong",
        short="{label}: {distance} fewer replies choose an option",
        ruled_out="{label}: replies that choose an option are less than {size} fewer ({change})",
        undecided="{label}: replies that choose an option undecided ({change}{ends})",
        takes=promising("same_answer", "same_accuracy"),
    ),
    Kind(
        name="server_change",
        title="The server changes answers",
        measure="answer_change_beyond_repeat",
        section="server",
        null=0.0,
        found="{label}: answers change {distance} more often than by asking again; part of the "
        "score is the server's",
        short="{label}: answers change {distance} more often than by asking again",
        ruled_out="{label}: answers change at most {size} more often than by asking again (seen: "
        "{change})",
        undecided="{label}: changed answers undecided ({change}{ends})",
        takes=under(SERVER),
    ),
)

BY_NAME: Mapping[str, Kind] = {kind.name: kind for kind in KINDS}
RANK: Mapping[str, int] = {kind.name: n for n, kind in enumerate(KINDS)}
"""Where a kind stands: score, position, consistency, none-options, leaks, reading, form."""
SIZES: Mapping[str, float] = {kind.name: kind.size for kind in KINDS}
"""The smallest size that matters, by kind, unless the settings say otherwise."""


def accused(kind: Kind, run: RunToJudge, evidence: Iterable[Evidence]) -> list[Evidence]:
    """The evidence by which a kind accuses; of several sizes of prompts, the largest alone."""
    taken = [e for e in evidence if kind.takes(run, e)]
    if kind.name != "many_problems":
        return taken
    largest = max((problems(e) for e in taken), default=0)
    return [e for e in taken if problems(e) == largest]


def problems(e: Place) -> int:
    """How many problems a prompt holds."""
    return e.condition.integer("size", 0)


def check_sizes(sizes: Mapping[str, float]) -> None:
    """UsageError for a kind that there is not, or a size that no fault of its kind can have.

    What guessing gives is not known beforehand and taken for 0.
    """
    kinds = {kind.name: kind for kind in KINDS}
    for name, size in sizes.items():
        if name not in kinds:
            raise UsageError.unknown("kind of finding", name, SIZES)
        room = kinds[name].room(kinds[name].null or 0.0)
        if not 0 < size < room:
            raise UsageError(
                f"smallest: {name} cannot be {size:g}.",
                hint=f"Sizes are shares; here above 0 and below {room:g} (0.05 is 5 points).",
            )


def sizes_of(smallest: Mapping[str, float], change: float | None = None) -> dict[str, float]:
    """The size of every kind; `change` is that of changes of accuracy, where `--until` names one
    and the settings do not."""
    of = {k.name: change for k in KINDS if k.measure == "accuracy_change" and change is not None}
    return {**SIZES, **of, **smallest}

"""What is shown to a model, before it becomes a prompt: variants and trials.

A probe turns an item into trials. A trial holds one variant (one item as shown), or several when
many problems share one prompt. Nothing here knows wording, models or answers.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Final, Literal

from horsesense.trials.condition import Condition
from horsesense.trials.extras import NO_EXTRAS, Bundled, Extras, Rejoined, WithheldGold
from horsesense.values import quick

AnswerFormat = Literal[
    "letter",
    "label",
    "letters",
    "yes_no",
    "free",
    "label_lines",
    "index_json",
    "rewording",
    "equation",
]
"""The kind of answer a trial asks for; the last two are asked where items are made."""

BUNDLED: Final[tuple[AnswerFormat, ...]] = ("label_lines", "index_json")
"""Kinds of answers that speak of several problems."""

Expects = Literal["gold", "none", "chance"]
"""What a sound model does: choose the gold position, say that no option is right, or guess."""

# `Variant.origin` maps each shown position to the option it holds. Original options are numbered as
# published (0, 1, ...); what a probe added has a negative code, the same in every order.
NONE_OPTION: Final = -1
"""An option that says that no option is right."""
REFUSED_OPTION: Final = -2
"""An abstention option to answer."""
UNKNOWN_OPTION: Final = -3
"""An option that says "I do not know"."""
YES: Final = -4
"""The answer "Yes" to a question about one proposed answer."""
NO: Final = -5
"""The answer "No" to a question about one proposed answer."""
FILLER: Final = -10
"""The first added filler without meaning; the j-th has code FILLER - j."""
BORROWED: Final = -100
"""The first added option of another item; the j-th has code BORROWED - j."""


@quick(frozen=True, slots=True)
class Variant:
    """One item as shown.

    Attributes:
        item_id: the item it shows.
        question: the question, or the text to classify; None where it is withheld.
        options: option texts in the shown order; for task-level labels, the label names.
        labels: what stands before each option ("A", "B", ...); empty where options are named
            by their text (task-level label sets).
        origin: shown position -> original option (>= 0) or what was added (negative codes above).
        gold_at: the shown position that is right; None where none is, or gold is unknown.
        context: a passage before the question.
        text_b, target: second text and target word of pair classification.
        subject: names the pool of few-shot examples.
    """

    item_id: str
    question: str | None
    options: tuple[str, ...]
    labels: tuple[str, ...]
    origin: tuple[int, ...]
    gold_at: int | None
    context: str | None = None
    text_b: str | None = None
    target: str | None = None
    subject: str | None = None


@quick(frozen=True, slots=True)
class Trial:
    """One prompt as shown: which probe made it, what it shows, asks and expects.

    Attributes:
        probe: name of the probe.
        condition: its settings; none where it has one condition only.
        repetition: the replicate (order 0, 1, ...).
        variants: one, or several when problems share a prompt.
        answer_format: the kind of answer asked for.
        expects: what should hold.
        form: name of the prompt template.
        extras: what the prompt says or asks besides, and what its readers must know.
        sample: draws of the same prompt are numbered, so that a repeat is asked again.
    """

    probe: str
    condition: Condition
    repetition: int
    variants: tuple[Variant, ...]
    answer_format: AnswerFormat = "letter"
    expects: Expects = "gold"
    form: str = "choice"
    extras: Extras = NO_EXTRAS
    sample: int = 0

    @property
    def variant(self) -> Variant:
        """The only variant; ValueError if the trial holds several."""
        (variant,) = self.variants
        return variant


def same_prompt(one: Trial, other: Trial) -> bool:
    """Whether two trials put the very same prompt, which is then asked once."""
    named = {name: getattr(other, name) for name in ("probe", "condition", "repetition", "expects")}
    return replace(one, **named) == other


def prompt_of(trial: Trial) -> Hashable:
    """What trials of one probe and condition have in common if they put the very same prompt."""
    put = trial.variants, trial.answer_format, trial.form, trial.extras, trial.sample
    return trial.probe, trial.condition, *put


def none_phrase(trial: Trial) -> str | None:
    """What the prompt asks to be said where no option is right; None where it asks nothing."""
    return trial.extras.none_phrase if isinstance(trial.extras, WithheldGold) else None


def withheld_gold(trial: Trial) -> str | None:
    """The text of the right answer where it is known and not among the options; None else."""
    return trial.extras.gold if isinstance(trial.extras, WithheldGold | Rejoined) else None


def question_of(trial: Trial) -> str | None:
    """What a trial asks of its options; None where it withholds that, or shows a text to classify
    by the labels of the task."""
    return None if "label" in trial.form else trial.variant.question


def bundled(trial: Trial) -> Bundled:
    """How a prompt of many problems asks; the plain way where a trial does not say."""
    return trial.extras if isinstance(trial.extras, Bundled) else Bundled()

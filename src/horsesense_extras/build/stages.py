"""What training in two stages learns: texts about items, then replies in the forms of the test.

REVAS (Wang et al. 2024, section 5) first goes on with pre-training on texts that state right
answers, or right and wrong ones; then it tunes on other items in the forms of the test, and asks
about the items of the texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from horsesense.errors import UsageError
from horsesense.items.item import Item, ItemSet, normalised
from horsesense.probes.base import NotApplicableError, Setting
from horsesense.probes.registry import parse_probe
from horsesense.rng import Dice
from horsesense.stats.words import plural
from horsesense.trials.trial import Trial
from horsesense_extras.build.statements import Parts, Statement, drawn, only, parted

STAGED_ARMS: Final = {
    "sft": "no texts: tuning alone",
    "pos+sft": "texts that state right answers, in twice as many passes, then tuning",
    "pos+neg+sft": "texts that state right answers and call a wrong one incorrect, then tuning",
    "random+sft": "texts as long, of the same tokens dealt out at random, then tuning: the control",
}
"""What each arm learns; tuning is the same in all."""
ALONE: Final = "sft"
STAGED_CONTROL: Final = "random+sft"
ASKED: Final = (
    "none_of_the_above(place=kept)",
    "none_of_the_above(place=distractor)",
    "true_false(items=all)",
)
"""Probes that ask in the forms that are tuned, beside the items as published; and whether none of
the above is chosen beside the right option too."""
_FORMS: Final = ("order(design=random(1))", "none_of_the_above(place=kept, design=random(1))",
                 "true_false(items=all)")  # fmt: skip


def staged(
    items: ItemSet,
    train: int | None,
    tune: int | None,
    test: int | None,
    seed: int,
    others: ItemSet | None = None,
) -> Parts:
    """Items to learn from texts and others to tune on, by cluster; and which learned ones to ask.

    Args:
        items: of multiple choice.
        train: how many to learn; None for all that are left.
        tune: how many to tune on; None for three tenths, or all of `others`.
        test: how many of those learned to ask about; None for all.
        seed: of the draws.
        others: items to tune on, in place of some of `items`.

    Raises:
        UsageError: there are too few, they are no items of multiple choice, or some are in both.
    """
    if others is None:
        parts = parted(items, train, tune, seed, "tune")
        known, tuned, left_out, clusters = parts.train, parts.test, parts.left_out, parts.clusters
    else:
        (known, left_out, n), (tuned, more, m) = (
            drawn(each, number, seed) for each, number in ((items, train), (others, tune))
        )
        left_out = dict(Counter(left_out) + Counter(more))
        clusters = {"train": n, "test": m}
        both = set.intersection(*({normalised(i.question) for i in s} for s in (known, tuned)))
        if both:
            raise UsageError(
                f"{plural(len(both), 'question', 'are')} in {items.name} and in {others.name}.",
                hint="The items to tune on must be others: take these out of one of the files.",
            )
    if test is not None and test > len(known):
        raise UsageError(
            f"--test is {test:,}, and {plural(len(known), 'item', 'are')} learned.",
            hint="Only learned items are asked about: give a smaller --test.",
        )
    asked = Dice(seed, known.fingerprint, "asked").sample(known.items, test or len(known))
    return Parts(
        known,
        only(known, asked),
        left_out,
        {"train": clusters["train"], "tune": clusters["test"]},
        sum(not (item.cluster or item.context) for item in (*known, *tuned)),
        tuned,
    )


def texts(arm: str, items: Sequence[Item], epochs: int, seed: int) -> Iterator[Statement]:
    """The statements of an arm's texts, pass after pass, each pass in an order of its own.

    Without wrong answers there are twice as many passes, so that all arms have as many texts. The
    wrong option of an item is drawn once: it is the same in every pass.
    """
    wrong = arm != "pos+sft"
    for number in range(epochs if wrong else 2 * epochs):
        told = [Statement(item, (), _gold(item), True) for item in items]
        if wrong:
            told += [Statement(item, (), _wrong(item, seed), False) for item in items]
        yield from Dice(seed, str(number), "texts").sample(told, len(told))


def _wrong(item: Item, seed: int) -> int:
    others = [n for n in range(len(item.options)) if n != item.gold]
    return Dice(seed, item.id, "wrong").choice(others)


def _gold(item: Item) -> int:
    """The right option of an item that is learned from."""
    assert item.gold is not None
    return item.gold


def text_of(statement: Statement) -> str:
    """A statement as a text to read.

    >>> text_of(Statement(Item("1", "What is red?", ("blood", "grass"), 0), (), 1, False))
    'Question: What is red?\\n"grass" is not the correct answer.'
    """
    item, option = statement.item, statement.item.options[statement.option]
    said = (
        f"The correct answer is: {option.removesuffix('.')}."
        if statement.right
        else f'"{option}" is not the correct answer.'
    )
    return "\n".join(filter(None, (item.context, f"Question: {item.question}", said)))


class Tuned(NamedTuple):
    """An item in a form of the test, and the reply that is to be learned."""

    item: Item
    trial: Trial
    reply: str


def tuning(items: ItemSet, epochs: int, seed: int, *, texts: bool = False) -> Iterator[Tuned]:
    """Items in the forms of the test, pass after pass: a third each as a choice, with none of the
    above in the place of the right option, and one option for yes or no, half of them right.

    Three passes show each item in each form. The reply is the label of the right option, or its
    text where `texts` are what is read.
    """
    probes = [parse_probe(form) for form in _FORMS]
    accepted = False
    for number in range(epochs):
        dice = Dice(seed, str(number), "tuning")
        setting = Setting(items, dice.below(2**31))
        # One shuffle for all passes, so that the forms of an item come in turn.
        forms = Dice(seed, items.fingerprint, "forms").permutation(len(items))
        for n in dice.permutation(len(items)):
            item = items.items[n]
            try:
                trials = probes[(forms[n] + number) % len(probes)].apply(item, setting)
            except NotApplicableError:  # an item with a none-option of its own
                trials = probes[0].apply(item, setting)
            if trials[0].answer_format == "yes_no":
                accepted = not accepted
                trials = [t for t in trials if (_reply(t) == "Yes") == accepted]
            trial = dice.choice(trials)
            yield Tuned(item, trial, _reply(trial, texts=texts))


def _reply(trial: Trial, *, texts: bool = False) -> str:
    """The label of the right answer, or its text."""
    shown = trial.variant
    assert shown.gold_at is not None
    return (shown.options if texts else shown.labels)[shown.gold_at]

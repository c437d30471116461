"""A test for people: items and forms spread over booklets, so that nobody sees an item twice.

Items are dealt in the order of their clusters to as many groups as there are forms, so that the
items of a story fall into different groups; booklet p shows group g in form g + p (a Latin square,
as the 4 groups and 4 people of Know-No). Where a booklet holds a part of the items only, the parts
go round first. Of the orders of an item's options the one is shown that was shown least, and among
those the one that puts the right answer where this booklet has it least.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.resources import files
from math import ceil
from pathlib import Path
from typing import Final, NamedTuple

from markupsafe import Markup

from horsesense.errors import UsageError
from horsesense.files import new_folder
from horsesense.items.item import Item, ItemSet
from horsesense.measures.joined import ORIGINAL
from horsesense.models.base import Capabilities
from horsesense.report.pages import environment
from horsesense.rng import Dice, fingerprint
from horsesense.runs import asked
from horsesense.runs.planner import Planned
from horsesense.runs.prepare import load_study_items, prepare
from horsesense.runs.record import ModelRecord
from horsesense.runs.settings import Settings
from horsesense.trials.condition import Condition
from horsesense.trials.trial import NONE_OPTION, AnswerFormat, Trial, none_phrase
from horsesense_extras.people.runs import HumanTest, Question, numbered
from horsesense_extras.people.spreadsheet import WRITTEN, code_of, write_table

PROBES: Final = ("gold_absent",)
"""What people are asked unless probes are named: the four prompts of Know-No."""
ANSWERABLE: Final[tuple[AnswerFormat, ...]] = ("letter", "label", "free")
"""Kinds of answers that a booklet can take."""
MOST_BOOKLETS: Final = 10_000

Form = tuple[str, Condition]
NOT_EVERY_FORM: Final = "another probe does not apply to it, and people see an item in every form"


@dataclass(frozen=True)
class Built:
    """A test, and how even it is.

    Attributes:
        test: what was written.
        forms: probe and condition, in order.
        each: least and largest number of people by item and form.
        balanced: the smallest number of people, at least as large, with whom every item is seen
            equally often in every form.
        instruction: what a prompt says before its problem.
    """

    test: HumanTest
    forms: Sequence[Form]
    each: tuple[int, int]
    balanced: int
    instruction: Callable[[Trial], str]


def build_test(settings: Settings, people: int | None, questions: int | None) -> Built:
    """The booklets of a test.

    Args:
        settings: what is asked; the model is `people:NAME`.
        people: booklets; by default the fewest with whom every item is seen in every form.
        questions: of a booklet; by default one for every item.

    Raises:
        ItemsError: the items cannot be read.
        UsageError: a probe cannot be put to people, or applies to no item; numbers do not fit.
    """
    items = load_study_items(settings)
    offers = Capabilities(text=True, chat=True, completion=False)
    model = ModelRecord.named(settings.model, settings.model, offers)
    study = prepare(settings, items, None, model, ("text",))
    # Every study asks the items as published; people see them so only where that is named.
    probes = [p for p in study.probes if p.name != ORIGINAL or ORIGINAL in settings.probes]
    for probe in probes:
        if probe.stage > 1:
            raise UsageError(
                f"The probe {probe.name} depends on earlier answers; a booklet is printed before.",
                hint="Name other --probes.",
            )
    by_item: dict[str, dict[Form, list[Planned]]] = defaultdict(lambda: defaultdict(list))
    for planned in study.planner.plan(probes):
        _check(planned.trial)
        form = planned.trial.probe, planned.trial.condition
        by_item[planned.trial.variant.item_id][form].append(planned)
    forms = list(dict.fromkeys(form for found in by_item.values() for form in found))
    whole = [item for item in items if len(by_item.get(item.id, ())) == len(forms)]
    if not whole or not forms:
        told = "; ".join(
            f"{row['probe']}: {row['reason']}" for row in study.planner.excluded.as_json()
        )
        raise UsageError(f"No item can be asked in every form. {told}")
    for item in items:
        if 0 < len(by_item.get(item.id, ())) < len(forms):
            study.planner.excluded.add("booklets", NOT_EVERY_FORM, item.id)
    size = min(questions or len(whole), len(whole))
    parts = ceil(len(whole) / size)
    least = parts * len(forms)
    people = least if people is None else people
    if not 1 <= people <= MOST_BOOKLETS:
        raise UsageError(f"--people {people}: allowed are 1 to {MOST_BOOKLETS:,}.")
    dealt = _Dealt(_in_clusters(whole, settings.seed), forms, parts, by_item, settings.seed)
    booklets = [dealt.booklet(person) for person in range(people)]
    made = [
        asked.Made(probe, str(condition), signature, study.planner.prompter.signature(form))
        for (probe, condition), (signature, form) in study.planner.made.items()
    ]
    test = HumanTest(
        fingerprint([settings.model_dump(mode="json"), items.fingerprint, people, size])[:6],
        settings,
        items,
        made,
        [asked.declared(probe) for probe in probes],
        study.planner.excluded.as_json(),
        booklets,
    )
    shown = Counter((q.trial.variant.item_id, q.trial.probe, q.trial.condition)
                    for booklet in booklets for q in booklet)  # fmt: skip
    each = [shown[item.id, *form] for item in whole for form in forms]
    return Built(
        test,
        forms,
        (min(each), max(each)),
        least * ceil(people / least),
        study.planner.prompter.instruction,
    )


def _check(trial: Trial) -> None:
    """UsageError for a trial that a booklet cannot put."""
    if len(trial.variants) > 1 or trial.answer_format not in ANSWERABLE:
        raise UsageError(
            f"The probe {trial.probe} asks for {trial.answer_format.replace('_', ' ')}, which a"
            " booklet cannot take.",
            hint="Name probes that ask for one answer to one question, such as original, order or"
            " gold_absent.",
        )


def _in_clusters(items: Sequence[Item], seed: int) -> list[Item]:
    """Items in random order, those of a cluster one after the other."""

    def key(item: Item) -> tuple[float, str, float, str]:
        group = f"i|{item.id}" if item.cluster is None else f"c|{item.cluster}"
        first, second = (Dice(seed, name, "booklets").uniform() for name in (group, item.id))
        return first, group, second, item.id

    return sorted(items, key=key)


@dataclass(frozen=True)
class _Dealt:
    """Deals items in forms and orders to booklets."""

    items: Sequence[Item]
    forms: Sequence[Form]
    parts: int
    planned: Mapping[str, Mapping[Form, Sequence[Planned]]]
    seed: int
    used: Counter[tuple[str, Form, int]] = field(default_factory=Counter)
    asked: Counter[tuple[str, Form]] = field(default_factory=Counter)

    def booklet(self, person: int) -> list[Question]:
        """What person number `person`, from 0, is asked."""
        part, turn = person % self.parts, person // self.parts
        first, last = (ceil(len(self.items) * (part + k) / self.parts) for k in (0, 1))
        golds: Counter[tuple[Form, int | None]] = Counter()
        chosen = []
        for place in range(first, last):
            item = self.items[place]
            form = self.forms[(place + turn) % len(self.forms)]
            order = self._order(item, form, golds)
            trial = order.trial
            golds[form, trial.variant.gold_at] += 1
            repetition = self.asked[item.id, form]
            self.asked[item.id, form] += 1
            chosen.append(numbered(Question(trial, order.request), person + 1, repetition))
        cluster = {item.id: item.cluster or item.id for item in self.items}

        def place_of(question: Question) -> tuple[bool, float, float]:
            """Nothing that speaks of "none" stands before what does not.

            Within each half clusters come in random order, the items of one after the other.
            """
            name = question.trial.variant.item_id
            first, second = (
                Dice(self.seed, text, "booklet place", person).uniform()
                for text in (cluster[name], name)
            )
            return speaks_of_none(question.trial), first, second

        return sorted(chosen, key=place_of)

    def _order(self, item: Item, form: Form, golds: Counter[tuple[Form, int | None]]) -> Planned:
        """The order that was shown least; of several, where the right answer stands least."""
        orders = self.planned[item.id][form]
        drawn = Dice(self.seed, item.id, "booklet order").permutation(len(orders))

        def so_far(n: int) -> tuple[int, int, int]:
            gold = orders[n].trial.variant.gold_at
            return self.used[item.id, form, n], golds[form, gold], drawn[n]

        best = min(range(len(orders)), key=so_far)
        self.used[item.id, form, best] += 1
        return orders[best]


def speaks_of_none(trial: Trial) -> bool:
    """Whether a question says that no option may be right."""
    return NONE_OPTION in trial.variant.origin or none_phrase(trial) is not None


class Shown(NamedTuple):
    """A question as a booklet shows it."""

    number: int
    instruction: str
    context: str
    question: str
    options: Sequence[tuple[str, str]]
    allowed: str

    @property
    def told(self) -> str:
        """The instruction without how to reply: a page has buttons for that."""
        said, reply, how = self.instruction.partition(" Reply with ")
        return said if how.endswith("nothing else.") else said + reply + how


def shown(built: Built, booklet: int, contexts: ItemSet) -> list[Shown]:
    """The questions of a booklet, numbered from 1."""
    items = contexts.by_id
    asking = built.test.asking[booklet]
    found = []
    for number, (trial, _) in enumerate(built.test.booklets[booklet - 1], 1):
        variant = trial.variant
        labels = variant.labels or ("",) * len(variant.options)
        found.append(
            Shown(
                number,
                built.instruction(trial),
                items[variant.item_id].context or "",
                "\n".join(filter(None, (variant.question, variant.text_b, variant.target))),
                list(zip(labels, variant.options, strict=True)),
                asking[number].allowed,
            )
        )
    return found


@cache
def _own(name: str) -> str:
    return (files("horsesense_extras") / "templates" / name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return b64encode(sha256(text.encode()).digest()).decode()


def booklet_page(code: str, questions: Sequence[Shown]) -> str:
    """The page of one booklet, from its code and its questions; it works without a network.

    What is shown of an item is text and nothing else; a policy in the page names its one script and
    its one style sheet by their hashes, so that nothing that an item could bring is run or loaded.
    """
    style, script = _own("booklet.css"), _own("booklet.js")
    return (
        environment("horsesense_extras")
        .get_template("booklet.html.j2")
        .render(
            code=code,
            questions=questions,
            booklet_style=Markup(style),
            script=Markup(script),
            style_hash=_hash(style),
            script_hash=_hash(script),
        )
    )


def write_test(built: Built, out: Path, formats: Sequence[str]) -> None:
    """Write a test's directory: what is handed out, and what stays.

    Args:
        formats: of the booklets: html, csv.

    Raises UsageError where `out` is there already, StoreError where the disk refuses.
    """
    test = built.test
    with new_folder(out) as lines:
        folder = lines.folder
        test.save(folder)
        (folder / "booklets").mkdir()
        for number in range(1, len(test.booklets) + 1):
            code, questions = code_of(test.id, number), shown(built, number, test.items)
            name = f"booklets/booklet-{number:02d}"
            if "html" in formats:
                lines.put(f"{name}.html", booklet_page(code, questions))
            if "csv" in formats:
                write_table(folder / f"{name}.csv", WRITTEN, (_row(code, q) for q in questions))


def _row(code: str, q: Shown) -> tuple[str, ...]:
    options = "\n".join(f"{label}. {text}" if label else text for label, text in q.options)
    return code, "", str(q.number), q.instruction, q.context, q.question, options, q.allowed, ""

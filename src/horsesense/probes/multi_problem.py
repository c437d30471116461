"""Many problems in one prompt (Wang, Kodner and Rambow 2025; specification, section 4).

The same items are classified one per line (`batch`), or selected by label: one prompt per label
(`select_one`) or one for all (`select_all`). The single problem is the probe `original`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from horsesense.errors import UsageError
from horsesense.items.item import Item, ItemSet, to_the_letter
from horsesense.probes.base import NotApplicableError, SetProbe, Setting, check_choice, show
from horsesense.stats.words import plural
from horsesense.trials.bundles import Bundle, by_group, disjoint, interleaved, nested, streams
from horsesense.trials.condition import Condition
from horsesense.trials.extras import Bundled
from horsesense.trials.trial import FILLER, Trial, Variant

TEXT_SIZES: Final = (5, 10, 20, 50, 100)
PAIR_SIZES: Final = (3, 5, 10, 20, 50)
MOST_CLASSES: Final = 20
"""Beyond, a prompt per label and a set of labels per item stop making sense."""

MOST_BUNDLES: Final = 100_000
"""Beyond, drawing them takes minutes."""


@dataclass(frozen=True)
class BundlesOfProblems(SetProbe):
    """What the three tasks have in common.

    `sizes` are joined by "/"; "published" is 5 to 100 for texts, 3 to 50 for pairs, as far as
    there are items. `bundles` is their number. `design` nested: smaller bundles are prefixes of
    larger ones (published); disjoint: no two of a size share an item. `mix` free: from all items;
    subject: all of one subject; even: subjects in equal parts. `shows` label: every text is
    replaced by its right label, the control that selecting itself works. `shots` worked bundles
    stand before the question; 0 as many as the run has.
    """

    sizes: str = "published"
    bundles: int = 100
    design: str = "nested"
    mix: str = "free"
    shows: str = "text"
    shots: int = 0

    invariant = "same_accuracy"

    def __post_init__(self) -> None:
        check_choice(self.name, "design", self.design, ("nested", "disjoint"))
        check_choice(self.name, "mix", self.mix, ("free", "subject", "even"))
        check_choice(self.name, "shows", self.shows, ("text", "label"))
        if self.sizes != "published":
            given_sizes(self.name, self.sizes)
        if not 1 <= self.bundles <= MOST_BUNDLES or self.shots < 0:
            allowed = f"bundles must be 1 to {MOST_BUNDLES:,}, shots 0 or more"
            raise UsageError(f"probe {self.name}: {allowed}.")

    def check(self, item: Item, setting: Setting) -> None:
        super().check(item, setting)
        texts = [item.question, *([item.text_b] if item.text_b is not None else [])]
        if not all(text.strip() for text in texts):
            raise NotApplicableError("the text is empty")
        if self.shows == "label" and item.gold is None:
            raise NotApplicableError("the item has no gold answer to be shown")

    def left_out(self, items: Sequence[Item], setting: Setting) -> Iterator[tuple[str, str]]:
        reason = self.undefined_reason(setting.items)
        sizes = [] if reason or self.sizes != "published" else self._published(setting.items)
        reasons = [reason] if reason else []
        most = self._most(items)
        reasons += [f"too few items for bundles of {size}" for size in sizes if size > most]
        for why in reasons:
            for item in items:
                yield why, item.id

    def undefined_reason(self, items: ItemSet) -> str | None:
        """Why the task cannot be asked of a set at all."""
        labels = items.labels if items.kind == "label" else ()
        if len(set(map(to_the_letter, labels))) < len(labels):
            return "two labels are written alike: no answer can tell them apart"
        return None

    def set_trials(self, items: Sequence[Item], setting: Setting) -> Iterator[Trial]:
        if self.undefined_reason(setting.items) is not None:
            return
        shown = self.variants(items, setting)
        for size, number, bundle in self._bundles(items, setting):
            variants = tuple(shown[i] for i in bundle)
            yield from self.ask(variants, self.condition(size), number, setting)

    @abstractmethod
    def ask(
        self, variants: tuple[Variant, ...], condition: Condition, number: int, setting: Setting
    ) -> Iterator[Trial]:
        """The prompts of one bundle."""

    def variants(self, items: Sequence[Item], setting: Setting) -> list[Variant]:
        """Each item as it stands in a bundle."""
        return [self._variant(item, setting) for item in items]

    def _variant(self, item: Item, setting: Setting) -> Variant:
        if self.shows == "text":
            return show(item, setting.items.kind)
        assert item.gold is not None
        label = item.options[item.gold]
        bare = Item(item.id, label, item.options, item.gold, subject=item.subject)
        return show(bare, setting.items.kind)

    def condition(self, size: int) -> Condition:
        """The size, and what is not as published."""
        changed = {name: value for name, value, usual in self.settings() if value != usual}
        return Condition(size=size, **changed)

    def settings(self) -> list[tuple[str, object, object]]:
        """(name, value, published value) of what distinguishes conditions."""
        return [
            ("design", self.design, "nested"),
            ("mix", self.mix, "free"),
            ("shows", self.shows, "text"),
            ("shots", self.shots, 0),
        ]

    def _published(self, items: ItemSet) -> tuple[int, ...]:
        pairs = any(item.text_b is not None or item.context is not None for item in items)
        return PAIR_SIZES if pairs else TEXT_SIZES

    def _most(self, items: Sequence[Item]) -> int:
        """Size of the largest bundle that can be drawn."""
        if self.mix == "free":
            return len(items)
        groups = by_group([item.subject for item in items])
        smallest = min(map(len, groups), default=0)
        return smallest if self.mix == "subject" else smallest * len(groups)

    def _bundles(
        self, items: Sequence[Item], setting: Setting
    ) -> Iterator[tuple[int, int, Bundle]]:
        """(size, number of the bundle, its members)."""
        if self.sizes == "published":
            most = self._most(items)
            sizes = tuple(s for s in self._published(setting.items) if s <= most)
        else:
            sizes = given_sizes(self.name, self.sizes)
        if not sizes:
            few = plural(len(items), "item", "are too few for any bundle")
            raise UsageError(f"probe {self.name}: {few}.")
        largest = self._draw(items, setting, max(sizes)) if self.design == "nested" else []
        for size in sizes:
            drawn = largest or self._draw(items, setting, size)
            for number, bundle in enumerate(drawn):
                yield size, number, bundle[:size]

    def _draw(self, items: Sequence[Item], setting: Setting, size: int) -> list[Bundle]:
        states = streams(setting.seed, [item.id for item in items])
        draw = nested if self.design == "nested" else disjoint
        if self.mix == "free":
            return draw(states, size, self.bundles)
        groups = by_group([item.subject for item in items])
        if len(groups) < 2:
            raise UsageError(
                f"probe {self.name}: mix={self.mix} needs items of several subjects.",
                hint="`horsesense build mix` makes a file that mixes data sets.",
            )
        even = self.mix == "even"
        # Of each group: bundles of its own, or its share of every bundle.
        share = -(-size // len(groups)) if even else size
        count = self.bundles if even else -(-self.bundles // len(groups))
        parts = [
            [tuple(group[i] for i in bundle) for bundle in draw(states[group], share, count)]
            for group in groups
        ]
        if not even:
            return [bundle for turn in zip(*parts, strict=False) for bundle in turn][: self.bundles]
        return [
            _turned(turn, number, size) for number, turn in enumerate(zip(*parts, strict=False))
        ]


def _turned(parts: Sequence[Bundle], number: int, size: int) -> Bundle:
    """Equal parts in turn; another group begins each bundle, so that none owns a place."""
    first = number % len(parts)
    return tuple(interleaved([*parts[first:], *parts[:first]], size))


def given_sizes(probe: str, text: str) -> tuple[int, ...]:
    """Sizes from "5/10/20"; UsageError says what is allowed."""
    parts = [part.strip() for part in text.split("/")]
    if not all(part.isdigit() and int(part) > 0 for part in parts):
        raise UsageError(
            f"probe {probe}: sizes cannot be {text!r}.",
            hint="Write whole numbers from 1, joined by slashes: sizes=5/10/20.",
        )
    return tuple(dict.fromkeys(map(int, parts)))


@dataclass(frozen=True)
class Batch(BundlesOfProblems):
    """`lines` anchored: every answer repeats its number, so that a skipped one shifts no other."""

    lines: str = "plain"

    name = "batch"
    title = "Many problems, one answer a line"
    summary = "Several items in one prompt, to be answered one per line."
    expectation = "As many right answers as one by one."

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.name, "lines", self.lines, ("plain", "anchored"))

    def settings(self) -> list[tuple[str, object, object]]:
        return [*super().settings(), ("lines", self.lines, "plain")]

    def ask(
        self, variants: tuple[Variant, ...], condition: Condition, number: int, setting: Setting
    ) -> Iterator[Trial]:
        form = "batch" if setting.items.kind == "label" else "batch_choice"
        extras = Bundled(lines=self.lines, shows=self.shows, shots=self.shots)
        yield Trial(self.name, condition, number, variants, "label_lines", form=form, extras=extras)


@dataclass(frozen=True)
class SelectByClass(BundlesOfProblems):
    """`cot` 1: one worked example that classifies first and selects then."""

    cot: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.name, "cot", str(self.cot), ("0", "1"))

    def settings(self) -> list[tuple[str, object, object]]:
        return [*super().settings(), ("cot", self.cot, 0)]

    def undefined_reason(self, items: ItemSet) -> str | None:
        if reason := super().undefined_reason(items):
            return reason
        labels = classes(items)
        if not 2 <= len(labels) <= MOST_CLASSES:
            return f"selection by label needs 2 to {MOST_CLASSES} labels that items share"
        if len({label.lower() for label in labels}) < len(labels):
            return "two labels differ in case alone"
        return None

    def variants(self, items: Sequence[Item], setting: Setting) -> list[Variant]:
        """All labels are the options of every item; those of other tasks count as added."""
        labels = classes(setting.items)
        found = []
        for item in items:
            plain = self._variant(item, setting)
            foreign = [label for label in labels if label not in item.options]
            origin = [
                item.options.index(label)
                if label in item.options
                else FILLER - foreign.index(label)
                for label in labels
            ]
            gold = None if item.gold is None else labels.index(item.options[item.gold])
            found.append(
                Variant(
                    item.id,
                    plain.question,
                    labels,
                    (),
                    tuple(origin),
                    gold,
                    plain.context,
                    plain.text_b,
                    plain.target,
                    plain.subject,
                )
            )
        return found


def classes(items: ItemSet) -> tuple[str, ...]:
    """The labels of a task; of multiple-choice items, all different options."""
    if items.kind == "label":
        return items.labels
    options: dict[str, None] = {}
    for item in items:
        options.update(dict.fromkeys(item.options))
        if len(options) > MOST_CLASSES:
            break
    return tuple(options)


@dataclass(frozen=True)
class SelectOne(SelectByClass):
    """`examples` asked: worked examples select the label that is asked for; alternate: they go
    through the labels whatever is asked (published). `classes` listed: all classes stand before
    the question; published: only where the paper lists them (AGNews) or the task has no words of
    its own."""

    examples: str = "asked"
    classes: str = "listed"

    name = "select_one"
    title = "Select the items of one label"
    summary = "One prompt per label asks for the numbers of all items that have it."
    expectation = "Each item is selected under its own label and no other."

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.name, "examples", self.examples, ("asked", "alternate"))
        check_choice(self.name, "classes", self.classes, ("listed", "published"))

    def ask(
        self, variants: tuple[Variant, ...], condition: Condition, number: int, setting: Setting
    ) -> Iterator[Trial]:
        form = "select_one" if self.classes == "listed" else "select_one_published"
        for label in variants[0].options:
            extras = Bundled(
                shows=self.shows,
                asked=label,
                cot=bool(self.cot),
                examples=self.examples,
                shots=self.shots,
            )
            yield Trial(
                self.name,
                condition,
                number,
                variants,
                "index_json",
                form=form,
                extras=extras,
            )


class SelectAll(SelectByClass):
    name = "select_all"
    title = "Select the items of every label"
    summary = "One prompt asks for the numbers of the items of each label."
    expectation = "Each item is selected under its own label and no other."

    def ask(
        self, variants: tuple[Variant, ...], condition: Condition, number: int, setting: Setting
    ) -> Iterator[Trial]:
        extras = Bundled(cot=bool(self.cot), shows=self.shows, shots=self.shots)
        yield Trial(
            self.name, condition, number, variants, "index_json", form="select_all", extras=extras
        )

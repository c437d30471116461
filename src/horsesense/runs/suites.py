"""Named sets of probes: the experiments of a paper, as published or with better choices.

`faithful` runs a paper's protocol as it stands; without it the choices are made for which the
specification (section 10) has evidence. Each suite lists where the two differ, so that a report
can say which was run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from horsesense.errors import UsageError
from horsesense.plugins import Registry
from horsesense.probes.multi_problem import Bundles
from horsesense.probes.registry import parse_probes


@dataclass(frozen=True, slots=True)
class Choice:
    """One point at which the better protocol departs from the published one."""

    what: str
    published: str
    better: str
    why: str


@dataclass(frozen=True, slots=True)
class Suite:
    """A named set of probes.

    Attributes:
        name, title: as written on the command line; for headings.
        source: where the experiments come from.
        published, better: probes of the two protocols, as on the command line.
        choices: where they differ, and why.
        readers: readers of the better protocol, besides those that are named.
        published_readers: the same of the published one.
    """

    name: str
    title: str
    source: str
    published: tuple[str, ...]
    better: tuple[str, ...]
    choices: tuple[Choice, ...] = ()
    readers: tuple[str, ...] = ()
    published_readers: tuple[str, ...] = ()

    def needed(self, faithful: bool) -> tuple[str, ...]:
        """Readers that the suite needs besides those that are named."""
        return self.published_readers if faithful else self.readers

    def probes(self, faithful: bool) -> tuple[str, ...]:
        return self.published if faithful else self.better

    def as_json(self, faithful: bool) -> dict[str, Any]:
        """What a report says of the suite: its source, the protocol, and where they differ."""
        return {
            "name": self.name,
            "title": self.title,
            "source": self.source,
            "faithful": faithful,
            "choices": [asdict(choice) for choice in self.choices],
        }


BASIC = ("repeat", "order", "labels", "none_of_the_above", "options_only")

_RANDOM = "design=random(4)"
_ORDERS = Choice(
    "orders of the options",
    "4 random ones, whatever the number of options",
    "cyclic: every option stands once in every position",
    "random orders leave the right answer unevenly placed; at equal cost, cyclic ones halve the "
    "variance of the mean accuracy",
)
_DISTRACTORS = Choice(
    "added options",
    "without meaning",
    "without meaning, and plausible ones of other items",
    "what looks like garbage can be ruled out without knowledge",
)

REVAS = Suite(
    "revas",
    "Beyond the Answers (REVAS)",
    "Wang et al. 2024, arXiv 2402.01349",
    published=(
        f"order({_RANDOM})",
        *(f"option_count({n}, {_RANDOM})" for n in (2, 3, 6, 8, 10)),
        f"none_of_the_above(place=kept, {_RANDOM})",
        f"true_false({_RANDOM})",
        f"option_confidence({_RANDOM})",
        "multi_select",
        "misleading_replaced(arm=misleading)",
    ),
    better=(
        "repeat",
        "order",
        *(f"option_count({n})" for n in (2, 3, 6, 8, 10)),
        *(f"option_count({n}, kind=plausible)" for n in (6, 8, 10)),
        "none_of_the_above(design=cyclic)",
        "true_false(items=all, polarity=both)",
        "true_false",
        "option_confidence",
        "multi_select(items=majority_wrong)",
        "misleading_replaced(items=majority_wrong)",
    ),
    choices=(
        _ORDERS,
        _DISTRACTORS,
        Choice(
            "where the none-option stands",
            "in place of the right option, then reordered",
            "also pinned last, and in place of a wrong option",
            "a model that always says none is found out only where the right answer is there",
        ),
        Choice(
            "which items are asked one option at a time",
            "those answered right in every order, positively",
            "also all items, positively and negatively",
            "the selection hides items that were guessed; a bias to yes is seen in both polarities",
        ),
        Choice(
            "which items count as wrong",
            "wrong in the published order",
            "wrong by the plurality over the orders",
            "one order's errors are partly chance, and correct themselves when asked again",
        ),
        Choice(
            "control of the replaced option",
            "none",
            "another wrong option replaced; the item asked again unchanged",
            "wrong items get better on any second look (regression to the mean)",
        ),
    ),
)

_THREE = "design=random(3)"

KNOW_NO = Suite(
    "know-no",
    "Know-No and OmniAccuracy",
    "Xu et al. 2024, arXiv 2406.16203",
    published=(
        f"gold_absent({_THREE})",
        f"gold_plus_none({_THREE})",
        "delimiter",
    ),
    better=(
        "order",
        "gold_absent(design=auto)",
        "gold_absent(prompt=hint_option, positions=every, design=auto)",
        "gold_plus_none(design=auto)",
        "delimiter(gold=both)",
    ),
    choices=(
        Choice(
            "orders of the options",
            "3 random ones",
            "cyclic up to 10 options, 3 random ones above",
            _ORDERS.why,
        ),
        Choice(
            "where the none-option stands",
            "last",
            "last, and in every position in turn",
            "a model that likes the last option seems to notice that the right one is missing",
        ),
        Choice(
            "items with the none-option beside the right answer",
            "another, smaller sample",
            "the same items",
            "only the same items can be compared",
        ),
    ),
)

MULTI_PROBLEM = Suite(
    "multi-problem",
    "Many problems in one prompt",
    "Wang, Kodner and Rambow 2025, arXiv 2406.10786",
    published=(
        "batch",
        "select_one(examples=alternate)",
        "select_all",
        "select_one(shows=label, examples=alternate)",
        "select_all(shows=label)",
    ),
    better=(
        "batch",
        "batch(lines=anchored)",
        "select_one",
        "select_all",
        "select_one(shows=label)",
        "select_all(shows=label)",
    ),
    choices=(
        Choice(
            "how answers are matched with problems",
            "one a line, by their order",
            "also with the number of the problem before each answer",
            "where a line is left out, order alone shifts all that follow",
        ),
        Choice(
            "label of the worked examples of select_one",
            "goes through the labels, whatever is asked",
            "the one that is asked",
            "an example of another label shows another task",
        ),
        Choice(
            "intervals and tests",
            "accuracies of model, data and size as independent samples",
            "problems, paired, with errors that go together by item and by prompt",
            "the tasks are asked about the same items in the same bundles",
        ),
    ),
)

_PERTURBED = ("key_typo", "letter_scramble", "word_swap")

LOOK_AT_TEXT = Suite(
    "look-at-text",
    "Look at the Text",
    "Wang et al. 2024, arXiv 2404.08382",
    published=(*_PERTURBED, "option_swap", "extra_options", "order(cyclic(base=published))"),
    better=(
        "repeat",
        "order",
        *_PERTURBED,
        "letter_swap",
        "option_swap",
        "extra_options",
    ),
    choices=(
        Choice(
            "prior for the labels",
            "one for each subject",
            "one for all subjects",
            "five items of a subject of a hundred say little; pride(per=subject) draws its priors "
            "towards the global one",
        ),
        Choice(
            "items that PriDe is fitted on",
            "a share of 5 %",
            "5 %, and at least 20 where half of the items are more",
            "5 % of a hundred items are too few to tell a prior from what single items ask",
        ),
        Choice(
            "orders that PriDe is fitted on",
            "the shifts of the published order",
            "the shifts of a random order of each item",
            "the published order is one that a model may have seen",
        ),
        Choice(
            "mean of the items' priors",
            "arithmetic",
            "geometric",
            "noise of single items draws the arithmetic mean towards 1/k: 0.4 becomes 0.3",
        ),
        Choice(
            "noise floor",
            "none",
            "the same prompt asked again",
            "without it, no change can be told from noise",
        ),
    ),
    readers=("pride(least=20)",),
    published_readers=("pride(mean=arithmetic, per=subject)",),
)

SUITES: Registry[Suite] = Registry("suite")
SUITES.add("basic", Suite("basic", "Basic audit", "horsesense", BASIC, BASIC))
SUITES.add("revas", REVAS)
SUITES.add("know-no", KNOW_NO)
SUITES.add("multi-problem", MULTI_PROBLEM)
SUITES.add("look-at-text", LOOK_AT_TEXT)


def named_suites(names: str | None) -> tuple[Suite, ...]:
    """The suites of a comma-separated list; UsageError lists what there is."""
    return tuple(SUITES.get(name.strip()) for name in names.split(",")) if names else ()


def suite_probes(names: str | None, faithful: bool) -> tuple[str, ...]:
    """The probes of one or several suites, each once, in order.

    >>> suite_probes("know-no", True)[0]
    'gold_absent(design=random(3))'
    """
    specs = [spec for suite in named_suites(names) for spec in suite.probes(faithful)]
    if faithful and not specs:
        raise UsageError(
            "--faithful is about the protocol of a suite, and none was named.",
            hint=f"Add --suite with one of {', '.join(SUITES.names())}.",
        )
    return merged(specs)


def rebundled(
    specs: Sequence[str],
    sizes: str | None = None,
    bundles: int | None = None,
    disjoint: bool = False,
) -> tuple[str, ...]:
    """The specs with other bundles wherever a probe puts several problems into a prompt.

    >>> rebundled(["order", "batch(lines=anchored)"], sizes="3/5")[1].split(", ")[0]
    'batch(sizes=3/5'
    """
    changes: dict[str, Any] = {}
    if sizes is not None:
        changes["sizes"] = sizes
    if bundles is not None:
        changes["bundles"] = bundles
    if disjoint:
        changes["design"] = "disjoint"
    if not changes:
        return tuple(specs)
    probes = [(spec, parse_probes([spec])[-1]) for spec in specs]
    return tuple(
        replace(probe, **changes).signature if isinstance(probe, Bundles) else spec
        for spec, probe in probes
    )


def merged(specs: Sequence[str]) -> tuple[str, ...]:
    """The specs without those that ask for a probe that an earlier one asks for."""
    seen: dict[str, str] = {}
    for spec in specs:
        seen.setdefault(parse_probes([spec])[-1].signature, spec)
    return tuple(seen.values())

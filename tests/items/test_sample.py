"""The packaged sample: even, free of cheap cues, and disjoint from its few-shot file."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable

import pytest

from horsesense.items.item import Item, ItemSet
from horsesense.items.load import load_items


@pytest.fixture(scope="module")
def sample() -> ItemSet:
    return load_items("sample", shots_from="sample-shots")


@pytest.fixture(scope="module")
def shots() -> ItemSet:
    return load_items("sample-shots")


def test_size_and_subjects(sample: ItemSet, shots: ItemSet) -> None:
    sizes = {"general_knowledge": 24, "stories": 24, "intents": 12}
    assert Counter(item.subject for item in sample) == sizes
    assert Counter(item.subject for item in shots) == dict.fromkeys(sizes, 5)
    assert all(item.gold is not None for item in [*sample, *shots])
    assert sample.source == "sample"


def test_nothing_is_flagged(sample: ItemSet, shots: ItemSet) -> None:
    """No repeats, no options that say the same or point at others, no item among the shots."""
    assert sample.flags == {}
    assert shots.flags == {}
    assert not {item.id for item in sample} & {item.id for item in shots}


def test_stories_are_clusters_of_three_questions(sample: ItemSet) -> None:
    stories = [item for item in sample if item.subject == "stories"]
    assert Counter(Counter(item.cluster for item in stories).values()) == {3: 8}
    assert len({item.context for item in stories}) == 8
    assert all(item.cluster is None for item in sample if item.subject != "stories")


def test_the_gold_visits_every_position_equally_often(sample: ItemSet) -> None:
    """Within each subject and number of options."""
    strata: dict[tuple[str | None, int], Counter[int | None]] = {}
    for item in sample:
        strata.setdefault((item.subject, len(item.options)), Counter())[item.gold] += 1
    for (_, options), positions in strata.items():
        assert len(positions) == options
        assert len(set(positions.values())) == 1


def by_cue(items: Iterable[Item], score: Callable[[Item, str], float]) -> float:
    """Share of golds found by taking the option of the highest score, ties split evenly."""
    shares = []
    for item in items:
        scores = [score(item, option) for option in item.options]
        best = [position for position, value in enumerate(scores) if value == max(scores)]
        shares.append((item.gold in best) / len(best))
    return sum(shares) / len(shares)


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def overlap(item: Item, option: str) -> float:
    """Share of the option's words that stand in the question or the story."""
    return len(words(option) & words(f"{item.context} {item.question}")) / len(words(option))


CUES: dict[str, Callable[[Item, str], float]] = {
    "longest": lambda _, option: len(option),
    "shortest": lambda _, option: -len(option),
    "most words": lambda _, option: len(option.split()),
    "overlap": overlap,
    "fewest shared words": lambda item, option: -overlap(item, option),
    "first in the alphabet": lambda _, option: -ord(option[0]),
}


@pytest.mark.parametrize("cue", CUES)
def test_no_cheap_cue_finds_the_gold(cue: str, sample: ItemSet) -> None:
    chance = sum(1 / len(item.options) for item in sample) / len(sample)
    assert abs(by_cue(sample, CUES[cue]) - chance) < 0.1


@pytest.mark.parametrize("subject", ["general_knowledge", "stories", "intents"])
@pytest.mark.parametrize("cue", ["longest", "shortest", "overlap"])
def test_no_cheap_cue_finds_the_gold_of_a_subject(cue: str, subject: str, sample: ItemSet) -> None:
    items = [item for item in sample if item.subject == subject]
    assert by_cue(items, CUES[cue]) < 0.35


def test_figures_of_the_data_card(sample: ItemSet) -> None:
    cues = ("longest", "shortest", "overlap", "fewest shared words")
    assert [round(by_cue(sample, CUES[cue]), 2) for cue in cues] == [0.25, 0.26, 0.18, 0.27]

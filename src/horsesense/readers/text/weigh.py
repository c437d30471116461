"""From evidence to a decision: one table of weights, and how sure it makes."""

from __future__ import annotations

import json
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import repeat
from math import exp, log
from operator import mul
from os.path import dirname, join  # pathlib: 5 ms of the 61 that the import took
from typing import Any, Final, NamedTuple

from horsesense.readers.text import around, evidence
from horsesense.readers.text.evidence import STATUSES, Features, Named, Scene
from horsesense.readers.text.words import listed

Trees = Sequence["array[Any]"]
"""The first node of each tree, and columns of all nodes, each in one piece: the feature, its edge
(a leaf's value), and the nodes for values up to it and beyond; below 0 is a leaf, `~` its place."""
Marks = Mapping[str, bytes]
"""Feature of a status -> its weight for each, as numbers that lie beside each other."""


BESIDE: Final = "m:"
"""Begins the name of a mention's feature where it counts for its option, if no mention of that
option is stronger."""


class Weights(NamedTuple):
    """What was learnt (`scripts/learn_reader.py`).

    Attributes:
        mention: weight of each feature of a mention.
        beside: of each feature of an option's strongest mention.
        choice: of each other feature of an option.
        status: of each feature of a status.
        base, trees: what tells how sure a decision is.
        least_choice, least_status: confidence from which on a choice, or a status, is read.
    """

    mention: Mapping[str, float]
    beside: Mapping[str, float]
    choice: Mapping[str, float]
    status: Marks
    base: float
    trees: Trees
    least_choice: float
    least_status: float


def shipped() -> Weights:
    """The weights of the package."""
    with open(join(dirname(__file__), "weights.json"), "rb") as file:
        value = json.load(file, parse_float=cache(float))  # one number for all that are equal
    beside, choice, status = parted(value["choice"])
    trees = [array(kind, column) for kind, column in zip("hhdhh", value["trees"], strict=True)]
    return Weights(value["mention"], beside, choice, status, value["base"], trees,
                   value["answer"], value["status"])  # fmt: skip


def parted(
    choice: Mapping[str, float],
) -> tuple[Mapping[str, float], Mapping[str, float], Marks]:
    """The weights of options' features, mentions apart, and of statuses' (`status|feature`)."""
    beside: dict[str, float] = {}
    options: dict[str, float] = {}
    status: dict[str, array[float]] = {}
    number = {name: i for i, name in enumerate(STATUSES)}
    for key, weight in choice.items():
        name, _, feature = key.partition("|")
        if feature and name in number:
            status.setdefault(feature, array("d", bytes(8 * len(STATUSES))))[number[name]] = weight
        elif key.startswith(BESIDE):
            beside[key.removeprefix(BESIDE)] = weight
        else:
            options[key] = weight
    return beside, options, {feature: row.tobytes() for feature, row in status.items()}


class Weighed(NamedTuple):
    """Candidates, options first and then statuses, with all that decides between them.

    Attributes:
        z: score of each mention.
        options, status: the features of each option, and those that all statuses share.
        odds: log-probability of each candidate.
        best: the likeliest.
    """

    z: list[float]
    options: list[Features]
    status: Features
    named: Named
    odds: list[float]
    best: int


def weigh(scene: Scene, weights: Weights) -> Weighed:
    """The log-probabilities of all candidates."""
    get, beside, choice = weights.mention.get, weights.beside.get, weights.choice.get
    names = [around.of_mention(scene, k) for k in range(len(scene.found))]
    z = [sum(map(get, each, repeat(0.0))) for each in names]
    found = featured(scene, z)
    odds = [sum([choice(k, 0.0) * v for k, v in f.items()]) for f in found.options]
    for option, k in found.named.strongest.items():
        odds[option] += sum(map(beside, dict.fromkeys(names[k]), repeat(0.0)))
    marks, n = weights.status.get, len(STATUSES)
    rows = [(row, value) for name, value in found.status.items() if (row := marks(name))]
    table, values = array("d", b"".join([row for row, _ in rows])), [value for _, value in rows]
    return settled(found, odds + [sum(map(mul, table[i::n], values)) for i in range(n)])


def featured(scene: Scene, z: list[float]) -> Weighed:
    """The features of all candidates, undecided."""
    options, named = evidence.of_options(scene, z)
    return Weighed(z, options, evidence.of_status(scene, z, named), named, [], -1)


def settled(found: Weighed, scores: list[float]) -> Weighed:
    """Decided by the candidates' scores."""
    top = max(scores)
    norm = top + log(sum([exp(one - top) for one in scores]))
    odds = [one - norm for one in scores]
    return found._replace(odds=odds, best=odds.index(max(odds)))


_STYLES: Final = {"": 0.0} | {
    style: i + 1.0
    for i, style in enumerate(listed("bare near tail colon mark paren head line cue box place"))
}
_FACTS: Final = listed(
    "refusal refusal0 refusal9 unknown unknown9 none none0 none9 length cut hangs"
    " announces unclosed asks clash plural elsewhere equals_else recital bothall special"
    " told several loop depends"
)
_NEAR: Final = listed("answer option pick right so final not wrong if said maybe lure")
_OWN: Final = listed(
    "max lastz firstz mean sum often highest onlyone onlyheavy firm_last firm_first firm_only"
    " final finalz first leftout leftover lone+ lone- xlone+ xlone- lone+all stated|several"
    " says:none says:refusal says:unknown w:so w:so> w:end! w:all! u:all! u:end! u:so w:all*"
    " u:all* w:start w:start>"
)
_SECOND: Final = listed("max lastz final firm_last lone+ lone- highest often w:all u:all w:end")
_STATUS: Final = listed("heavy z2 topz pair pair>0 either>0 mall both")
_WORDS: Final = listed("drop right fits so final option")
_OTHERS: Final = frozenset(listed("other others another else rest latter former"))
_LATER: Final = ["not", "but", "turn", "maybe", "wrong", "if", "answer", "pick"]
_ANYWHERE: Final = ["turn", "lure", "none", "pick", "answer"]


def grounds(scene: Scene, found: Weighed) -> list[float]:
    """What confidence in the likeliest candidate is made of: numbers in a fixed order."""
    k, best = scene.see.k, found.best
    odds, order = found.odds, sorted(found.odds, reverse=True)
    own = found.options[best] if best < k else {}
    row = found.status
    other = odds[:k] if best >= k else odds[k:]
    out = [
        float(best < k), order[0], order[0] - order[1], odds[best], max(other),
        float(k), float(len(scene.page.raw)), float(len({m.option for m in scene.found})),
        row.get("ovall", 0.0), row.get("ovend", 0.0), row.get("pairz", evidence.ABSENT),
        row.get("either", 0.0),
        own.get("top_number!", 0.0), own.get("others_low", 0.0), float(scene.see.negated),
        float(scene.see.style == "digit"), float(scene.stated == best),
    ]  # fmt: skip
    shares = ("all", "end", "all>", "end>")
    out += [own.get("w:" + name, own.get("u:" + name, 0.0)) for name in shares]
    out += map(scene.facts.get, _FACTS, repeat(0.0))
    out += _rivals(scene, found, own, order)
    return out + _mentioned(scene, found.z, best) + _around(scene, found.z, best)


def _rivals(scene: Scene, found: Weighed, own: Features, order: Sequence[float]) -> list[float]:
    """What speaks for the likeliest candidate and for the second, and whose words may mislead."""
    page, see, best = scene.page, scene.see, found.best
    second = found.odds.index(order[1]) if order[1] < order[0] else best
    other = found.options[second] if second < see.k else {}
    size, in_other, has_other = see.sizes[best] if best < see.k else (0, False, False)
    return [
        *map(own.get, _OWN, repeat(0.0)), *map(other.get, _SECOND, repeat(0.0)),
        *map(found.status.get, _STATUS, repeat(0.0)), float(second < see.k), order[2],
        *map(Counter(page.cls).__getitem__, _WORDS), float(len(page.asks)),
        float(len(page.begins)), float(scene.heads), float(page.raw.count("\n")),
        float(not _OTHERS.isdisjoint(page.low)), float(size),
        float(in_other), float(has_other),
    ]  # fmt: skip


def _mentioned(scene: Scene, z: Sequence[float], best: int) -> list[float]:
    """How the likeliest option and its rivals are mentioned."""
    found, none = scene.found, evidence.ABSENT
    mine = [k for k, m in enumerate(found) if m.option == best]
    rest = [k for k, m in enumerate(found) if m.option != best]
    strong = max(mine, key=z.__getitem__) if mine else len(found)
    behind = [z[k] for k in rest if k > strong]
    return [
        max((z[k] for k in mine), default=none), z[mine[-1]] if mine else none,
        max((z[k] for k in rest), default=none), z[rest[-1]] if rest else none,
        max(behind, default=none), float(len(mine)), float(len(rest)),
        float(sum(found[k].how != "P" for k in rest)),
        float(bool(mine) and mine[-1] == len(found) - 1), float(bool(mine) and not mine[0]),
    ]  # fmt: skip


def _around(scene: Scene, z: Sequence[float], best: int) -> list[float]:
    """Where the strongest mention of the likeliest option stands, and among which words."""
    page, found = scene.page, scene.found
    mine = [k for k, m in enumerate(found) if m.option == best]
    m = found[max(mine, key=z.__getitem__)] if mine else None
    later, all_of_it = Counter(page.cls[m.first if m else 0 :]), Counter(page.cls)
    counts = [float(later[c]) for c in _LATER] + [float(all_of_it[c]) for c in _ANYWHERE]
    if m is None:
        return [-1.0] * 6 + [0.0] * len(_NEAR) + counts
    begin = page.begins[page.sent[m.first]]
    near = page.cls[max(begin, m.first - 9) : m.first][::-1]
    return [
        float("LTBOP".find(m.how)), _STYLES.get(m.style, 0.0), float(m.clash), float(m.first),
        float(len(page.raw) - m.last), float(len(page.begins) - 1 - page.sent[m.first]),
        *(float(near.index(c) + 1 if c in near else 0) for c in _NEAR), *counts,
    ]  # fmt: skip


def confidence(numbers: Sequence[float], weights: Weights) -> float:
    """How likely it is that a decision with these grounds is right."""
    total = weights.base
    roots, feature, edge, low, high = weights.trees
    for node in roots:
        while node >= 0:
            node = low[node] if numbers[feature[node]] <= edge[node] else high[node]
        total += edge[~node]
    return min(0.995, 1 / (1 + exp(-total)))

"""Do intervals over items and people hold the truth? Simulated people, whose truth is known.

    python benchmarks/people_coverage.py --studies 1000
    python benchmarks/people_coverage.py --studies 1000 --inattentive 0.1

Right answers are drawn with the log-odds mean + item + person (+ form), items and people normal, in
the Latin square of `build test` with the four forms of Know-No. The truth is that of all items and
all people. Also how often intervals over items alone would hold it, and the difference between
people and a model that answers the same items. *Not below*, *not above*: how often the verdict's
one-sided tests at 5 % leave the true mean of the forms alone.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np

from horsesense.findings.evidence import Evidence
from horsesense.measures.accuracy import Accuracy
from horsesense.measures.cells import STATUS_CODE, Cell, People
from horsesense.measures.estimate import Context, found_all
from horsesense.measures.know_no import OmniAccuracy
from horsesense.measures.signature import Signature
from horsesense.probes.gold_absent import PROMPTS
from horsesense.stats.paired import Paired
from horsesense.stats.shares import Shares
from horsesense.trials.condition import Condition

SHIFT = (0.5, 0.0, -0.5, -1.0)
"""What each form adds to the log-odds."""
GUESS = float(np.log(1 / 3))
"""Log-odds of somebody who does not read."""


def _right(logit: np.ndarray, dice: np.random.Generator) -> np.ndarray:
    return dice.random(logit.shape) < 1 / (1 + np.exp(-logit))


def _cell(form: str, right: np.ndarray, person: np.ndarray) -> Cell:
    shape = right.shape
    return Cell(
        probe="gold_absent",
        condition=Condition(prompt=form, asking="know_no", design="random(3)"),
        reader="text",
        item=np.arange(shape[0]),
        k=np.full(shape[0], 4),
        status=np.full(shape, STATUS_CODE["answer"], np.int8),
        position=np.zeros(shape, np.int16),
        option=np.zeros(shape, np.int16),
        gold_at=np.zeros(shape, np.int16),
        correct=right.astype(np.int8),
        groups=(People(person.astype(np.int32)),),
    )


def study(
    items: int, people: int, mean: float, sd_item: float, sd_person: float, inattentive: float,
    dice: np.random.Generator,
) -> tuple[list[Cell], np.ndarray]:  # fmt: skip
    """The cells of one study, and a model's answers to the form with the right option."""
    item, person = dice.normal(0, sd_item, items), dice.normal(0, sd_person, people)
    guesses = dice.random(people) < inattentive
    cells = []
    for number, form in enumerate(PROMPTS):
        # Person p sees item i in form (i + p) mod 4.
        turn = (np.arange(items)[:, None] + np.arange(people)) % 4
        who = np.array([np.flatnonzero(row == number) for row in turn])
        logit = mean + SHIFT[number] + item[:, None] + person[who]
        logit = np.where(guesses[who], GUESS, logit)
        cells.append(_cell(form, _right(logit, dice), who))
    return cells, _right(mean + item, dice).astype(float)


def truths(mean: float, sd_item: float, sd_person: float, inattentive: float) -> dict[str, float]:
    """Each number over all items and people, by 400,000 draws."""
    dice = np.random.default_rng(1)
    item = dice.normal(0, 1, 400_000)
    both = sd_item * item + sd_person * dice.normal(0, 1, 400_000)
    reading = [float((1 / (1 + np.exp(-(mean + shift + both)))).mean()) for shift in SHIFT]
    by_form = [(1 - inattentive) * share + inattentive / 4 for share in reading]
    model = float((1 / (1 + np.exp(-(mean + sd_item * item)))).mean())
    return {
        "accuracy": by_form[0],
        "omni": (by_form[0] + sum(by_form[1:]) / 3) / 2,
        "difference": by_form[0] - model,
    }


def held(interval: tuple[float | None, float | None] | None, truth: float) -> bool | None:
    """Whether an interval holds the truth; None where there is none."""
    if interval is None or interval[0] is None or interval[1] is None:
        return None
    return interval[0] <= truth <= interval[1]


def measured(
    cells: list[Cell], model: np.ndarray, truth: dict[str, float]
) -> dict[str, tuple[bool | None, float]]:
    """Whether each interval holds the truth, and its width."""
    items = len(model)
    context = Context("d", "m", np.arange(items), _signature)
    out = {}
    found = found_all(cells, [Accuracy(), OmniAccuracy()], context)
    for name, measure in (("accuracy", "accuracy"), ("omni", "omni_accuracy")):
        e = next(
            f.estimate
            for f in found
            if f.estimate.measure == measure
            and f.estimate.condition.get("prompt", "with_gold") == "with_gold"
        )
        width = np.nan if e.low is None or e.high is None else e.high - e.low
        out[name] = (held((e.low, e.high), truth[name]), width)
    mean = next(f for f in found if f.estimate.measure == "omni_accuracy")
    evidence = Evidence.of(mean)
    assert evidence is not None
    for way in ("below", "above"):
        out[f"not {way}"] = (evidence.p_found(way, truth["omni"], 0.05) > 0.05, np.nan)
    right, who = cells[0].correct, cells[0][People].person
    alone = Shares.of(right.sum(axis=1).astype(float), np.full(items, float(right.shape[1])))
    low, high = alone.interval() or (np.nan, np.nan)
    out["items alone"] = (low <= truth["accuracy"] <= high, high - low)
    row = np.repeat(np.arange(items), right.shape[1])
    paired = Paired.two_way(right.ravel() - model[row], row, who.ravel().astype(np.intp))
    ends = paired.interval()
    out["difference"] = (
        held(ends, truth["difference"]),
        np.nan if ends is None else ends[1] - ends[0],
    )
    return out


def _signature(probe: str, condition: Condition, reader: str, measure: str) -> Signature:
    return Signature(
        data="d", items=1, model="m", probe=probe, condition=condition, prompt="", decoding="",
        reader=reader, reviewed=0, measure=measure, interval="", seed=0, horsesense="",
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--inattentive", type=float, default=0.0, help="share who only guess")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    names = ("accuracy", "omni", "difference", "items alone", "not below", "not above")
    print("| items | people | mean log-odds | sd people |", " | ".join(names), "|")
    print("|--:|--:|--:|--:|" + "--:|" * len(names))
    sizes = ((100, 4), (40, 12), (100, 12), (100, 40))
    for (items, people), mean, sd in product(sizes, (0.5, 2.5), (0.0, 0.5, 1.0)):
        dice = np.random.default_rng([given.seed, items, people, int(10 * mean), int(10 * sd)])
        truth = truths(mean, 1.0, sd, given.inattentive)
        rows: dict[str, list[tuple[bool | None, float]]] = {name: [] for name in names}
        for _ in range(given.studies):
            cells, model = study(items, people, mean, 1.0, sd, given.inattentive, dice)
            for name, one in measured(cells, model, truth).items():
                rows[name].append(one)
        told = [_told(rows[name]) for name in names]
        print(f"| {items} | {people} | {mean} | {sd} |", " | ".join(told), "|", flush=True)


def _told(rows: list[tuple[bool | None, float]]) -> str:
    known = [hit for hit, _ in rows if hit is not None]
    if not known:
        return "none"
    share = f".{round(1000 * sum(known) / len(known)):03d}" if not all(known) else "1.000"
    none = "" if len(known) == len(rows) else f", none in {len(rows) - len(known)}"
    if np.isnan(widths := [w for _, w in rows]).all():
        return share
    return f"{share} ({100 * float(np.nanmean(widths)):.0f}{none})"


if __name__ == "__main__":
    main()

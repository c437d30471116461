"""Whether the verdict finds the change of accuracy that `plan` names, four times in five.

    python benchmarks/planned_changes.py [--studies 400]

Each row is a set of probes and a number of items: the change that the production plan of such a
study names, and the share of fresh studies with that true change, from the answers through the
production measures and the verdict's correction (in memory, see verdict_errors.py), in which it is
found in the one form that is looked at.

one form: accuracy falls in one form of the probe; there a tenth of the items are gained and a tenth
    lost besides (the discordance of .2 that the plan supposes), and nothing else changes.
all forms: .47 of the items are known and all others guessed anew in every prompt, which is the same
    discordance; accuracy falls in all forms of the probe (in `basic` three sets of labels).

Monte-Carlo error of a share of .8 is .02 at 400 studies. Bar: .77 to .87.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from horsesense.findings.accusation import ALPHA
from horsesense.findings.weights import weighted

from horsesense.findings.kinds import SIZES as MATTERS
from horsesense.findings.verdict import accusations
from horsesense.items.load import load_items
from horsesense.models.messages import Key
from horsesense.models.registry import make_model
from horsesense.models.simulated.backend import PROFILES
from horsesense.models.simulated.decision import Decision, Luck, choose
from horsesense.models.simulated.profiles import Profile, knows, luck_of, right
from horsesense.models.simulated.second_thoughts import favourite
from horsesense.runs.plan import plan_of
from horsesense.runs.plan_text import DISCORDANT, plan_json
from horsesense.runs.prepare import Study, prepare, reader_names
from horsesense.runs.record import ModelRecord
from horsesense.runs.settings import Settings
from horsesense.runs.suites import BASIC
from horsesense.stats.multiplicity import weighted_holm
from horsesense.trials.trial import Trial, Variant
from verdict_errors import Case, Template, rows, settled

DESIGNS: Mapping[tuple[str, ...], tuple[int, ...]] = {
    ("labels(set=symbols)",): (100, 400, 1000),
    (): (100, 400),
}
"""Sets of probes, the suite `basic` where none is named, with numbers of items."""
FORM = "symbols"
"""Of several sets of labels, the one that is changed alone."""
ALIKE = 0.6 - 0.4 / 3
"""By how much accuracy falls if all replies of a model that is right in .6, and wrong in a third of
the rest of any other option, take another of four options."""


@dataclass(frozen=True)
class Wavering(Profile):
    """Knows an item with probability `know`, else has a wrong favourite. In one form `lost` of all
    items are answered wrongly instead, and `gained` rightly."""

    know: float = 0.7
    lost: float = 0.1
    gained: float = 0.1

    name = "wavering"
    summary = "loses some items and gains others in one form"

    def decide(self, variant: Variant, luck: Luck) -> Decision:
        return right(variant) if knows(variant, self.know) else wrong(variant)

    def decide_all(self, trial: Trial, key: Key) -> list[Decision]:
        if trial.condition.get("set") != FORM:
            return super().decide_all(trial, key)
        variant, luck = trial.variant, luck_of(key, 0)
        if knows(variant, self.know):
            return [wrong(variant) if luck("lost") < self.lost / self.know else right(variant)]
        gains = luck("gained") < self.gained / (1 - self.know)
        return [right(variant) if gains else wrong(variant)]


def wrong(variant: Variant) -> Decision:
    place = favourite(variant)
    return right(variant) if place is None else choose(place, len(variant.options))


PROFILES.add(Wavering.name, Wavering)


def models(change: float) -> Iterator[tuple[str, str]]:
    """What changes, in a word, and a model whose accuracy falls by the change."""
    half = DISCORDANT / 2
    yield "one form", f"sim:wavering?lost={half + change}&gained={half}"
    known = 1 - DISCORDANT / (2 * 0.25 * 0.75)
    yield "all forms", f"sim:slips?under=labels&know={known}&wrong={change / ALIKE}"


def ready(probes: tuple[str, ...], model: str, n: int) -> tuple[Study, Any]:
    """A study that is ready to be asked, and its model."""
    settings = Settings.of(items="benchmark", model=model, probes=probes or BASIC)
    items = load_items(rows(Case("plan", "basic", model), n, 0))
    sim = cast(Any, make_model(model))
    record = ModelRecord.of(sim, asyncio.run(sim.capabilities()))
    return prepare(settings, items, None, record, reader_names(settings, items, record)), sim


def planned(probes: tuple[str, ...], n: int) -> dict[str, Any]:
    """What `plan` says of a study."""
    study, _ = ready(probes, "sim:oracle", n)
    return plan_json(plan_of(study, make_model("sim:oracle")), study)


def finds(template: Template, case: Case, n: int, number: int) -> bool:
    """Whether the verdict finds the change in one form, among new items.

    The verdict has one sentence for several forms: the correction behind it is asked.
    """
    made = [*accusations(*settled(template.study, case, n, template.redrawn(number)), MATTERS)]
    made = weighted(made)
    adjusted = weighted_holm([a.p for a in made], [a.weight for a in made])
    return any(
        p <= ALPHA
        for a, p in zip(made, adjusted, strict=True)
        if (a.kind.name, a.evidence.condition.get("set")) == ("accuracy_change", FORM)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--studies", type=int, default=400)
    studies = parser.parse_args().studies
    print("| probes | items | level | change named | where | found |")
    print("|---|---|---|---|---|---|")
    for probes, n in [(probes, n) for probes, sizes in DESIGNS.items() for n in sizes]:
        said = planned(probes, n)
        change, level = (said[f"smallest_detectable_{name}"] for name in ("change", "level"))
        for where, model in models(change):
            template, case = Template.made(*ready(probes, model, n)), Case("plan", "basic", model)
            found = sum(finds(template, case, n, number) for number in range(1, studies + 1))
            row = ", ".join(probes) or "basic", f"{n:,}", f"{level:.5f}", f"{change:.3f}", where
            print(f"| {' | '.join(row)} | {found / studies:.3f} |", flush=True)


if __name__ == "__main__":
    main()

"""A plan in words and numbers: what would be asked, what it would cost, what it could show."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from horsesense.checks.check import QUICK, check_items, headlines
from horsesense.findings.early import ALPHA
from horsesense.findings.kinds import KINDS
from horsesense.inference.limits import Limits, rounded_up
from horsesense.items.item import Item
from horsesense.models.messages import Key
from horsesense.probes.base import SetProbe
from horsesense.runs.expected import Expected, readable
from horsesense.runs.outlook import evenly, items_of
from horsesense.runs.planner import Plan
from horsesense.runs.prepare import Study
from horsesense.runs.savings import cautions, forecasts
from horsesense.runs.shard import Shard, placement
from horsesense.stats.change import FEWEST
from horsesense.stats.power import as_single, smallest_change
from horsesense.stats.two_way import Floats, worth
from horsesense.stats.words import NARROW, percent, plural, some_of
from horsesense.trials.condition import Condition

DISCORDANT = 0.2
"""Share of items that change by themselves, assumed for the smallest change that is found."""
FOUND = 0.8
"""Power of the verdict for that change."""
CHANGE = next(kind for kind in KINDS if kind.name == "accuracy_change")
"""The kind of finding that it is about."""
LOOKED_AT = 50
"""Items of which the prompts are counted, to see which forms have one of each."""
SHARED = "copies, or a shared text or template"
"""Why items are one cluster."""
SLOWEST = (
    "that is for a probe with one change; one with several (three sets of labels) goes on until the"
    " last of them is decided"
)
NO_SMALLEST = (
    "which change of accuracy would be found is not said with --until: it depends on when asking"
    " stops; without --until, plan names it for asking everything"
)
OF_THESE = (
    "that decides about these items; as they come in clusters, it may be open then whether a change"
    " is found on others like them"
)


def plan_json(plan: Plan, study: Study, limits: Limits) -> dict[str, Any]:
    """Everything that `horsesense plan` says."""
    completion = plan.completion_tokens
    capabilities = study.capabilities
    rows = forecasts(study)
    smallest = _smallest(study)
    return {
        **asdict(plan),
        "saved": plan.saved,
        "saved_over_probes_alone": plan.saved_over_probes_alone,
        "completion_tokens_at_most": completion,
        "cost_at_most": limits.cost(plan.prompt_tokens, completion),
        "clusters": len(sizes := _clusters(study.items)),
        "clusters_worth": worth(sizes),
        "smallest_detectable_change": smallest.change,
        "smallest_detectable_level": smallest.level,
        "smallest_detectable_items": smallest.items,
        "accuracy_changes": smallest.changes,
        "accuracy_changes_asked_once": smallest.single,
        "until": rows,
        "until_notes": [*cautions(study, rows), *[NO_SMALLEST] * smallest.may_stop],
        "model": study.model.name,
        "capabilities": asdict(capabilities),
        "dataset": {"name": study.items.name, "notes": study.items.notes},
        "check": headlines(check_items(study.items, QUICK)),
    }


def shards_json(study: Study, shards: int) -> list[dict[str, Any]]:
    """What each shard that has items would ask: how many, its prompts and different requests."""
    of = Shard.parse(f"1/{shards}").of  # UsageError for more than --shard can name
    placed = placement(study.items, of)
    items, prompts = Counter(placed.values()), Counter[int]()
    keys: dict[int, set[Key]] = defaultdict(set)
    for planned in study.planner.again().plan(study.probes):
        number = placed[planned.trial.variants[0].item_id]
        prompts[number] += 1
        keys[number].add(planned.key)
    return [
        {
            "shard": str(Shard(number, of)),
            "items": items[number],
            "prompts": prompts[number],
            "requests": len(keys[number]),
        }
        for number in sorted(items)
    ]


def plan_text(found: dict[str, Any]) -> str:
    """The same for people."""
    dataset, can = found["dataset"], found["capabilities"]
    lines = [
        f"{items_of(found['items'], dataset['name'])}, asked of {found['model']}",
        *found["check"],
        "",
        f"{'probe':<24}{'prompts':>12}",
        *(f"{probe['probe']:<24}{probe['trials']:>12,}" for probe in found["probes"]),
        f"{'all':<24}{found['trials']:>12,}",
        "",
        f"{found['requests']:,} different requests{_saved(found)}",
        f"{found['prompt_tokens']:,} prompt tokens "
        + ("(counted)" if found["tokens_exact"] else "(characters / 4)")
        + f", at most {found['completion_tokens_at_most']:,} completion tokens",
    ]
    if found["cost_at_most"] is not None:
        lines.append(f"at most {rounded_up(found['cost_at_most'])} at the prices given")
    if found["too_long"]:
        lines.append(f"{found['too_long']:,} requests exceed the model's context:")
        lines += [
            f"  {row['probe']} {row['condition']}: {row['prompts']:,}"
            for row in found["too_long_by"]
        ]
    lines += filter(None, [_smallest_line(found)])
    lines += _forecast_lines(found["until"], found["clusters"] < found["items"])
    lines += found["until_notes"]
    lines += _shard_lines(found.get("shards", ()))
    lines += [
        f"not for {plural(row['items'], 'item')}: {row['probe']}, because {row['reason']}"
        for row in found["excluded"]
    ]
    scores = "none" if not (can["top_logprobs"] or can["label_tokens"]) else "given"
    lines.append(f"token scores: {scores}; text: {'yes' if can['text'] else 'no'}")
    return "\n".join([*lines, *can["notes"], *dataset["notes"]])


def _saved(found: Mapping[str, Any]) -> str:
    """What is asked once for several prompts, and what a run for each probe would ask."""
    equal, less = found["saved"], found["saved_over_probes_alone"]
    once = (
        f"; {some_of(equal, found['trials'], 'prompt', 'are the same as another and asked once')}"
    )
    alone = f"; runs of one probe each would ask {round(found['requests'] / (1 - less)):,}"
    return f"{once if equal else ''}{alone if 0 < less < 1 else ''}"


def _shard_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What each shard would ask, for people."""
    lines = [
        f"--shard {row['shard']:<9} {row['items']:>10,} items {row['requests']:>12,} requests"
        for row in rows
    ]
    empty = Shard.parse(rows[0]["shard"]).of - len(rows) if rows else 0
    return [*lines, f"{empty:,} of the shards would have no item"] if empty else lines


class _Smallest(NamedTuple):
    """The change of accuracy under one form of the items that the verdict would find.

    Attributes:
        change: with a power of `FOUND`, under a form with one prompt an item; None where more than
            a few items come in clusters, where no form has one prompt an item, where none would be
            found, or where asking may stop early.
        level: what the verdict's correction leaves one change at its first step, two-sided; None
            where it judges none, or bets decide them.
        changes: how many changes of accuracy it judges.
        single: how many of them are of forms with one prompt an item.
        items: how many items on their own those stand for; None where more than a few come in
            clusters.
        may_stop: whether none is named for that alone: bets have levels of their own, and find a
            change only beyond the size that matters.
    """

    change: float | None
    level: float | None
    changes: int
    single: int
    items: int | None
    may_stop: bool = False


def _smallest(study: Study) -> _Smallest:
    """The smallest change that so many single items show, each with one prompt in that form; a few
    copies among them make them fewer.

    The noise of a mean over several prompts depends on how much they share, which nobody knows.
    """
    readers, judged = readable(study), [item for item in study.items if item.gold is not None]
    alone = as_single(_clusters(judged))
    run = Expected.of(study, readers[0] if readers else "", readers)
    changes = run.members(CHANGE, study.planner.made) if judged and readers else []
    if not changes:
        return _Smallest(None, None, 0, 0, alone)
    single = len(_asked_once(study).intersection(changes))
    if study.settings.until is not None:
        may_stop = alone is not None and single > 0
        return _Smallest(None, None, len(changes), single, alone, may_stop)
    options = max(len(item.options) for item in study.items)
    level = ALPHA / max(run.questions(study.planner.made, options), 1)
    found = smallest_change(alone, DISCORDANT, level, FOUND) if alone and single else None
    return _Smallest(found, level, len(changes), single, alone)


def _asked_once(study: Study) -> set[tuple[str, Condition]]:
    """Forms with one prompt an item, among some of the items."""
    few = evenly(study.items.items, LOOKED_AT)
    singles = [probe for probe in study.probes if not isinstance(probe, SetProbe)]
    prompts = Counter(
        (trial.probe, trial.condition, trial.variants[0].item_id)
        for trial in study.planner.batch(few).trials(singles)
    )
    several = {form[:2] for form, n in prompts.items() if n > 1}
    return {form[:2] for form in prompts} - several


def _clusters(items: Iterable[Item]) -> Floats:
    """How many items each cluster has; an item that names none is one of its own."""
    sizes = Counter(item.cluster or (item.id,) for item in items)
    return np.array([*sizes.values()], dtype=np.float64)


def _smallest_line(found: Mapping[str, Any]) -> str:
    """Which change of accuracy so many items show; "" where asking may stop before they are."""
    change, items, clusters = (
        found[name] for name in ("smallest_detectable_change", "items", "clusters")
    )
    if not found["accuracy_changes"]:
        return (
            "no change of accuracy is judged: no probe is to keep it, or no right answer is known"
        )
    none = "no change of accuracy could be told from luck"
    if clusters == 1 < items:
        return f"{none}: all {items:,} items are one cluster ({SHARED})"
    alone = found["smallest_detectable_items"]
    if alone is None:
        come = f"the {items:,} items come in {clusters:,} clusters ({SHARED})"
        if found["clusters_worth"] < FEWEST:
            return f"{none}: {come}, worth fewer than {FEWEST:g} of one size"
        return (
            f"{come}: which change would be seen cannot be said beforehand, as it depends on what"
            " clusters share"
        )
    if not found["accuracy_changes_asked_once"]:
        return (
            "which change of accuracy would be seen cannot be said beforehand: every form that is"
            " to keep it has several prompts an item, and it depends on what they share"
        )
    level, changes = found["smallest_detectable_level"], found["accuracy_changes"]
    if level is None:
        return ""
    level = f"{100 * level:.2g}{NARROW}%"
    left = f"{level} is what the verdict's correction for all that it may accuse of leaves"
    terms = (
        f"({percent(FOUND)} power at {level}, if {percent(DISCORDANT)} of the items change"
        f" by themselves; {left} {_one_of(changes)})"
    )
    if clusters < items:
        terms += (
            f"; a few items ({SHARED}) count together, and all with a right answer as {alone:,}"
        )
    if change is None:
        return f"{none} {terms}"
    seen = f"a change of accuracy of {100 * change:.1f} points would be seen"
    return f"{seen} under a form with one prompt an item {terms}"


def _one_of(changes: int) -> str:
    return "the one change of accuracy" if changes == 1 else f"each of {changes} changes"


def _forecast_lines(rows: Sequence[Mapping[str, Any]], clustered: bool) -> list[str]:
    """What `--until decided` would take, for people."""
    if not rows:
        return []
    return [
        "",
        "with --until, about so many prompts on average, if every probe had this effect:",
        f"{'change':>8}{'items that change':>20}{'items asked':>14}{'prompts':>12}{'share':>8}",
        *(
            f"{row['change']:>8.0%}{row['discordance']:>20.0%}{row['items']:>14,}"
            f"{row['prompts']:>12,}{row['share']:>8.0%}"
            for row in rows
        ),
        SLOWEST,
        *[OF_THESE] * clustered,
        "",
    ]

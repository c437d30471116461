"""What `horsesense plan` says: the plan, and which change of accuracy so many items could show."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from math import sqrt
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np

from horsesense.checks.check import QUICK, check_items, headlines
from horsesense.errors import HorsesenseError
from horsesense.findings.early import ALPHA
from horsesense.findings.kinds import KINDS
from horsesense.items.item import Item
from horsesense.measures.contrast import REPEAT
from horsesense.measures.samples import SHARES
from horsesense.models.callables import NO_MODEL
from horsesense.models.messages import Key
from horsesense.probes.base import SetProbe
from horsesense.runs.directory import RunDirectory
from horsesense.runs.expected import Expected, readable
from horsesense.runs.plan import Plan, evenly
from horsesense.runs.prepare import Study
from horsesense.runs.results import Results
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
"""Power of the verdict for that change: "in 4 of 5 cases"."""
CHANGE = next(kind for kind in KINDS if kind.name == "accuracy_change")
"""The kind of finding that it is about."""
LOOKED_AT = 50
"""Items of which the prompts are counted, to see which forms have one of each."""
SHARED = "copies, or a shared text or template"
"""Why items are one cluster."""
UNTIL_HEAD = "With --until, about so many prompts on average, if every probe had this effect:"
SLOWEST = "A probe with several changes, such as three sets of labels, stops with the last of them."
NO_SMALLEST = (
    "With --until, the smallest change that will be found depends on when asking stops. Without"
    " it, plan names the change."
)
NO_FORECAST = "There is no forecast for --until precision or decided=all."
NO_MODEL_SAID = (
    "No model is named (--model): tokens are estimated, for a model that chats and gives no token"
    " scores."
)
NO_PRICE = " The cost is unknown without --price."
OF_THESE = (
    "These items come in clusters: what is decided about them may be undecided for others like"
    " them."
)

EVEN = (1 / 12, 1 / 6)
"""Variances of items and of samples where chances of a right answer spread evenly from 0 to 1
(Miller 2024, arXiv 2411.00640): what is taken where nothing was measured."""
ASSUMED = "Assumed: items of every difficulty are equally common."


def plan_json(
    plan: Plan, study: Study, shards: int | None = None, earlier: Path | None = None
) -> dict[str, Any]:
    """Everything that `horsesense plan` says; `shards`: also what each of so many would ask;
    `earlier`: a run from which the variance of samples is taken (see `bought`)."""
    rows = forecasts(study)
    smallest = _smallest(study)
    notes = [*cautions(study, rows)]
    if study.settings.until is not None:
        alone = smallest["smallest_detectable_items"] is not None
        notes += [NO_SMALLEST] * (alone and smallest["accuracy_changes_asked_once"] > 0)
        notes += [NO_FORECAST] * (not rows)
    found = {
        **plan.as_json(),
        "completion_tokens_at_most": plan.completion_tokens,
        "cost_at_most": plan.cost,
        "clusters": len(sizes := _clusters(study.items)),
        "clusters_worth": worth(sizes),
        **smallest,
        "samples": bought(study, earlier),
        "until": rows,
        "until_notes": notes,
        "model": None if study.model.name == NO_MODEL else study.model.name,
        "capabilities": asdict(study.capabilities),
        "dataset": {"name": study.items.name, "notes": study.items.notes},
        "check": headlines(check_items(study.items, QUICK)),
        "shards": [] if shards is None else _shards(study, shards),
    }
    return found | {"seen": _smallest_line(found)}


def _shards(study: Study, shards: int) -> list[dict[str, Any]]:
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


def plan_text(plan: Plan, found: Mapping[str, Any], item: str, out: Path | None) -> str:
    """The same for people; `found` is its JSON, `item` names one, and `out` holds the plan."""
    can = found["capabilities"]
    scores = "yes" if can["top_logprobs"] or can["label_tokens"] else "no"
    text = "yes" if can["text"] else "no"
    return "\n".join(
        [
            *plan.sentences(),
            *found["check"],
            "",
            f"{'probe':<24}{'prompts':>12}",
            *(f"{probe['probe']:<24}{probe['trials']:>12,}" for probe in found["probes"]),
            f"{'all':<24}{found['trials']:>12,}",
            found["pace"]
            or "The time depends on the server: --rate N (requests a second) gives it.",
            "",
            *_saved(found),
            *_too_long(found),
            *filter(None, [found["seen"], (found["samples"] or {}).get("says")]),
            *_forecast_lines(found["until"], found["clusters"] < found["items"]),
            *(note for note in found["until_notes"] if note not in plan.cautions),
            *_shard_lines(found["shards"]),
            *(
                f"Not asked of {plural(row['items'], 'item')}: {row['probe']}, because"
                f" {row['reason']}."
                for row in found["excluded"]
            ),
            NO_MODEL_SAID + NO_PRICE * (found["cost_at_most"] is None)
            if found["model"] is None
            else f"{found['model']} gives token scores: {scores}; text: {text}.",
            *can["notes"],
            *_prompt_lines(plan, item, out),
        ]
    )


def _prompt_lines(plan: Plan, item: str, out: Path | None) -> list[str]:
    """One whole prompt of each task, so that a question nobody can answer is seen."""
    before = "After the same with -m MODEL --out RUN, " * (out is None)
    command = f"horsesense report {quote(str(out or 'RUN'))} --item {quote(item)}"
    told = f"One prompt of each task. {before}`{command}` prints every form:"
    lines = ["", told] * bool(plan.prompts)
    for shown in plan.prompts:
        where = f"{shown.probe} {shown.condition}".strip()
        lines += ["", f"--- {shown.form} ({where}) ---", shown.text]
    return lines


def _saved(found: Mapping[str, Any]) -> list[str]:
    """What is asked once for several prompts."""
    said = "are the same as another and asked once"
    return [f"{some_of(n, found['trials'], 'prompt', said)}."] if (n := found["saved"]) else []


def _too_long(found: Mapping[str, Any]) -> list[str]:
    rows = found["too_long_by"]
    head = (
        [f"{plural(found['too_long'], 'request', 'exceed')} the model's context:"] if rows else []
    )
    return head + [f"  {row['probe']} {row['condition']}: {row['prompts']:,}" for row in rows]


def _shard_lines(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What each shard would ask, for people."""
    lines = [
        f"--shard {row['shard']:<9} {plural(row['items'], 'item'):>16}"
        f" {plural(row['requests'], 'request'):>21}"
        for row in rows
    ]
    empty = Shard.parse(rows[0]["shard"]).of - len(rows) if rows else 0
    return [*lines, f"{empty:,} of the shards would have no item."] if empty else lines


def _smallest(study: Study) -> dict[str, Any]:
    """The smallest change that so many single items show, each with one prompt in that form; a few
    copies among them make them fewer.

    The noise of a mean over several prompts depends on how much they share, which nobody knows.

    Returns:
        smallest_detectable_change: with a power of `FOUND`, under a form with one prompt an item;
            None where more than a few items come in clusters, where no form has one prompt an item,
            where none would be found, or where asking may stop early: bets have levels of their
            own, and find a change only beyond the size that matters.
        smallest_detectable_level: what the verdict's correction leaves one change at its first
            step, two-sided; None where it judges none, or bets decide them.
        smallest_detectable_items: how many items on their own those stand for; None where more
            than a few come in clusters.
        accuracy_changes: how many changes of accuracy it judges.
        accuracy_changes_asked_once: how many of them are of forms with one prompt an item.
    """
    readers, judged = readable(study), [item for item in study.items if item.gold is not None]
    alone = as_single(_clusters(judged))
    run = Expected.of(study, readers[0] if readers else "", readers)
    changes = run.members(CHANGE, study.planner.made) if judged and readers else []
    single = len(_asked_once(study).intersection(changes)) if changes else 0
    level = change = None
    if changes and study.settings.until is None:
        options = max(len(item.options) for item in study.items)
        level = ALPHA / max(run.questions(study.planner.made, options), 1)
        change = smallest_change(alone, DISCORDANT, level, FOUND) if alone and single else None
    return {
        "smallest_detectable_change": change,
        "smallest_detectable_level": level,
        "smallest_detectable_items": alone,
        "accuracy_changes": len(changes),
        "accuracy_changes_asked_once": single,
    }


def bought(study: Study, earlier: Path | None = None) -> dict[str, Any] | None:
    """The shares of items and samples in a right answer's variance, and the sentence from them.

    Args:
        earlier: a run directory, which counts where it has the same items and model.

    Returns None where the study does not ask the same prompt again.
    """
    if all(probe.name != REPEAT for probe in study.probes):
        return None
    measured = None if earlier is None else _measured(study, earlier)
    items, samples = EVEN if measured is None else measured
    spread = (items + samples) or 1.0
    less = 1 - sqrt((items + samples / 2) / spread)
    source = ASSUMED if measured is None else f"That is measured in {earlier}."
    says = (
        f"To narrow intervals: twice as many items make them {percent(1 - sqrt(0.5))} shorter, a"
        f" second reply to each prompt {percent(less)}. {source}"
    )
    return {
        "items": items / spread,
        "samples": samples / spread,
        "measured": measured is not None,
        "says": says,
    }


def _measured(study: Study, earlier: Path) -> tuple[float, float] | None:
    """The variances of an earlier run; None where it is of other items or another model, or lacks
    them."""
    try:
        run = Results.load(RunDirectory.open(earlier))
    except HorsesenseError:
        return None
    same = run.findings["dataset"].get("fingerprint") == study.items.fingerprint
    if not same or run.findings["model"].get("identity") != study.model.identity:
        return None
    found = {e.group: e.value for e in run.select("sample_variance", REPEAT)}
    values = [max(value, 0.0) for name in SHARES if (value := found.get(name)) is not None]
    return (values[0], values[1]) if len(values) == len(SHARES) and any(values) else None


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
    change, items, alone = (
        found[name] for name in ("smallest_detectable_change", "items", "smallest_detectable_items")
    )
    level, clusters = found["smallest_detectable_level"], found["clusters"]
    if not found["accuracy_changes"]:
        return "No change of accuracy is tested: no probe should keep it, or no answer is known."
    if alone is None:
        return _why_unknown(items, clusters, found["clusters_worth"])
    if not found["accuracy_changes_asked_once"]:
        return (
            "Which change of accuracy will be found is not known beforehand: every tested form has"
            " several prompts an item."
        )
    if level is None:
        return ""
    terms = (
        f". Assumed: {percent(DISCORDANT)} of the items change by themselves; level"
        f" {100 * level:.2g}{NARROW}%, corrected for {ALPHA / level:.0f} tests, of which one check"
        " of the report may combine several. Smaller changes are found less often."
    )
    few = plural(items, "item") + f", which count as {alone:,}" * (clusters != items)
    if change is None:
        return f"With {few}, no change of accuracy is found in 4 of 5 cases{terms}"
    return (
        f"With {few}, changes of accuracy of {100 * change:.1f} points or more are found in 4 of 5"
        f" cases, in forms with one prompt an item{terms}"
    )


def _why_unknown(items: int, clusters: int, worth: float) -> str:
    """Why items in clusters show no change, or one that is not known beforehand."""
    come = f"the {plural(items, 'item', 'come')} in {plural(clusters, 'cluster')} ({SHARED})"
    none = "No change of accuracy can be found"
    if worth < FEWEST:
        return f"{none}: {come}, worth fewer than {FEWEST:g} of one size."
    return f"Which change of accuracy will be found is not known beforehand: {come}."


def _forecast_lines(rows: Sequence[Mapping[str, Any]], clustered: bool) -> list[str]:
    """What `--until decided` would take, for people."""
    if not rows:
        return []
    return [
        "",
        UNTIL_HEAD,
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

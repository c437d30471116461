"""A plan in words and numbers: what would be asked, what it would cost, what it could show."""

from __future__ import annotations

from dataclasses import asdict
from math import sqrt
from typing import Any

from horsesense.inference.runner import Limits
from horsesense.runs.planner import Plan
from horsesense.runs.prepare import Study
from horsesense.stats.tests import smallest_detectable

DISCORDANT = 0.2
"""Share of items whose rightness changes, assumed for the smallest detectable difference."""


def plan_json(plan: Plan, study: Study, limits: Limits) -> dict[str, Any]:
    """Everything that `horsesense plan` says."""
    completion = plan.completion_tokens
    capabilities = study.capabilities
    return {
        **asdict(plan),
        "saved": plan.saved,
        "saved_over_probes_alone": plan.saved_over_probes_alone,
        "completion_tokens_at_most": completion,
        "cost_at_most": limits.cost(plan.prompt_tokens, completion),
        "smallest_detectable_change": smallest_detectable(sqrt(DISCORDANT / plan.items)),
        "model": study.model.name,
        "capabilities": asdict(capabilities),
        "dataset": {"name": study.items.name, "notes": study.items.notes},
    }


def plan_text(found: dict[str, Any]) -> str:
    """The same for people."""
    dataset, can = found["dataset"], found["capabilities"]
    lines = [
        f"{found['items']:,} items of {dataset['name']}, asked of {found['model']}",
        "",
        f"{'probe':<24}{'prompts':>12}",
        *(f"{probe['probe']:<24}{probe['trials']:>12,}" for probe in found["probes"]),
        f"{'all':<24}{found['trials']:>12,}",
        "",
        f"{found['requests']:,} different requests: {found['saved']:,} equal prompts are asked "
        f"once ({found['saved_over_probes_alone']:.0%} fewer than each probe with its own "
        "original)",
        f"{found['prompt_tokens']:,} prompt tokens "
        + ("(counted)" if found["tokens_exact"] else "(characters / 4)")
        + f", at most {found['completion_tokens_at_most']:,} completion tokens",
    ]
    if found["cost_at_most"] is not None:
        lines.append(f"at most {found['cost_at_most']:.2f} at the prices given")
    if found["too_long"]:
        lines.append(f"{found['too_long']:,} requests exceed the model's context:")
        lines += [
            f"  {row['probe']} {row['condition']}: {row['prompts']:,}"
            for row in found["too_long_by"]
        ]
    lines.append(
        f"a change of accuracy of {found['smallest_detectable_change']:.1%} would be seen (80 % "
        f"power, one test at 5 %, if {DISCORDANT:.0%} of the items change)"
    )
    lines += [
        f"not for {row['items']:,} items: {row['probe']}, because {row['reason']}"
        for row in found["excluded"]
    ]
    scores = "none" if not (can["top_logprobs"] or can["label_tokens"]) else "given"
    lines.append(f"token scores: {scores}; text: {'yes' if can['text'] else 'no'}")
    return "\n".join([*lines, *can["notes"], *dataset["notes"]])

"""What nothing can be said of, since no item could be asked or no value is defined: it is told."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from horsesense.findings.finding import Finding
from horsesense.findings.kinds import BY_NAME, KINDS
from horsesense.findings.places import RunToJudge
from horsesense.measures.base import Estimate
from horsesense.measures.cells import HELD_OUT
from horsesense.measures.counting import NO_GOLD
from horsesense.measures.estimate import NO_TRIAL, Computed
from horsesense.measures.joined import ORIGINAL
from horsesense.trials.condition import PLAIN


def untested(
    run: RunToJudge,
    found: Iterable[Computed],
    sizes: Mapping[str, float],
    told: Collection[tuple[str, str]],
) -> list[Finding]:
    """Kinds of findings that nothing could be measured of, with the reason; one a kind and probe.

    Args:
        told: kinds and probes of which something is said already.
    """
    why = {
        (kind.name, probe): f"not asked: {reason}"
        for probe, reason in run.unasked.items()
        for kind in KINDS
        if kind.asks(run, probe)
    }
    rates = choosing(found)
    for estimate, *_ in found:
        for kind in KINDS:
            silent = kind.measure == estimate.measure and estimate.value is None
            if silent and kind.takes(run, estimate):
                why.setdefault((kind.name, estimate.probe), _why(run, estimate, rates))
    return [
        Finding(
            kind=name,
            conclusion="undecided",
            reason="unmeasured",
            probe=probe,
            reader=run.reader,
            label="" if probe == ORIGINAL else str(run.probes[probe]["title"]),
            null=BY_NAME[name].null or 0.0,
            size=sizes[name],
            detail=reason,
        )
        for (name, probe), reason in why.items()
        if (name, probe) not in told
    ]


def choosing(found: Iterable[Computed]) -> dict[tuple[str, str, str], float]:
    """The share of replies that choose an option, by probe, condition and reader."""
    rates = (estimate for estimate, *_ in found if estimate.measure == "valid_rate")
    return {
        (e.probe, e.condition.format(), e.reader): e.value for e in rates if e.value is not None
    }


def _why(run: RunToJudge, e: Estimate, rates: Mapping[tuple[str, str, str], float]) -> str:
    """Why an estimate has no value; what was not asked explains it first, then what failed.

    Args:
        rates: what `choosing` gives.
    """
    if e.note == NO_TRIAL:
        if run.never_asked(e.probe):
            return "its prompts were not asked"
        if run.lost_shares(e)[1] == 1:
            return "none of its requests was answered"
        if e.n_missing and run.lost_shares(e)[1]:
            return "its requests failed, or no reply could be read"
        forms = (e.probe, e.condition.format()), (ORIGINAL, PLAIN.format())
        read = {rates.get((probe, form, e.reader)) for probe, form in forms}
        return "no reply chooses an option" if 0 in read else "no reply could be read"
    if e.note == NO_GOLD and run.some_gold:
        return "no item that was asked has a gold answer"
    return e.note


def asked_as(title: str) -> str:
    """How several problems were asked in one prompt, for a sentence that says that they were."""
    return title.lower().removeprefix("many problems, ")


READERS = {
    "first_token": "the first token",
    "option_text": "the option text",
    "pride": "PriDe",
    "text": "the text",
}
"""Kinds of readers in words."""


def named(reader: str, among: Iterable[str]) -> str:
    """A reader in words, with its settings where they tell it from `among` others of its kind.

    One that was fitted is judged on other items.
    """
    fitted = reader.removesuffix(HELD_OUT)
    kind, _, settings = fitted.partition("(")
    name = READERS.get(kind, fitted)
    if name != fitted and settings and sum(r.partition("(")[0] == kind for r in among) > 1:
        name = f"{name} ({settings}"
    return name if fitted == reader else f"{name}, on items that it was not fitted on,"

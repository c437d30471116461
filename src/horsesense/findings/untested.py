"""What nothing can be said of, since no item could be asked or no value is defined: it is told."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from horsesense.findings.finding import UNTOLD, Finding
from horsesense.findings.kinds import KINDS, Kind
from horsesense.findings.places import Run
from horsesense.findings.wording import number
from horsesense.measures.base import NO_GOLD, Estimate
from horsesense.measures.cells import HELD_OUT
from horsesense.measures.estimate import NO_TRIAL, Found
from horsesense.measures.joined import ORIGINAL
from horsesense.trials.condition import PLAIN


def untested(
    run: Run,
    found: Iterable[Found],
    sizes: Mapping[str, float],
    told: Collection[tuple[str, str]],
) -> list[Finding]:
    """Kinds of findings that nothing could be measured of, with the reason; one a kind and probe.

    Args:
        told: kinds and probes of which something is said already.
    """
    titles: dict[str, list[str]] = {}
    for probe, reason in run.unasked.items():
        titles.setdefault(reason, []).append(f"“{run.probes[probe]['title']}”")
    why = {
        (kind.name, probe): f"no item can be asked under {' or '.join(titles[no])}, since {no}"
        for probe, no in run.unasked.items()
        for kind in KINDS
        if kind.asks(run, probe)
    }
    rates = choosing(found)
    for estimate, *_ in found:
        for kind in KINDS:
            silent = kind.measure == estimate.measure and estimate.value is None
            if silent and kind.takes(run, estimate):
                why.setdefault((kind.name, estimate.probe), _why(run, estimate, rates))
    kinds = {kind.name: kind for kind in KINDS}
    left = {key: reason for key, reason in why.items() if key not in told}

    def said(name: str, probe: str, reason: str) -> str:
        title = str(run.probes[probe]["title"])
        return untold(question(kinds[name], sizes[name], run, title), reason)

    return [
        _unmeasured(kinds[name], probe, run.reader, sizes[name], said(name, probe, reason))
        for (name, probe), reason in left.items()
    ]


def choosing(found: Iterable[Found]) -> dict[tuple[str, str, str], float]:
    """The share of replies that choose an option, by probe, condition and reader."""
    rates = (estimate for estimate, *_ in found if estimate.measure == "valid_rate")
    return {
        (e.probe, e.condition.format(), e.reader): e.value for e in rates if e.value is not None
    }


def _why(run: Run, e: Estimate, rates: Mapping[tuple[str, str, str], float]) -> str:
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
        read = {rates.get((probe, form, e.reader)) for probe, form in _forms(e)}
        return "no reply chooses an option" if 0 in read else "no reply could be read"
    if e.note == NO_GOLD and run.some_gold:
        return "no item that was asked has a gold answer"
    return e.note


def _forms(e: Estimate) -> list[tuple[str, str]]:
    """The forms that an estimate rests on: its own, and the published one."""
    return [(e.probe, e.condition.format()), (ORIGINAL, PLAIN.format())]


def question(kind: Kind, size: float, run: Run, label: str, reader: str = "") -> str:
    """What a kind asks, as a clause after "whether"."""
    if kind.name == "many_problems":
        label = f"with many problems in one prompt ({asked_as(label)})"
    below = (kind.null or 0.0) - size
    limit = number(below, "fraction", 0)
    return kind.question.format(
        label=label, limit=limit, reader=reader or named(run.reader, run.readers)
    )


def asked_as(title: str) -> str:
    """How several problems were asked in one prompt, for a sentence that says that they were."""
    return title.lower().removeprefix("many problems, ")


def untold(asked: str, reason: str) -> str:
    """That something cannot be told, and why."""
    return f"Whether {asked}{UNTOLD}{reason}."


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


def _unmeasured(kind: Kind, probe: str, reader: str, size: float, sentence: str) -> Finding:
    """What is said where nothing was measured; it has no share of the error rate."""
    return Finding(
        kind="cannot_tell",
        name=kind.name,
        title=kind.title,
        probe=probe,
        condition="",
        reader=reader,
        group="",
        value=None,
        low=None,
        high=None,
        level=0.95,
        null=kind.null or 0.0,
        found_beyond=None if kind.null is None else kind.found_beyond(kind.null, size),
        size=size,
        p_adjusted=None,
        p_ruled_out=None,
        weight=0.0,
        n=0,
        counted="items",
        items=None,
        section=kind.section,
        sentence=sentence,
    )

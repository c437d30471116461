"""What nothing can be said of, since no item could be asked or no value is defined: it is told."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from horsesense.findings.finding import UNTOLD, Finding
from horsesense.findings.kinds import KINDS, Kind
from horsesense.findings.places import Run
from horsesense.measures.estimate import Found


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
    why = {
        (kind.name, probe): f"no item can be asked under “{run.probes[probe]['title']}” ({reason})"
        for probe, reason in run.unasked.items()
        for kind in KINDS
        if kind.asks(run, probe)
    }
    for estimate, _ in found:
        for kind in KINDS:
            silent = kind.measure == estimate.measure and estimate.value is None
            if silent and kind.takes(run, estimate):
                why.setdefault((kind.name, estimate.probe), estimate.note)
    kinds = {kind.name: kind for kind in KINDS}
    left = {key: reason for key, reason in why.items() if key not in told}
    titles: dict[str, dict[str, None]] = {}
    for (name, _), reason in left.items():
        titles.setdefault(reason, {})[kinds[name].title] = None
    return [
        _unmeasured(kinds[name], probe, run.reader, sizes[name], _since([*titles[reason]], reason))
        for (name, probe), reason in left.items()
    ]


def _since(titles: Sequence[str], reason: str) -> str:
    first, *others = titles
    named = "; ".join([first, *(title[0].lower() + title[1:] for title in others)])
    return f"{named}{UNTOLD}{reason}."


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

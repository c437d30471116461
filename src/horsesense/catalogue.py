"""What there is: every plug-in by kind and name, with one sentence each, from the registries."""

from __future__ import annotations

from dataclasses import MISSING, fields

from horsesense.checks.registry import RULES
from horsesense.measures.base import Measure
from horsesense.measures.registry import MEASURES
from horsesense.models.registry import SCHEMES
from horsesense.models.simulated.backend import PROFILES
from horsesense.models.simulated.profiles import Profile
from horsesense.probes.base import Probe
from horsesense.probes.registry import PROBES
from horsesense.readers.model_based.make import MODEL_READERS
from horsesense.readers.registry import READERS
from horsesense.runs.suites import SUITES, Paper
from horsesense.side import offered, side
from horsesense.trials.orders import DESIGNS


def catalogue() -> dict[str, dict[str, str]]:
    """Kind -> name -> what it is.

    Plug-ins of installed packages stand after ours; a PluginWarning names those that cannot be
    used.
    """
    return {
        "probes": {p.name: f"{p.summary} {p.expectation}{_settings(p)}" for p in PROBES},
        "measures": {m.name: m.summary for m in MEASURES}
        | {f"{m.name}_null": f"{m.name} by chance alone." for m in MEASURES if _null(m)},
        "readers": {name: _paragraphs(kind)[0] for name, kind in READERS.items()}
        | {str(scheme): scheme.summary for scheme in MODEL_READERS},
        "models": {str(scheme): scheme.summary for scheme in SCHEMES}
        | {f"sim:{p.name}": _with_parameters(p) for p in PROFILES},
        "designs": dict(DESIGNS),
        "suites": {suite.name: f"{suite.title} ({suite.source})" for suite in SUITES},
        "rules": {r.name: f"{r.weight}: {r.title} ({r.source}). {r.advice}" for r in RULES},
    }


def papers() -> dict[str, Paper]:
    """Name -> published experiment that can be run, with its differences."""
    found: dict[str, Paper] = {suite.name: suite for suite in SUITES if suite.differences}
    return found | {name: side("papers", name) for name in offered("papers")}


def _null(measure: Measure) -> bool:
    """Whether a measure has a twin that says what noise alone makes of it."""
    return type(measure).null is not Measure.null


def _settings(probe: type[Probe]) -> str:
    """The settings of a probe with their defaults, as `--probes` takes them."""
    values = [f"{f.name}={f.default}" for f in fields(probe) if f.default is not MISSING]
    return f" {probe.name}({', '.join(values)})" if values else ""


def _with_parameters(profile: type[Profile]) -> str:
    """What a simulated model does, what its parameters are for, and their defaults and values."""
    values, (does, *own) = profile.parameters(), _paragraphs(profile)
    does = does[0].lower() + does[1:].rstrip(".")
    return f"{does}. {own[0].rstrip('.')}. ?{values}" if values else does


def _paragraphs(kind: type) -> list[str]:
    """Those of a docstring, each in one line."""
    return [" ".join(each.split()) for each in (kind.__doc__ or "").split("\n\n")]

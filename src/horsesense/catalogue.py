"""What there is: every plug-in by kind and name, with one sentence each, from the registries."""

from __future__ import annotations

from horsesense.measures.registry import MEASURES
from horsesense.models.simulated.backend import PROFILES
from horsesense.probes.registry import PROBES
from horsesense.readers.registry import READERS
from horsesense.runs.suites import SUITES
from horsesense.trials.orders import DESIGNS


def catalogue() -> dict[str, dict[str, str]]:
    """Kind -> name -> what it is."""
    return {
        "probes": {p.name: f"{p.summary} {p.expectation}" for p in PROBES},
        "measures": {m.name: m.summary for m in MEASURES},
        "readers": {name: _first_sentence(READERS.get(name)) for name in READERS.names()}
        | _MODEL_READERS,
        "models": {f"sim:{p.name}": p.summary for p in PROFILES},
        "designs": {name: _DESIGNS[name] for name in DESIGNS},
        "suites": {suite.name: f"{suite.title} ({suite.source})" for suite in SUITES},
    }


_MODEL_READERS = {
    "trained:DIRECTORY": "A model fine-tuned on labelled replies by `horsesense train reader`.",
    "judge:MODEL": "Another model, named as for --model, that says what a reply chooses.",
}

_DESIGNS = {
    "published": "the order of the source",
    "cyclic": "the k shifts of one random order per item",
    "cyclic(base=published)": "the k shifts of the published order",
    "random(N)": "N different random orders",
    "gold_balanced(N)": "N random orders in which the gold visits each position equally often",
    "full": "all k! orders",
    "move_gold": "the gold exchanged with the option of each position in turn",
}


def _first_sentence(kind: type) -> str:
    return " ".join((kind.__doc__ or "").split("\n\n")[0].split())

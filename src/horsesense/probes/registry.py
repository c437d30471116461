"""The probes, by name. A new probe is one short file and one line here."""

from __future__ import annotations

from collections.abc import Sequence

from horsesense.plugins import Registry, parse_spec
from horsesense.probes.base import Probe
from horsesense.probes.budget import Budget
from horsesense.probes.context_length import ContextLength
from horsesense.probes.delimiter import Delimiter
from horsesense.probes.gold_absent import GoldAbsent, GoldPlusNone
from horsesense.probes.labels import Labels
from horsesense.probes.multi_problem import Batch, SelectAll, SelectOne
from horsesense.probes.none_of_the_above import NoneOfTheAbove
from horsesense.probes.option_count import OptionCount
from horsesense.probes.options_only import OptionsOnly
from horsesense.probes.order import Order
from horsesense.probes.original import Original, Repeat
from horsesense.probes.perturbed import (
    ExtraOptions,
    KeyTypo,
    LetterScramble,
    LetterSwap,
    OptionSwap,
    Paraphrase,
    WordSwap,
)
from horsesense.probes.second_look import MisleadingReplaced, MultiSelect
from horsesense.probes.server import Server
from horsesense.probes.thought import Thought
from horsesense.probes.true_false import OptionConfidence, TrueFalse


def _accepted(found: object) -> type[Probe]:
    if not (isinstance(found, type) and issubclass(found, Probe)):
        raise TypeError("it is not a class derived from Probe")
    return found


PROBES: Registry[type[Probe]] = Registry(
    "probe",
    group="horsesense.probes",
    accept=_accepted,
    declares=("name", "title", "summary", "expectation", "invariant"),
)
for _probe in (
    Original,
    Repeat,
    Order,
    Labels,
    NoneOfTheAbove,
    OptionsOnly,
    OptionCount,
    GoldAbsent,
    GoldPlusNone,
    TrueFalse,
    OptionConfidence,
    MultiSelect,
    MisleadingReplaced,
    Delimiter,
    ContextLength,
    Budget,
    Thought,
    Server,
    KeyTypo,
    LetterScramble,
    LetterSwap,
    WordSwap,
    Paraphrase,
    OptionSwap,
    ExtraOptions,
    Batch,
    SelectOne,
    SelectAll,
):
    PROBES.add(_probe.name, _probe)


def parse_probes(specs: Sequence[str]) -> tuple[Probe, ...]:
    """Probes from names with optional parameters; `original` is always first.

    What a probe needs to know from earlier answers is asked as well.

    Each spec is `name`, `name(value)` for the first parameter, or `name(key=value, ...)`.

    >>> [p.signature for p in parse_probes(["order(random(4))"])]
    ['original', 'order(design=random(4))']
    """
    probes: list[Probe] = []
    for probe in map(parse_probe, ("original", *specs)):
        probes += [*map(parse_probe, probe.needs), probe]
    return tuple({probe.signature: probe for probe in probes}.values())


def parse_probe(spec: str) -> Probe:
    """One probe; UsageError names what is unknown and what there is."""
    return parse_spec(spec, PROBES)

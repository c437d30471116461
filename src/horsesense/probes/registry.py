"""The probes, by name. A new probe is one short file, and its name here if the file is new."""

from __future__ import annotations

from collections.abc import Sequence

from horsesense.plugins import Registry, declared, derived, parse_spec
from horsesense.probes.base import Probe

_MODULES = """
original order labels none_of_the_above options_only option_count gold_absent true_false second_look
delimiter context_length budget thought server perturbed multi_problem
"""
"""In the order of tables."""


PROBES: Registry[type[Probe]] = Registry(
    "probe",
    group="horsesense.probes",
    accept=derived(Probe),
    declares=("name", "title", "summary", "expectation", "invariant"),
)
for _probe in declared("horsesense.probes", _MODULES, Probe):
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

"""The probes, by name. A new probe is one short file and one line here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import fields

from horsesense.errors import UsageError
from horsesense.probes.base import LETTERS, NotApplicableError, Probe, SetProbe, Setting, show
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
from horsesense.probes.second_look import MisleadingReplaced, MultiSelect
from horsesense.probes.true_false import OptionConfidence, TrueFalse
from horsesense.registry import Registry

__all__ = [
    "LETTERS",
    "PROBES",
    "NotApplicableError",
    "Probe",
    "SetProbe",
    "Setting",
    "parse_probes",
    "show",
]

PROBES: Registry[type[Probe]] = Registry("probe")
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
    match = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", spec)
    if match is None:
        raise UsageError(f"{spec!r} is no probe.", hint="Write name or name(key=value, ...).")
    kind = PROBES.get(match.group(1).replace("-", "_"))
    known = {f.name: f.type for f in fields(kind)}
    values: dict[str, object] = {}
    for part in split_outside_brackets(match.group(2) or ""):
        name, given, text = part.partition("=")
        if not given or "(" in name:
            name, text = next(iter(known), ""), part
        name = name.strip()
        if name not in known:
            allowed = ", ".join(known) or "none"
            raise UsageError(
                f"probe {kind.name} has no parameter {name or text!r}.", hint=f"Known: {allowed}."
            )
        values[name] = _typed(kind.name, name, str(known[name]), text.strip())
    return kind(**values)


def split_outside_brackets(text: str) -> list[str]:
    """Parts of a comma-separated list, commas inside brackets left alone.

    >>> split_outside_brackets("order(random(4)), option_count(6, design=random(4))")
    ['order(random(4))', 'option_count(6, design=random(4))']
    """
    parts, depth = [""], 0
    for sign in text:
        depth += (sign == "(") - (sign == ")")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts if part.strip()]


def _typed(probe: str, name: str, kind: str, text: str) -> object:
    if kind != "int":
        return text
    if not text.isdigit():
        raise UsageError(f"probe {probe}: {name} must be a whole number, not {text!r}.")
    return int(text)

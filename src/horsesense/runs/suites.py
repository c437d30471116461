"""Named sets of probes: the experiments of a paper, as published or with better choices.

`faithful` runs a paper's protocol as it stands; without it the choices are made for which the
specification (section 10) has evidence. Each suite is a file in `published/`, which declares where
either departs from the paper (`Departure`): the report, `estimates.json` and docs/suites.md print
what is declared.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from horsesense.errors import UsageError
from horsesense.items.item import Kind
from horsesense.plugins import Registry
from horsesense.probes import BASIC
from horsesense.probes.base import Probe, SetProbe
from horsesense.probes.multi_problem import PAIR_SIZES, TEXT_SIZES, BundlesOfProblems
from horsesense.probes.registry import parse_probe, parse_probes
from horsesense.readers.registry import READERS, make_reader

AS_PUBLISHED = "as published"


@dataclass(frozen=True, slots=True)
class Departure:
    """One point at which something that can be run is not what was published.

    Attributes:
        what: the point, as a heading of a row.
        published: what the paper did, as far as it can be known.
        default: what is done without `--faithful`; "" where that is what was published.
        why: what speaks for the default and, where `--faithful` departs too, why it must.
        faithful: what `--faithful` does; "" where that is what was published. Any other text
            puts the point on the list of what still differs.
        kind: the kind of items that it is about, or "gap" for equations; "" for all.
        settings: settings of a run that it tells; where the user chose another value, that value
            is told instead.
    """

    what: str
    published: str
    default: str
    why: str
    faithful: str = ""
    kind: Kind | Literal["gap", ""] = ""
    settings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not (self.default or self.faithful):
            raise ValueError(f"{self.what}: nothing differs from what was published")

    def done(self, faithful: bool) -> str:
        """What a run does, with or without `--faithful`; "" where that is what was published."""
        return self.faithful if faithful else self.default

    def as_json(self) -> dict[str, str]:
        """The row of the table, with words in every cell."""
        names = ("what", "published", "faithful", "default", "why")
        return {name: getattr(self, name) or AS_PUBLISHED for name in names}


@dataclass(frozen=True, slots=True)
class Paper:
    """A published experiment.

    Attributes:
        name, title: as written on the command line; for headings.
        source: where it comes from; bibtex: the same as an entry.
        differences: every point at which `--faithful` or the default departs from it.
    """

    name: str
    title: str
    source: str
    bibtex: str = ""
    differences: tuple[Departure, ...] = ()

    def departures(self, faithful: bool, here: Mapping[str, Any]) -> list[dict[str, str]]:
        """Where one run departs from the paper: rows of what, published, here and why.

        `here` holds the run's settings, and as `kind` that of its items.
        """
        return [
            {"what": d.what, "published": d.published, "here": d.done(faithful), "why": d.why}
            for d in self.of_kind(here.get("kind"))
            if d.done(faithful)
        ]

    def of_kind(self, kind: str | None) -> tuple[Departure, ...]:
        """The differences that matter for items of a kind; all where it is not known."""
        kinds = {"", kind, "choice" if kind == "gap" else kind}
        return tuple(d for d in self.differences if not kind or d.kind in kinds)

    def as_json(self, faithful: bool, here: Mapping[str, Any]) -> dict[str, Any]:
        """What a report says of it: source, protocol, table, and where this run departs."""
        return {
            "name": self.name,
            "title": self.title,
            "source": self.source,
            "faithful": faithful,
            "differences": [each.as_json() for each in self.of_kind(here.get("kind"))],
            "departures": self.departures(faithful, here),
        }


@dataclass(frozen=True, slots=True)
class Suite(Paper):
    """A named set of probes.

    Attributes:
        published, better: probes of the two protocols, as on the command line.
        settings: settings of the published protocol, by their names in `runs.settings.Settings`;
            `--faithful` takes them wherever the user names nothing else.
        shots: numbers of worked examples in a prompt that were published.
        worked: published probes that show worked examples, asked where --shots-from names some.
        readers: readers of the better protocol, besides those that are named.
        published_readers: the same of the published one.
    """

    published: tuple[str, ...] = ()
    better: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    shots: tuple[int, ...] = (0,)
    worked: tuple[str, ...] = ()
    readers: tuple[str, ...] = ()
    published_readers: tuple[str, ...] = ()

    def needed(self, faithful: bool) -> tuple[str, ...]:
        """Readers that the suite needs besides those that are named."""
        return self.published_readers if faithful else self.readers

    def probes(self, faithful: bool, shots: bool = False) -> tuple[str, ...]:
        """The probes of a protocol; with `shots`, worked examples are at hand."""
        if not faithful:
            return self.better
        return (*self.published, *(self.worked if shots else ()))

    def departures(self, faithful: bool, here: Mapping[str, Any]) -> list[dict[str, str]]:
        """The declared ones, and whatever the user chose otherwise than the protocol.

        `here` holds the run's settings, as `kind` that of its items, and as `readers` those that
        have read; of a run that has been asked also how many items it has (`items_asked`) and
        what was left out (`exclusions`).
        """
        chosen = dict(self._chosen(faithful, here))
        told_instead = {d.what for d in self.differences if chosen.keys() & set(d.settings)}
        told = Paper.departures(self, faithful, here)
        told = [row for row in told if row["what"] not in told_instead]
        told += _rows(chosen.values(), "It was chosen for this run.")
        told += _rows(self._asked(faithful, here), "It was chosen for this run.")
        told += _rows(self._left_out(faithful, here), "The items do not allow more.")
        told += _rows(self._read(faithful, here), "Other readers were chosen for this run.")
        if faithful and self.worked and not here["shots_from"]:
            why = "No examples were given; name a file of them with --shots-from."
            missing = ("prompts with worked examples", ", ".join(self.worked), "not asked")
            told += _rows([missing], why)
        return told

    def _chosen(self, faithful: bool, here: Mapping[str, Any]) -> Iterator[tuple[str, _Chosen]]:
        """Settings that are not the protocol's, by name."""
        said = {name: d.published for d in self.differences for name in d.settings}
        for name, (usual, told) in USUAL.items():
            published = str(self.settings.get(name, said.get(name, told)))
            if here[name] != (self.settings.get(name, usual) if faithful else usual):
                yield name, (f"--{name.replace('_', '-')}", published, _words(here[name]))
        if here["shots"] not in self.shots:
            yield "shots", ("--shots", " and ".join(map(str, self.shots)), str(here["shots"]))

    def _asked(self, faithful: bool, here: Mapping[str, Any]) -> Iterator[_Chosen]:
        """Parameters of probes that are not the protocol's, and probes that were left out."""
        wanted = [parse_probe(s) for s in self.probes(faithful, bool(here["shots_from"]))]
        asked = [parse_probe(spec) for spec in here["probes"]]
        have = {probe.signature for probe in asked}
        worked = {probe.signature for probe in map(parse_probe, self.worked)}
        names: dict[_Chosen, dict[str, None]] = {}
        plain: set[_Chosen] = set()
        for probe in wanted:
            if probe.signature in have:
                continue
            others = [other for other in asked if type(other) is type(probe)]
            if not others:
                yield f"probe {probe.name}", probe.signature, "not asked"
                continue
            for change in min((_changed(probe, other) for other in others), key=len):
                names.setdefault(change, {})[probe.name] = None
                if probe.signature not in worked:
                    plain.add(change)
        for change, probes in names.items():
            what, published, chosen = change
            which = "" if change in plain else " with worked examples"
            yield f"{what} of {', '.join(probes)}{which}", published, chosen

    def _left_out(self, faithful: bool, here: Mapping[str, Any]) -> Iterator[_Chosen]:
        """What probes of bundles asked of no item: they were too few, or cannot stand there."""
        wanted = {type(parse_probe(s)) for s in self.probes(faithful, bool(here["shots_from"]))}
        names: dict[tuple[str, ...], dict[str, None]] = {}
        for probe in map(parse_probe, here["probes"]):
            if type(probe) not in wanted or not isinstance(probe, SetProbe):
                continue
            left = here.get("items_asked", 0)
            reasons = []
            for row in here.get("exclusions", ()):
                if row["probe"] != probe.signature:
                    continue
                # Single items come first; what is left out of the whole set, of all the others.
                if row["items"] == left:
                    reasons.append(row["reason"])
                else:
                    left -= row["items"]
            if reasons:
                names.setdefault(tuple(reasons), {})[probe.name] = None
        for told, probes in names.items():
            asked = f"not all of it ({'; '.join(told)})"
            yield f"what is asked by {', '.join(probes)}", "all of it", asked

    def _read(self, faithful: bool, here: Mapping[str, Any]) -> Iterator[_Chosen]:
        have = {make_reader(spec).name for spec in here["readers"] if _plain(spec)}
        for spec in self.needed(faithful):
            kind = spec.partition("(")[0]
            if make_reader(spec).name not in have:
                others = sorted(name for name in have if name.partition("(")[0] == kind)
                yield f"reader {kind}", spec, "; ".join(others) or "not read"


_Chosen = tuple[str, str, str]
"""What was chosen, what was published, and what was done."""

USUAL: Mapping[str, tuple[Any, str]] = {
    "temperature": (0.0, "not said; 0 unless another is named"),
    "top_p": (None, "not said; the server's unless another is named"),
    "max_tokens": (16, "not said; 16 unless another number is named"),
    "style": ("auto", "not said; as the model asks for unless another is named"),
    "templates": (None, "the authors' own"),
    "until": (None, "everything is asked"),
    "limit": (None, "all items"),
}
"""What a run does unless something else is named, and how that compares with papers that say no
value of their own."""


def _rows(chosen: Iterable[_Chosen], why: str) -> list[dict[str, str]]:
    return [
        {"what": what, "published": published, "here": here, "why": why}
        for what, published, here in chosen
    ]


def _changed(probe: Probe, other: Probe) -> list[_Chosen]:
    """The parameters in which two probes of a kind differ: name, that of `probe`, of `other`."""
    pairs = [(f.name, getattr(probe, f.name), getattr(other, f.name)) for f in _fields(probe)]
    return [(name, _words(one), _words(two)) for name, one, two in pairs if one != two]


def _fields(probe: Probe) -> Sequence[Field[Any]]:
    return [each for each in fields(probe) if each.init] if is_dataclass(probe) else ()


def _words(value: object) -> str:
    """A value as a report says it."""
    if value == "published":
        return f"{_listed(TEXT_SIZES)} (of pairs {_listed(PAIR_SIZES)})"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _listed(sizes: Sequence[int]) -> str:
    return "/".join(map(str, sizes))


def _plain(spec: str) -> bool:
    """Whether a reader is made from its name alone, without another model or a file."""
    return spec.partition("(")[0].strip() in READERS


P = TypeVar("P", bound=Paper)


def declared(file: Path, kind: type[P]) -> P:
    """The paper that a file declares; of a difference, `always` is what both protocols do."""
    found = tomllib.loads(file.read_text(encoding="utf-8"))
    rows = [{"default": "", **row} for row in found.pop("differences")]
    for row in rows:
        if "always" in row:
            row["default"] = row["faithful"] = row.pop("always")
    differences = tuple(Departure(**{n: _frozen(v) for n, v in row.items()}) for row in rows)
    return kind(differences=differences, **{n: _frozen(v) for n, v in found.items()})


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


SUITES: Registry[Suite] = Registry("suite")
SUITES.add("basic", Suite("basic", "Basic audit", "horsesense", published=BASIC, better=BASIC))
for _name in ("revas", "know-no", "multi-problem", "look-at-text"):
    SUITES.add(_name, declared(Path(__file__).parent / "published" / f"{_name}.toml", Suite))


def named_suites(names: str | None) -> tuple[Suite, ...]:
    """The suites of a comma-separated list; UsageError lists what there is."""
    return tuple(SUITES.get(name.strip()) for name in names.split(",")) if names else ()


def suite_probes(names: str | None, faithful: bool, shots: bool = False) -> tuple[str, ...]:
    """The probes of one or several suites, each once, in order; `shots`: examples are at hand.

    >>> suite_probes("know-no", True)[0]
    'gold_absent(design=random(3))'
    """
    specs = [spec for suite in named_suites(names) for spec in suite.probes(faithful, shots)]
    if faithful and not specs:
        raise UsageError(
            "--faithful is about the protocol of a suite, and none was named.",
            hint=f"Add --suite with one of {', '.join(SUITES.names())}.",
        )
    return merged(specs)


def suite_settings(names: str | None, faithful: bool) -> dict[str, Any]:
    """The settings of the published protocols of these suites; none without `faithful`.

    UsageError where two suites were published with different values of one setting.
    """
    found: dict[str, Any] = {}
    for suite in named_suites(names) if faithful else ():
        for name, value in suite.settings.items():
            if found.setdefault(name, value) != value:
                raise UsageError(
                    f"These suites were published with different values of {name}: {found[name]}"
                    f" and {value}.",
                    hint="Run them apart, each with --faithful.",
                )
    return found


def with_parameters(
    specs: Sequence[str], changes: Mapping[type[Probe], Mapping[str, Any]]
) -> tuple[str, ...]:
    """The specs with these parameters wherever a probe of a kind is named, each once.

    Where no probe of a kind is named, it is added; bundles of problems are changed alone. What is
    empty changes nothing.

    >>> with_parameters(["order", "batch"], {BundlesOfProblems: {"sizes": "3/5"}})[1].split(", ")[0]
    'batch(sizes=3/5'
    """
    given = {kind: {n: v for n, v in named.items() if v} for kind, named in changes.items()}
    made: dict[str, Probe] = {spec: parse_probe(spec) for spec in specs}
    for kind, own in given.items():
        there = kind is BundlesOfProblems or any(isinstance(one, kind) for one in made.values())
        if own and not there:
            made[kind.name] = kind()
    found = []
    for spec, probe in made.items():
        own = next((change for kind, change in given.items() if isinstance(probe, kind)), {})
        found.append(replace(probe, **own).signature if own else spec)
    return merged(found)


def merged(specs: Sequence[str]) -> tuple[str, ...]:
    """The specs without those that ask for a probe that an earlier one asks for."""
    seen: dict[str, str] = {}
    for spec in specs:
        seen.setdefault(parse_probes([spec])[-1].signature, spec)
    return tuple(seen.values())

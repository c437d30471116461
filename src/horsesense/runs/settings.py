"""Everything that is needed to run a study again, as it stands in `run.toml`.

Each setting is declared once, in `Settings`: its name, type, default and the words of its help. The
command line is made of these fields; `audit` and `plan` take them as keywords (`GivenSettings`).
"""

from __future__ import annotations

import difflib
import math
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from horsesense.errors import UsageError
from horsesense.plugins import filled_in, pairs, split_outside_brackets
from horsesense.probes import BASIC
from horsesense.runs.shard import Shard

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

DEFAULT_PROBES = BASIC
DEFAULT_READERS = ("first_token", "text")
AUTO_READERS = ("auto",)
"""`DEFAULT_READERS`, and `option_text` where the model scores texts (see `prepare`)."""
STOP_IF = r"never|\d{1,2}(\.\d+)?%"
"""A share of lost replies below 100%, or that any is accepted."""
FORMER = ("draws",)
"""Settings of earlier versions that have no effect; they are read and dropped for one version."""

Names = str | Sequence[str]
"""One name, several with commas between, or a sequence of them."""


class GivenSettings(TypedDict, total=False):
    """The settings in every form that `audit` and `plan` take; `Settings` says what each means."""

    probes: Names | None
    against: str | None
    suite: str | None
    faithful: bool
    sizes: str | None
    bundles: int | None
    disjoint: bool
    confidence_items: Literal["consistent", "derived", "all"] | None
    map: Mapping[str, str] | None
    split: str | None
    where: Mapping[str, str] | None
    labels: Names | None
    task: str | None
    limit: int | None
    seed: int
    shots: int
    shots_from: str | Path | None
    style: Literal["auto", "chat", "completion"]
    templates: str | Path | None
    max_tokens: int | None
    temperature: float | None
    top_p: float | None
    effort: str | None
    thinking_tokens: int | None
    takes_prefix: bool
    readers: Names | None
    level: float
    until: str | None
    stop_if: str
    no_preflight: bool
    smallest: Mapping[str, float] | None
    shard: str | None


def same_kind(one: str, other: str) -> bool:
    """Whether two specs name the same plug-in, whatever their parameters."""
    return one.partition("(")[0].strip() == other.partition("(")[0].strip()


def _as_needed(reader: str, needed: Sequence[str]) -> str:
    """A named reader with the parameters that a suite reads with, where it gives none itself."""
    preset = next((other for other in needed if same_kind(reader, other)), None)
    from horsesense.readers.registry import READERS  # slow, and a help text needs none

    return reader if preset is None else filled_in(reader, preset, READERS)


class Settings(BaseModel):
    """A study. Field names are the long options of `horsesense audit`.

    `suite` adds its probes to those that are named; `faithful` chooses the published protocol, with
    its own decoding where none is named. `probes` then holds all of them, and a reader that a suite
    reads with has the suite's parameters where it names none.

    >>> Settings(items="sample", model="sim:prior").probes[0]
    'repeat'
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    items: str
    model: str
    probes: tuple[str, ...] = Field(
        DEFAULT_PROBES,
        description="What is changed, as repeat,order(random(10)); `horsesense list probes` names"
        " all, with their settings.",
    )
    against: str | None = Field(
        None, description="Another address or engine of the same model, for the probe `server`."
    )
    suite: str | None = Field(
        None, description="A named set of probes, or several separated by commas."
    )
    faithful: bool = Field(False, description="The suite's protocol exactly as published.")
    sizes: str | None = Field(
        None, description="Problems in one prompt, such as 5,10,20 (suite multi-problem)."
    )
    bundles: int | None = Field(None, ge=1, description="Number of bundles of each size.")
    disjoint: bool = Field(False, description="Bundles of a size share no item.")
    confidence_items: Literal["consistent", "derived", "all"] | None = Field(
        None,
        description="Items that option_confidence is computed on: right in every order"
        " (consistent, which is not agreement), in every other derived form too (derived), or all.",
    )
    map: dict[str, str] = Field(
        default_factory=dict, description="OURS=THEIRS: the file's name for one of our fields."
    )
    split: str | None = Field(None, description="Only rows whose field `split` has this value.")
    where: dict[str, str] = Field(
        default_factory=dict, description="FIELD=VALUE that a row must have."
    )
    labels: tuple[str, ...] | None = Field(
        None, description="Label set of a task, separated by commas; THEIRS=OURS renames them."
    )
    task: str | None = Field(
        None, description="Words for what is classified: a shipped task, any, or a TOML file."
    )
    limit: int | None = Field(None, ge=1, lt=2**63, description="At most so many items (a sample).")
    seed: int = Field(0, ge=-(2**63), lt=2**63, description="Starts every random choice.")
    shots: int = Field(0, ge=0, description="Few-shot examples before each question.")
    shots_from: str | None = Field(None, description="Items file with the few-shot examples.")
    style: Literal["auto", "chat", "completion"] = Field(
        "auto", description="chat, completion, or auto (what the model offers)."
    )
    templates: str | None = Field(None, description="Folder with prompt templates of your own.")
    max_tokens: int = Field(
        16,
        ge=0,
        lt=2**63,
        description="Longest reply; 0 for scores alone. With --faithful, what the paper used.",
    )
    temperature: float = Field(
        0.0, ge=0, lt=math.inf, description="0 is greedy. With --faithful, what the paper used."
    )
    top_p: float | None = Field(
        None, gt=0, le=1, description="Sample from the likeliest tokens that make up this share."
    )
    effort: str | None = Field(
        None,
        pattern=r"^[a-z]+$",
        description="How much a reasoning model thinks: low, medium, high, or the server's word.",
    )
    thinking_tokens: int | None = Field(
        None,
        ge=1,
        lt=2**63,
        description="Most tokens of thought before a reply, on top of --max-tokens.",
    )
    takes_prefix: bool = Field(
        False, description="The server goes on with a reply that is begun (probe thought)."
    )
    readers: tuple[str, ...] = Field(
        AUTO_READERS,
        description="How replies are read, separated by commas. auto: first_token, text, and"
        " option_text where the model scores texts.",
    )
    level: float = Field(0.95, gt=0.5, lt=1, description="Confidence level of intervals.")
    until: str | None = Field(
        None,
        description="Stop a probe early, once its change of accuracy is decided (decided, or"
        " decided=0.03 where less than 3 points does not matter), once its change of accuracy is"
        " known to within 3 points either way (precision=0.03), or once every check is decided"
        " (decided=all). Otherwise all items are asked.",
    )
    stop_if: str = Field(
        "20%",
        description="Stop where more than this share of the latest 50 replies is cut off, empty,"
        " unreadable or failed; `never` switches this off.",
    )
    no_preflight: bool = Field(
        False, description="Do not begin with two prompts whose answer is known."
    )
    smallest: dict[str, float] = Field(
        default_factory=dict,
        description="KIND=SHARE: the smallest size that matters for a kind of finding, such as"
        " position_locked=0.02. The report shows it beside every check.",
    )
    shard: str | None = Field(
        None, description="Ask only this part of the items, such as 2/8; `merge` unites the runs."
    )

    @field_validator("until")
    @classmethod
    def _a_goal(cls, value: str | None) -> str | None:
        from horsesense.runs.goal import Goal

        if value is not None:
            Goal.parse(value)
        return value

    @field_validator("stop_if", mode="before")
    @classmethod
    def _a_share(cls, value: object) -> str:
        if not re.fullmatch(STOP_IF, str(value)):
            raise ValueError(f"Give a share such as 20%, or never (100% is never), not {value!r}")
        return str(value)

    @field_validator("shard")
    @classmethod
    def _a_shard(cls, value: str | None) -> str | None:
        return None if value is None else str(Shard.parse(value))

    @model_validator(mode="before")
    @classmethod
    def _with_suite(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Resolve the suite, so that what is saved names every probe."""
        from horsesense.probes.base import Probe
        from horsesense.probes.multi_problem import BundlesOfProblems
        from horsesense.probes.server import Server
        from horsesense.probes.true_false import OptionConfidence
        from horsesense.runs.suites import (
            merged,
            named_suites,
            suite_probes,
            suite_settings,
            with_parameters,
        )

        values = {name: value for name, value in given.items() if name not in FORMER}
        suite, faithful = values.get("suite"), bool(values.get("faithful"))
        added = suite_probes(suite, faithful, bool(values.get("shots_from")))
        if added:
            values["probes"] = merged([*added, *(values.get("probes") or ())])
        values = {**suite_settings(suite, faithful), **values}
        needed = [name for each in named_suites(suite) for name in each.needed(faithful)]
        if needed:
            named = tuple(values.get("readers") or AUTO_READERS)
            named = DEFAULT_READERS if named == AUTO_READERS else named
            new = [name for name in needed if not any(same_kind(name, r) for r in named)]
            values["readers"] = (*(_as_needed(name, needed) for name in named), *new)
        sizes = values.get("sizes")
        changes: dict[type[Probe], dict[str, Any]] = {
            BundlesOfProblems: {  # type: ignore[type-abstract]
                "sizes": sizes and sizes.replace(",", "/"),
                "bundles": values.get("bundles"),
                "design": values.get("disjoint") and "disjoint",
            },
            Server: {"against": values.get("against")},
            OptionConfidence: {"items": values.get("confidence_items")},
        }
        if any(any(named.values()) for named in changes.values()):
            values["probes"] = with_parameters(values.get("probes") or DEFAULT_PROBES, changes)
        return values

    @model_validator(mode="after")
    def _whole(self) -> Settings:
        if self.shard is not None and self.until is not None:
            raise UsageError(
                "--until decides from all answers together, but a shard sees only its own.",
                hint="Leave out one of --shard and --until.",
            )
        if self.smallest:
            from horsesense.findings.kinds import check_sizes  # with all that measures need

            check_sizes(self.smallest)
        return self

    @classmethod
    def of(cls, **given: object) -> Settings:
        """Settings from loose values, as `GivenSettings` or the command line have them.

        What is None counts as not given. UsageError names each value that does not fit.
        """
        values = {n: _taken(n, value) for n, value in given.items() if value is not None}
        for name in FORMER:
            if values.pop(name, None) is not None:
                warnings.warn(
                    f"{name} has no effect any more and will be removed: leave it out.",
                    FutureWarning,
                    stacklevel=2,
                )
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise UsageError(f"These settings do not fit: {misfits(cls, error)}.") from None


def holds(name: str) -> type | None:
    """What kind of collection a setting holds: tuple or dict; None for a single value."""
    field = Settings.model_fields.get(name)
    kinds = [get_origin(kind) for kind in alternatives(field and field.annotation)]
    return next((kind for kind in (tuple, dict) if kind in kinds), None)


def alternatives(annotation: Any) -> tuple[Any, ...]:
    """The types of a union such as `tuple[str, ...] | None`; one type stands for itself."""
    return annotation.__args__ if get_origin(annotation) is UnionType else (annotation,)


def _taken(name: str, value: object) -> object:
    """A value taken apart: names between commas, NAME=VALUE; a path is its text."""
    if holds(name) is tuple and isinstance(value, str):
        return tuple(split_outside_brackets(value))
    if holds(name) is dict and isinstance(value, Sequence):
        return pairs(name, value)
    return str(value) if isinstance(value, Path) else value


def misfits(model: type[BaseModel], error: ValidationError) -> str:
    """What does not fit, field by field, with the known name that an unknown one is nearest to."""
    return "; ".join(_misfit(model, found) for found in error.errors())


UNREADABLE = ("float_parsing", "int_parsing", "bool_parsing")
"""Errors of a text that is not a value of its type."""


def _misfit(model: type[BaseModel], found: ErrorDetails) -> str:
    name = ".".join(map(str, found["loc"]))
    if found["type"] == "missing":
        return f"{name} is missing"
    if found["type"] != "extra_forbidden":
        said = found["msg"].removeprefix("Input should ").removeprefix("Value error, ")
        if found["type"] in UNREADABLE:
            given, once = str(found["input"]), "; say the option once for each"
            said = f"{said.partition(',')[0]}, not {given!r}{once if '=' in given else ''}"
        return f"{name} should {said}" if said.startswith("be ") else f"{name}: {said}"
    near = difflib.get_close_matches(name, model.model_fields, n=1)
    known = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(model.model_fields)}"
    return f"there is no {name!r} ({known})"

"""Everything that is needed to run a study again, as it stands in `run.toml`."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from horsesense.errors import UsageError
from horsesense.plugins import filled_in
from horsesense.readers.registry import READERS
from horsesense.runs.goal import Goal
from horsesense.runs.shard import Shard
from horsesense.runs.suites import (
    BASIC,
    merged,
    named_suites,
    rebundled,
    suite_probes,
    suite_settings,
)

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

DEFAULT_PROBES = BASIC
DEFAULT_READERS = ("first_token", "text")
AUTO_READERS = ("auto",)
"""`DEFAULT_READERS`, and `option_text` where the model scores texts (see `prepare`)."""


def same_kind(one: str, other: str) -> bool:
    """Whether two specs name the same plug-in, whatever their parameters."""
    return one.partition("(")[0].strip() == other.partition("(")[0].strip()


def _as_needed(reader: str, needed: Sequence[str]) -> str:
    """A named reader with the parameters that a suite reads with, where it gives none itself."""
    preset = next((other for other in needed if same_kind(reader, other)), None)
    return reader if preset is None else filled_in(reader, preset, READERS)


class Settings(BaseModel):
    """A study. Field names are the long options of `horsesense audit`.

    `suite` (one name, or several with commas between) adds its probes to those that are named;
    `faithful` chooses the published protocol, with its own decoding where none is named. `probes`
    then holds all of them, and a reader that a suite reads with has the suite's parameters where it
    names none. `sizes`, `bundles`
    and `disjoint` are those of every probe that puts several problems into a prompt. `until` says
    when asking may stop (see `runs.goal.Goal`); everything is asked without it. `smallest` is the
    smallest size that matters, by kind of finding (see `findings.kinds`). `shard` ("2/8") asks only
    that part of the items (see `runs.shard`).

    >>> Settings(items="sample", model="sim:prior").probes[0]
    'repeat'
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    items: str
    model: str
    probes: tuple[str, ...] = DEFAULT_PROBES
    suite: str | None = None
    faithful: bool = False
    sizes: str | None = None
    bundles: int | None = Field(default=None, ge=1)
    disjoint: bool = False
    map: dict[str, str] = Field(default_factory=dict)
    split: str | None = None
    where: dict[str, str] = Field(default_factory=dict)
    labels: tuple[str, ...] | None = None
    task: str | None = None
    limit: int | None = Field(default=None, ge=1)
    seed: int = 0
    shots: int = Field(default=0, ge=0)
    shots_from: str | None = None
    style: Literal["auto", "chat", "completion"] = "auto"
    templates: str | None = None
    max_tokens: int = Field(default=16, ge=0)
    temperature: float = Field(default=0.0, ge=0)
    top_p: float | None = Field(default=None, gt=0, le=1)
    readers: tuple[str, ...] = AUTO_READERS
    draws: int = Field(default=1000, ge=1)
    level: float = Field(default=0.95, gt=0.5, lt=1)
    until: str | None = None
    smallest: dict[str, float] = Field(default_factory=dict)
    shard: str | None = None

    @field_validator("until")
    @classmethod
    def _a_goal(cls, value: str | None) -> str | None:
        if value is not None:
            Goal.parse(value)
        return value

    @field_validator("shard")
    @classmethod
    def _a_shard(cls, value: str | None) -> str | None:
        return None if value is None else str(Shard.parse(value))

    @model_validator(mode="before")
    @classmethod
    def _with_suite(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Resolve the suite, so that what is saved names every probe."""
        examples = bool(values.get("shots_from"))
        added = suite_probes(values.get("suite"), bool(values.get("faithful")), examples)
        if added:
            values = {**values, "probes": merged([*added, *(values.get("probes") or ())])}
        faithful = bool(values.get("faithful"))
        values = {**suite_settings(values.get("suite"), faithful), **values}
        suites = named_suites(values.get("suite"))
        needed = [name for suite in suites for name in suite.needed(faithful)]
        if needed:
            given = tuple(values.get("readers") or AUTO_READERS)
            named = DEFAULT_READERS if given == AUTO_READERS else given
            new = [name for name in needed if not any(same_kind(name, r) for r in named)]
            named = tuple(_as_needed(name, needed) for name in named)
            values = {**values, "readers": (*named, *new)}
        if values.get("sizes") or values.get("bundles") or values.get("disjoint"):
            values = {**values, "probes": cls._rebundled(values)}
        return values

    @classmethod
    def _rebundled(cls, values: dict[str, Any]) -> tuple[str, ...]:
        probes = values.get("probes") or DEFAULT_PROBES
        sizes = values.get("sizes")
        found = rebundled(
            probes,
            sizes.replace(",", "/") if sizes else None,
            values.get("bundles"),
            bool(values.get("disjoint")),
        )
        return merged(found)

    @model_validator(mode="after")
    def _whole(self) -> Settings:
        if self.shard is not None and self.until is not None:
            raise UsageError(
                "--until decides from all answers together, and a shard sees its own alone.",
                hint="Leave out one of --shard and --until.",
            )
        if self.smallest:
            from horsesense.findings.sizes import check_sizes  # with all that measures need

            check_sizes(self.smallest)
        return self

    @classmethod
    def of(cls, **values: object) -> Settings:
        """Settings from loose values; UsageError names each field that does not fit."""
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise UsageError(f"These settings do not fit: {misfits(cls, error)}.") from None


def misfits(model: type[BaseModel], error: ValidationError) -> str:
    """What does not fit, field by field, with the known name that an unknown one is nearest to."""
    return "; ".join(_misfit(model, found) for found in error.errors())


UNREADABLE = ("float_parsing", "int_parsing", "bool_parsing")
"""Errors of a text that is no value of its type."""


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

"""Options that several commands of the side programs share, as groups (`cli.grouped`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from horsesense.cli import options
from horsesense.cli.output import print_json
from horsesense.errors import UsageError

if TYPE_CHECKING:
    from horsesense.items.item import ItemSet
    from horsesense.models.base import Model
    from horsesense_extras.build.asking import How


def tell(schema: str, told: Mapping[str, Any], as_json: bool, lines: Iterable[str]) -> None:
    """What a command found: for machines, or in lines for people."""
    if as_json:
        print_json(schema, told)
    else:
        for line in lines:
            print(line)


@dataclass(frozen=True)
class Rows:
    """Which rows of a source are taken, and how their fields are called."""

    limit: options.Limit = None
    seed: options.Seed = 0
    map: options.FieldMap = None
    split: options.Split = None
    where: options.Where = None

    def given(self) -> dict[str, Any]:
        """The same as `load_items` and `Settings.of` take it."""
        named = {name: options.pairs(name, getattr(self, name)) for name in ("map", "where")}
        return {"limit": self.limit, "seed": self.seed, "split": self.split, **named}

    def refuse(self, why: str) -> None:
        """UsageError where any of them is given; `why` it would have no effect."""
        given = [f"--{f.name}" for f in fields(self) if getattr(self, f.name) != f.default]
        if given:
            named = ", ".join(given).replace("_", "-")
            raise UsageError(f"{named}: {why}.", hint="Leave it out.")

    def load(self, source: str) -> ItemSet:
        """The items of a source."""
        from horsesense.items.load import load_items

        return load_items(source, **self.given())


@dataclass(frozen=True)
class Asking:
    """How a model is asked that helps to make items."""

    temperature: options.Temperature = 0.0
    templates: options.Templates = None
    max_connections: options.Connections = None
    budget: options.Budget = None
    price: options.Price = None
    key_env: options.KeyEnv = None
    timeout: options.Timeout = None

    def model(self, spec: str) -> Model:
        """The model that a text names."""
        from horsesense.models.registry import make_model

        return make_model(spec, key_env=self.key_env, timeout=self.timeout)

    def how(self) -> How:
        """What the functions of `build` take."""
        from horsesense.inference.limits import UNLIMITED
        from horsesense_extras.build.asking import How

        templates = Path(self.templates) if self.templates else None
        limits = UNLIMITED.given(self.budget, self.price)
        return How(self.temperature, templates, limits, self.max_connections)

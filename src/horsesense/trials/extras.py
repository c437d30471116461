"""What a prompt says or asks besides the item: one small class for each kind of prompt.

Templates may use every field by its name; readers, measures and simulated models ask for the kind
that they know. In tables they stand as JSON.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, ClassVar, Final

import orjson

from horsesense.errors import StoreError


@dataclass(frozen=True)
class Extras:
    """Nothing besides the item. A kind of prompt of your own is a frozen dataclass of this kind.

    Fields are texts, whole numbers, yes or no, or None.

    Attributes:
        person: number of the one who was asked, where several people answer for one "model".
    """

    kinds: ClassVar[dict[str, type[Extras]]] = {}
    person: int | None = field(default=None, kw_only=True)

    def __init_subclass__(cls) -> None:
        Extras.kinds[cls.__name__] = cls

    def named(self) -> dict[str, Any]:
        """Field -> value, without those that are None."""
        names = _NAMES.get(type(self))
        if names is None:
            names = _NAMES[type(self)] = tuple(f.name for f in fields(self))
        return {name: value for name in names if (value := getattr(self, name)) is not None}

    def as_json(self) -> str:
        """The text that stands in a table; "" for no extras."""
        if type(self) is Extras and self.person is None:
            return ""
        return orjson.dumps({"kind": type(self).__name__, **self.named()}).decode()


Extras.kinds[Extras.__name__] = Extras
_NAMES: Final[dict[type[Extras], tuple[str, ...]]] = {}
"""The fields of each kind; a trial is asked for them several times."""
NO_EXTRAS: Final = Extras()


@dataclass(frozen=True)
class WithheldGold(Extras):
    """The right answer is not among the options.

    Attributes:
        gold: its text.
        none_phrase: what the prompt asks to be said where no option is right; None where it
            asks for nothing of the kind.
        hint: when the prompt asks for it (see `probes.gold_absent.HINT_CLAUSES`).
    """

    gold: str
    none_phrase: str | None = None
    hint: str | None = None


@dataclass(frozen=True)
class Rejoined(Extras):
    """Class names whose parts are joined by another sign than the published one.

    Attributes:
        gold: the right name as published.
        published_sign, shown_sign: the signs.
    """

    gold: str
    published_sign: str
    shown_sign: str


@dataclass(frozen=True)
class Proposed(Extras):
    """One answer is proposed, to be accepted or rejected.

    Attributes:
        proposed: its text.
        quality: what is asked of it, "correct" or "wrong".
    """

    proposed: str
    quality: str


@dataclass(frozen=True)
class Marked(Extras):
    """The position (from 0) of the option that the probe is about."""

    marked: int


@dataclass(frozen=True)
class Capped(Extras):
    """The most tokens of the reply, thought included, whatever the study allows."""

    cap: int


@dataclass(frozen=True)
class Begun(Extras):
    """The reply begins with a thought, and that is ended.

    Attributes:
        thought: its text.
        share: how much of the recorded thought that is, in percent.
    """

    thought: str
    share: float


@dataclass(frozen=True)
class Served(Extras):
    """The plain prompt, asked differently.

    Attributes:
        together: how many such prompts are under way at a time; None for as many as others.
        against: another model that is asked, as `--model` names it; None for that of the run.
    """

    together: int | None = None
    against: str | None = None


@dataclass(frozen=True)
class Bundled(Extras):
    """Many problems in one prompt.

    Attributes:
        lines: "plain", or "anchored" where every answer repeats its number.
        shows: "text", or "label" where every text is replaced by its right label.
        asked: the label whose problems are to be selected; None where all are asked for.
        cot: whether a worked example reasons before it answers.
        examples: "asked", or "alternate" where worked examples go through the labels.
        shots: worked examples of this prompt; 0 for as many as the run has.
    """

    lines: str = "plain"
    shows: str = "text"
    asked: str | None = None
    cot: bool = False
    examples: str = "asked"
    shots: int = 0


@dataclass(frozen=True)
class Rewording(Extras):
    """The number of the way in which a question is to be put in other words."""

    way: int


@dataclass(frozen=True)
class Tried(Extras):
    """What was suggested before and shall not be suggested again; one a line."""

    tried: str


@lru_cache(maxsize=4096)
def extras_of(text: str) -> Extras:
    """What `Extras.as_json` wrote, or what version 0.1 wrote (texts alone, of no named kind).

    StoreError for what is neither.
    """
    if not text:
        return NO_EXTRAS
    try:
        found = dict(orjson.loads(text))
        name = found.pop("kind", None)
        kind = Extras.kinds[name] if name else _former_kind(found)
        types = {f.name: str(f.type) for f in fields(kind)}
        return kind(**{key: _typed(types[key], value) for key, value in found.items()})
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(
            f"The extras {text[:200]} of a trial cannot be read ({error}).",
            hint="If a plug-in's probe made them, install the plug-in.",
        ) from None


_FORMER: Final[dict[str, type[Extras]]] = {
    "published_sign": Rejoined,
    "proposed": Proposed,
    "marked": Marked,
    "shows": Bundled,
    "way": Rewording,
    "gold": WithheldGold,
}
"""A key that tells the kind of the extras that version 0.1 wrote; the first that is there."""


def _former_kind(found: dict[str, Any]) -> type[Extras]:
    """KeyError where no key tells it."""
    return _FORMER[next((key for key in _FORMER if key in found), "kind")]


def _typed(kind: str, value: Any) -> Any:
    """Numbers and yes or no stood as texts in version 0.1."""
    if not isinstance(value, str):
        return value
    if kind == "bool":
        return value == "1"
    return int(value) if kind == "int" else value

"""All that is needed to make a number again, as one value (the idea is sacreBLEU's)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final, NamedTuple

from horsesense.errors import UsageError
from horsesense.trials.condition import PLAIN, Condition


class Signature(NamedTuple):
    """What a number was made from, and with.

    Attributes:
        data: name and fingerprint of the items, `name@fingerprint`.
        items: how many there are.
        model: name and fingerprint of its identity.
        probe: signature of the probe, as it can be written on the command line.
        condition: the one of the probe's conditions.
        prompt: signature of the prompt.
        decoding: how replies were drawn.
        reader: name and version.
        reviewed: replies that people read in its place.
        measure: its name.
        interval: its level; 0.2.0 wrote a number behind it that has no effect ("0.95x1000").
        seed: of the study.
        horsesense: the version that measured.
    """

    data: str
    items: int
    model: str
    probe: str
    condition: Condition
    prompt: str
    decoding: str
    reader: str
    reviewed: int
    measure: str
    interval: str
    seed: int
    horsesense: str

    def format(self) -> str:
        """The one text form: `name:value` joined by bars."""
        probe = f"{self.probe}[{self.condition}]" if self.condition else self.probe
        reader = f"{self.reader}+{self.reviewed}reviewed" if self.reviewed else self.reader
        shown = {"probe": probe, "reader": reader}
        parts = {name: shown.get(name, getattr(self, name)) for name in _PARTS}
        return "|".join(_stated(name, str(value)) for name, value in parts.items())

    @classmethod
    @lru_cache(1024)  # estimates of several groups share one
    def parse(cls, text: str) -> Signature:
        """The signature that `format` wrote; UsageError if the text is none."""
        parts = dict(_part(part) for part in text.split("|"))
        if tuple(parts) != _PARTS:
            raise UsageError(
                f"{text!r} is not a signature.", hint=f"Its parts are {', '.join(_PARTS)}."
            )
        probe = re.fullmatch(r"(\w+(?:\(.*?\))?)\[(.*)\]", parts["probe"], re.DOTALL)
        reader = re.fullmatch(r"(.*)\+(\d+)reviewed", parts["reader"], re.DOTALL)
        found: dict[str, Any] = {**parts, "condition": PLAIN, "reviewed": 0}
        try:
            found |= {name: int(parts[name]) for name in ("items", "seed")}
            if probe:
                found |= {"probe": probe[1], "condition": Condition.parse(probe[2])}
            if reader:
                found |= {"reader": reader[1], "reviewed": int(reader[2])}
        except ValueError as error:
            raise UsageError(f"{text!r} is not a signature: {error}") from None
        return cls(**found)

    def __str__(self) -> str:
        return self.format()


_PARTS: Final = (
    "data", "items", "model", "probe", "prompt", "decoding", "reader", "measure", "interval",
    "seed", "horsesense",
)  # fmt: skip
"""Parts of the text form; the condition stands in that of the probe, `reviewed` in the reader's."""


def _part(text: str) -> tuple[str, str]:
    name, _, value = text.partition(":")
    return name, re.sub(r"%(25|7C)", lambda m: chr(int(m[1], 16)), value)


@lru_cache(1024)  # most parts are those of every estimate of a run
def _stated(name: str, value: str) -> str:
    """A bar inside a value, as a server's name for a model may have, ends no part."""
    return f"{name}:{value.replace('%', '%25').replace('|', '%7C')}"

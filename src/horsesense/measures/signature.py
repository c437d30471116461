"""All that is needed to make a number again, as one value (the idea is sacreBLEU's)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from horsesense.errors import UsageError


class Signature(NamedTuple):
    """What a number was made from, and with; every part as it stands in the text form.

    Attributes:
        data: name and fingerprint of the items, `name@fingerprint`.
        items: how many there are.
        model: name and fingerprint of its identity.
        probe: as it can be written on the command line, and the condition in brackets.
        prompt: signature of the prompt.
        decoding: how replies were drawn.
        reader: name and version, and how many replies people read in its place.
        measure: its name.
        interval: its level; 0.2.0 wrote a number behind it that has no effect ("0.95x1000").
        seed: of the study.
        horsesense: the version that measured.
    """

    data: str
    items: str
    model: str
    probe: str
    prompt: str
    decoding: str
    reader: str
    measure: str
    interval: str
    seed: str
    horsesense: str

    def format(self) -> str:
        """The one text form: `name:value` joined by bars."""
        return "|".join(map(_stated, self._fields, self))

    @classmethod
    @lru_cache(1024)  # estimates of several groups share one
    def parse(cls, text: str) -> Signature:
        """The signature that `format` wrote; UsageError if the text is none."""
        parts = [part.partition(":") for part in text.split("|")]
        if tuple(name for name, _, _ in parts) != cls._fields:
            raise UsageError(
                f"{text!r} is not a signature.", hint=f"Its parts are {', '.join(cls._fields)}."
            )
        return cls(*(_ESCAPED.sub(lambda m: chr(int(m[1], 16)), value) for _, _, value in parts))

    def __str__(self) -> str:
        return self.format()


_ESCAPED = re.compile(r"%(25|7C)")


@lru_cache(1024)  # most parts are those of every estimate of a run
def _stated(name: str, value: str) -> str:
    """A bar inside a value, as a server's name for a model may have, ends no part."""
    return f"{name}:{value.replace('%', '%25').replace('|', '%7C')}"

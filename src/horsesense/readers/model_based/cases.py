"""What a model that reads replies is shown: the reply, the options, and three classes beside them.

Look at the Text (Wang et al. 2024) lets a fine-tuned model name the chosen option, or X where the
reply says that no option is right, Y where it refuses, Z where it does not know. Here the classes
that an option says itself are left out (a reply of that meaning chooses the option), and the three
names are others where the options have these letters.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple, Protocol, Self, runtime_checkable

from horsesense.inference.limits import Limits, RunSummary
from horsesense.inference.store import Store
from horsesense.models.messages import Response
from horsesense.readers.reading import Reading
from horsesense.trials.trial import Trial

Unchosen = Literal["none", "refusal", "unknown"]
"""What a reply can be that chooses no option."""

SPECIAL: Mapping[str, Unchosen] = MappingProxyType({"X": "none", "Y": "refusal", "Z": "unknown"})
"""The classes of a reply that chooses no option, as annotated files name them."""

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "X": "the reply says that no option is right",
        "Y": "the reply refuses or declines to answer",
        "Z": "the reply says that it does not know",
    }
)

_LETTERS = string.ascii_uppercase
_SPARE = (*"WVUTSRQPONMLKJIHGFEDCBA", "NONE", "REFUSAL", "UNKNOWN")
_ASKS = ("letter", "label")


class Case(NamedTuple):
    """One reply to be understood: equal cases have equal readings."""

    response: str
    options: tuple[str, ...]
    labels: tuple[str, ...] = ()

    @property
    def special(self) -> tuple[str, ...]:
        """The classes X, Y, Z that no option says itself."""
        from horsesense.readers.text.options import option_meaning  # with all rules on texts

        return tuple(
            name for name, status in SPECIAL.items() if option_meaning(status, self.options) is None
        )

    @property
    def classes(self) -> tuple[int | str, ...]:
        """All that the reply can be: each position, then the special classes."""
        return (*range(len(self.options)), *self.special)

    @property
    def codes(self) -> tuple[str, ...]:
        """A name for each class: labels as shown, then X, Y, Z or others that no label has.

        >>> Case("I say B", ("red", "blue"), ("A", "B")).codes
        ('A', 'B', 'X', 'Y', 'Z')
        >>> Case("Yes", ("left", "right"), ("X", "Y")).codes
        ('X', 'Y', 'W', 'V', 'Z')
        """
        shown = self.labels or _unlabelled(len(self.options))
        taken = {label.upper() for label in shown}
        spare = (name for name in _SPARE if name not in taken)
        return (
            *shown,
            *(name if name not in taken else next(spare, f"#{name}") for name in self.special),
        )

    def reading(self, place: int, rule: str, confidence: float) -> Reading:
        """The reading that chooses the class at `place` of `classes`."""
        chosen = self.classes[place]
        if isinstance(chosen, int):
            return Reading("answer", (chosen,), rule, None, confidence)
        return Reading(SPECIAL[chosen], (), rule, None, confidence)


def _unlabelled(k: int) -> tuple[str, ...]:
    """Names for options that were shown without labels."""
    return tuple(_LETTERS[:k]) if k <= len(_LETTERS) - 3 else tuple(map(str, range(1, k + 1)))


def case_of(trial: Trial, response: Response) -> Case | None:
    """The case of a trial with one variant that asks for one option; None for all others."""
    if len(trial.variants) != 1 or trial.answer_format not in _ASKS:
        return None
    return Case(response.text, trial.variant.options, trial.variant.labels)


def references(case: Case) -> str:
    """The reply, then the options, in the structure of Look at the Text, section 4.

    >>> print(references(Case("It is B.", ("red", "blue"), ("A", "B"))))
    It is B.
    References:
    A. red
    B. blue
    Answer:
    """
    lines = [f"{code}. {text}" for code, text in zip(case.codes, case.options, strict=False)]
    return "\n".join([case.response.strip(), "References:", *lines, "Answer:"])


Rows = Sequence[tuple[Trial, Response]]


@runtime_checkable
class BulkReader(Protocol):
    """A reader that works on many replies at once: enter it, `prepare` some, `read` those.

    An async context manager: a model is loaded or a server is reached on entry, and let go on
    exit. `read` gives nothing for what was not prepared.

    Attributes:
        asks_model: whether it asks a model, and needs a store to keep the answers in.
    """

    name: str
    asks_model: bool

    @property
    def version(self) -> str: ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *error: object) -> None: ...

    async def prepare(
        self,
        rows: Rows,
        store: Store | None,
        limits: Limits,
        max_connections: int | None = None,
    ) -> RunSummary:
        """Understand `rows`; what it asks of a model goes to `store`, within `limits`.

        `max_connections` are its requests under way together; by default as many as it likes.
        """
        ...

    def read(self, trial: Trial, response: Response) -> tuple[Reading, ...]: ...


class PreparedCase:
    """Readings of the cases that were prepared last."""

    def __init__(self) -> None:
        self._readings: dict[Case, Reading] = {}

    def keep(self, readings: Mapping[Case, Reading]) -> None:
        self._readings = dict(readings)

    def read(self, trial: Trial, response: Response) -> tuple[Reading, ...]:
        """The reading of a prepared reply; nothing for what was not prepared or not understood."""
        case = case_of(trial, response)
        found = None if case is None else self._readings.get(case)
        return () if found is None else (found,)


def cases_in(rows: Rows) -> list[Case]:
    """The different cases of some rows, in order; replies of white space alone left out."""
    found = (case_of(trial, response) for trial, response in rows)
    return [case for case in dict.fromkeys(found) if case is not None and case.response.strip()]


def empty_cases(rows: Rows) -> dict[Case, Reading]:
    """The readings of replies of white space alone: no model is asked about those."""
    found = (case_of(trial, response) for trial, response in rows)
    empty = Reading("empty", rule="nothing_said")
    return {case: empty for case in found if case is not None and not case.response.strip()}

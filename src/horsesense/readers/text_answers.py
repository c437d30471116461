"""The reader of texts. Its rules are loaded with the first reply: asking need not wait for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar, Final

from horsesense.models.messages import Response
from horsesense.readers.reading import Reading
from horsesense.readers.version import Rules
from horsesense.trials.trial import Trial

if TYPE_CHECKING:
    from horsesense.readers.text import TextReader

RULES: Final = Rules(version="37", source="dcddbf0a261c")


class TextAnswers:
    """The text of a reply, read in the way that fits what the trial asks for.

    Attributes:
        strict: whether an error of the rules is raised, as in tests, and is no reading.
    """

    name = "text"
    version = RULES.version
    strict: ClassVar[bool] = False

    def __init__(self, reader: TextReader | None = None) -> None:
        self._given = reader

    @cached_property
    def _read(self) -> Callable[[Trial, Response], tuple[Reading, ...]]:
        from horsesense.readers.formats.by_format import read_answer
        from horsesense.readers.text import TextReader

        return partial(read_answer, self._given or TextReader())

    def read(self, trial: Trial, response: Response) -> tuple[Reading, ...]:
        """One reading per variant; unclear, with the error as the rule, where the rules fail."""
        try:
            return self._read(trial, response)
        except Exception as error:
            if self.strict:
                raise
            rule = f"failed to read ({type(error).__name__})"
            return (Reading("unclear", (), rule, None, 0.0),) * len(trial.variants)

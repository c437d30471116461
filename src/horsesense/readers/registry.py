"""The readers, by name. A new reader is one short file and one line here."""

from __future__ import annotations

from collections.abc import Iterable

from horsesense.errors import UsageError
from horsesense.hosts import makes
from horsesense.plugins import Registry, parse_spec
from horsesense.readers.base import OptionScorer, Reader
from horsesense.readers.logprobs.first_token import FirstTokenReader
from horsesense.readers.logprobs.option_text import OptionTextReader
from horsesense.readers.logprobs.pride import PrideReader
from horsesense.readers.model_based.make import is_model_reader, make_bulk_reader
from horsesense.readers.text_answers import TextAnswers


def _accepted(found: object) -> type[Reader]:
    if not (isinstance(found, type) and callable(getattr(found, "read", None))):
        raise TypeError("it is not a class with the method `read`")
    return found


READERS: Registry[type[Reader]] = Registry(
    "reader", group="horsesense.readers", accept=_accepted, declares=("__doc__", "version")
)
READERS.add("first_token", FirstTokenReader)
READERS.add("text", TextAnswers)
READERS.add("pride", PrideReader)
READERS.add("option_text", OptionTextReader)


def reads_scores(name: str) -> bool:
    """Whether a reader of that name reads scores and not words: it says so itself."""
    kind = name.partition("(")[0]
    return kind in READERS and bool(getattr(READERS.get(kind), "reads_scores", False))


def make_reader(spec: str) -> Reader:
    """The reader that `name(key=value, ...)`, `trained:DIRECTORY` or `judge:MODEL` asks for.

    UsageError says what there is.

    >>> make_reader("first_token(token=found)").name
    'first_token(token=found)'
    """
    return make_bulk_reader(spec) if is_model_reader(spec) else parse_spec(spec, READERS)


def named_here(names: Iterable[str]) -> list[str]:
    """Readers without those with a model that a run or a log of others alone names."""
    return [name for name in names if not is_model_reader(name) or makes(name)]


def installed(spec: str) -> bool:
    """Whether a reader of that name can be made here: a plug-in or a directory may be missing."""
    try:
        make_reader(spec)
    except UsageError:
        return False
    return True


def reads_replies(name: str) -> bool:
    """Whether a reader of that name finds nothing where no reply is written."""
    reader = make_reader(name)
    return not (reads_scores(name) or isinstance(reader, OptionScorer))

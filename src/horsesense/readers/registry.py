"""The readers, by name. A new reader is one short file and one line here."""

from __future__ import annotations

from horsesense.plugins import Registry, parse_spec
from horsesense.readers.base import Reader
from horsesense.readers.formats.by_format import TextAnswers
from horsesense.readers.logprobs.first_token import FirstTokenReader
from horsesense.readers.logprobs.option_text import OptionTextReader
from horsesense.readers.logprobs.pride import PrideReader
from horsesense.readers.model_based.make import is_model_reader, make_bulk_reader

READERS: Registry[type[Reader]] = Registry("reader")
READERS.add("first_token", FirstTokenReader)
READERS.add("text", TextAnswers)
READERS.add("pride", PrideReader)
READERS.add("option_text", OptionTextReader)


def make_reader(spec: str) -> Reader:
    """The reader that `name(key=value, ...)`, `trained:DIRECTORY` or `judge:MODEL` asks for.

    UsageError says what there is.

    >>> make_reader("first_token(token=found)").name
    'first_token(token=found)'
    """
    return make_bulk_reader(spec) if is_model_reader(spec) else parse_spec(spec, READERS)

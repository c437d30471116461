"""The built-in reader of answers: outright statements first, then evidence. No model, no download.

`reader` is the entry. Its steps: `whole` (plain replies, with nothing else looked for), `page` (a
reply as tokens), `options` (an item, prepared once), `mentions`, `outright` (patterns), `evidence`
(features) and `weigh` (weights.json). `words` holds all language.
"""

from horsesense.readers.text.options import meanings_of, names_of, option_meaning, tokens_of
from horsesense.readers.text.page import without_struck
from horsesense.readers.text.reader import LIKELY, TextReader
from horsesense.readers.text.whole import exact
from horsesense.readers.text.words import REFUSAL

__all__ = [
    "LIKELY",
    "REFUSAL",
    "TextReader",
    "exact",
    "meanings_of",
    "names_of",
    "option_meaning",
    "tokens_of",
    "without_struck",
]

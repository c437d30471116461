"""What is read before anything is folded: a label, an option's text, a label with its own text.

So is a reply that says nothing but what one option says of no choice ("Refused", "I don't know").
"""

from __future__ import annotations

from collections.abc import Sequence

from horsesense.readers.reading import Reading
from horsesense.readers.text.names.labels import LabelSet
from horsesense.readers.text.names.special import said_by

_SURE, _PLAINLY, _FAIR = 0.99, 0.95, 0.85
_EMPHASIS = " \t\n*`\"'"


def exact(response: str, options: Sequence[str], known: LabelSet) -> Reading | None:
    """The reading of a reply that is a label, an option's text, or a label with its own text."""
    said = response.strip()
    plain = said.strip(_EMPHASIS)
    for text in (said, plain):
        if text in options:
            return _exact_text(text, response, options, known)
    position = known.whole.get(response)
    if position is not None:
        return Reading("answer", (position,), "label_alone", (0, len(response)), _SURE)
    bare = plain.removesuffix(".")
    if bare in options:
        return _exact_text(bare, response, options, known)
    meant = said_by(plain, options)
    if meant is not None:
        return Reading("answer", (meant,), "says_so", (0, len(response)), _PLAINLY)
    lead = known.lead.match(said)
    if lead is None:
        return None
    named, text = known.positions[lead["name"]], said[lead.end() :].strip(_EMPHASIS)
    own = options[named].strip(_EMPHASIS)
    if own and own in (text, text.removesuffix(".").rstrip(_EMPHASIS)):
        return Reading("answer", (named,), "label_and_text", (0, len(response)), _SURE)
    return None


def _exact_text(
    text: str, response: str, options: Sequence[str], known: LabelSet
) -> Reading | None:
    """The reading of a reply that is an option's text and perhaps the label of another."""
    position = options.index(text)
    label = known.whole.get(text)
    span = (0, len(response))
    if list(options).count(text) > 1:
        return Reading("ambiguous", (), "same_texts", span, _SURE)
    if label is None or label == position:
        return Reading("answer", (position,), "text_exact", span, _SURE)
    if known.numbers:
        return Reading("ambiguous", (), "label_or_text", span, _SURE)
    return Reading("answer", (label,), "label_alone", span, _FAIR)

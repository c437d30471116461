"""Reading several options from a reply that was asked for all correct ones.

Where a reply gives a verdict on every option, the verdicts count; else the first stretch of it that
is a list of options and nothing else: the whole, a field, a box, what "answer:" announces. What is
no list is left to the reader of single choices, which then accepts several.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from horsesense.models.messages import Response
from horsesense.readers.formats.bundled import names_of, no_text, repaired, without_thinking
from horsesense.readers.reading import Reading
from horsesense.readers.text import TextReader
from horsesense.readers.text.places import ordinal
from horsesense.trials.trial import Trial, Variant

# Replies are hostile: repetitions are taken whole (`*+`, `++`), so that nothing is tried in many
# ways and time grows no faster than the reply.
_LEAD = re.compile(
    r"[\s*#>_]*+(?:so,?\s+)?(?:the\s+)?(?:correct\s+|right\s+|final\s+)?"
    r"(?:answers?|options?|letters?|choices?|ones|both|only|just"
    r"|i(?:'d| would| will|'ll)? (?:pick|choose|select|say|tick|take))\b"
    r"[\s*_]*+(?:are|is)?[\s*_]*+:?+[\s*_]*+",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"\s*+(?:only|alone|(?:are|is)\s+(?:all\s+|both\s+)?(?:correct|right|true|valid))?[\s.!*_]*+\Z",
    re.IGNORECASE,
)
_SPLIT = re.compile(
    r"(?:[^\S\n]*+(?:[,;/&\n]|\+(?=\w)|(?<=\s)\+(?=\s)|\]\[|\b(?:and|or)\b(?=\s)(?:\s+also\b)?))++\s*+",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\s*+(?:[-*•+]\s++)?")
_NUMBER = re.compile(r"\d{1,2}[.):]\s++")
_BOX = re.compile(r"(?P<full>[☑✅✓✔☒●■]|\[[xX]\]|\([xX]\))|[☐○□]|\[ ?\]|\( ?\)")
_MARKS: Final = " \t\r\n()[]{}\"'`*_.:!$"
_BOXED = re.compile(r"\\boxed\s*\{(?:\\text\s*\{)?([^{}]*)\}")
_JUST = re.compile(r"\b(?:just|only)\s+([^\n]*)\Z", re.IGNORECASE)
_ALL = re.compile(
    r"\W*(?:all|every|everything)(?:\s+(?:of|the|above|them|these|those|options?|answers?|choices?"
    r"|two|three|four|five|six|seven|eight|nine|ten|\d+)\b)*+(?:\s+(?:are|is|apply|applies|correct"
    r"|right|true))*+(?:,?\s+(?:except|but|besides|apart\s+from|other\s+than)(?:\s+for)?"
    r"\s+(?P<without>[^\n]*?))?\W*",
    re.IGNORECASE,
)
_VERDICT = re.compile(
    r"(?P<no>\b(?:not\s+(?:correct|right|true)|incorrect|wrong|false|no)\b|n't\s+(?:correct|right"
    r"|true)\b|[❌✗✘☐])|(?P<yes>\b(?:correct|right|true|yes)\b|[✅✔✓☑])",
    re.IGNORECASE,
)


def read_letters(reader: TextReader, trial: Trial, response: Response) -> Reading:
    """All chosen positions, in order of mention and each once."""
    text, variant = without_thinking(response.text), trial.variant
    if not text.strip():
        return no_text(response)
    found = _ticked(text, variant) or _listed(text, variant) or _verdicts(text, variant)
    found = found or _all(text, variant)
    if found is not None:
        return found
    reason = response.finish_reason
    return reader.read(text, variant.options, variant.labels, finish_reason=reason, multiple=True)


def _ticked(text: str, shown: Variant) -> Reading | None:
    """The options whose box is full, where every option stands behind a box of its own."""
    boxes = list(_BOX.finditer(text))
    if len(boxes) != len(shown.options) or not any(box["full"] for box in boxes):
        return None
    ends = [*(box.start() for box in boxes[1:]), len(text)]
    named = [_name(text[box.end() : end], shown)[1] for box, end in zip(boxes, ends, strict=True)]
    if sorted(-1 if name is None else name for name in named) != list(range(len(boxes))):
        return None
    full = [name for name, box in zip(named, boxes, strict=True) if box["full"]]
    chosen = tuple(sorted(name for name in full if name is not None))
    return Reading("answer", chosen, "ticked", (0, len(text)), 0.97)


def _listed(text: str, shown: Variant) -> Reading | None:
    """The first stretch that lists options and nothing else; one that is not shown is illegal."""
    for stretch, rule in _stretches(text):
        names = _names(stretch, shown)
        start = max(text.find(stretch), 0)
        span = (start, start + len(stretch))
        if names and None not in names:
            positions = tuple(dict.fromkeys(name for name in names if name is not None))
            return Reading("answer", positions, rule, span, 0.98)
        if names:
            return Reading("illegal", (), "other_label", span, 0.95)
    return None


def _stretches(text: str) -> Iterator[tuple[str, str]]:
    """Parts of a reply that may be its list, the likeliest first, with the rule that finds them."""
    yield text, "list"
    start, end = text.find("{"), text.rfind("}") + 1
    yield from ((value, "field") for value in _values(repaired(text[start:end] or "null")))
    yield from ((found[1], "boxed") for found in _BOXED.finditer(text))
    if ":" in text or "are" in text:
        yield from ((line, "announced") for line in text.splitlines() if _LEAD.match(line))
    if just := _JUST.search(text.strip()):
        yield just[1], "only"


def _values(found: Any) -> Iterator[str]:
    """Fields of an object that are texts or lists of texts; the names that are true."""
    if isinstance(found, dict) and found and all(isinstance(v, bool) for v in found.values()):
        yield ", ".join(str(name) for name, holds in found.items() if holds)
    for value in found.values() if isinstance(found, dict) else ():
        if isinstance(value, str):
            yield value
        elif isinstance(value, list) and all(isinstance(entry, str) for entry in value):
            yield ", ".join(value)


def _names(stretch: str, shown: Variant) -> list[int | None]:
    """What a list names, option by option: None for a letter that is not shown; empty: no list."""
    lead = _LEAD.match(stretch)
    body = _TAIL.sub("", stretch[lead.end() if lead else 0 :])
    run = body.strip(_MARKS)
    if len(run) > 1 and len(set(run)) == len(run) and set(run) <= set(shown.labels):
        return [shown.labels.index(letter) for letter in run]
    pieces = [piece for piece in _SPLIT.split(body) if piece.strip(_MARKS)]
    if len(pieces) == 1 and all(word.strip(_MARKS) in shown.labels for word in body.split()):
        pieces = body.split()
    names = []
    for piece in pieces:
        known, name = _name(piece, shown)
        if not known:
            return []
        names.append(name)
    return names


def _name(piece: str, shown: Variant) -> tuple[bool, int | None]:
    """Whether a piece names one option by label, text or both; its position, None if not shown."""
    start = _BULLET.match(piece)
    body = piece[start.end() if start else 0 :]
    if not any(label.isdigit() for label in shown.labels):
        body = _NUMBER.sub("", body, count=1)
    bare = body.strip(_MARKS)
    if bare in shown.labels:
        return True, shown.labels.index(bare)
    place = ordinal(bare, len(shown.options))
    if place is not None and bare not in shown.options:
        return True, place
    texts = names_of(shown.options, False)
    whole = texts.whole(piece)
    if whole is None:
        whole = texts.whole(bare)
    if whole is not None:
        return True, whole
    label = re.match(r"[\s(\[*_]*+(\w{1,4}+)[\s)\]*_.:(–—-]++", body)
    if label and label[1] in shown.labels:
        position = shown.labels.index(label[1])
        return texts.whole(body[label.end() :]) == position, position
    if bare.upper() in shown.labels:
        return True, shown.labels.index(bare.upper())
    return len(bare) == 1 and bare.isupper(), None


def _verdicts(text: str, shown: Variant) -> Reading | None:
    """The options called correct, where every option has one verdict of its own."""
    parts = re.split(r"\n|(?<=[.;])\s+", text)
    given: dict[int, bool] = {}
    for part in parts:
        position = _opening_option(part, shown)
        found = {bool(match["yes"]) for match in _VERDICT.finditer(part)}
        if position is None or not found:
            continue
        if len(found) > 1 or position in given:
            return None
        given[position] = found.pop()
    if len(given) < len(shown.options):
        return None
    chosen = tuple(sorted(position for position, right in given.items() if right))
    if not chosen:
        return Reading("none", (), "verdicts", (0, len(text)), 0.95)
    return Reading("answer", chosen, "verdicts", (0, len(text)), 0.97)


def _opening_option(part: str, shown: Variant) -> int | None:
    """The option that a line or sentence begins with."""
    body = part.strip(" \t|*_-•([\"'#>")
    body = re.sub(r"^(?:option|answer|choice)\s+", "", body, flags=re.IGNORECASE)
    for names in (shown.labels, shown.options):
        # The longest first: "C++" begins with "C".
        for position in sorted(range(len(names)), key=lambda position: -len(names[position])):
            name = names[position]
            if name and body.startswith(name) and not body[len(name) :][:1].isalnum():
                return position
    return None


def _all(text: str, shown: Variant) -> Reading | None:
    """All options, or all but some; not where an option says "all of the above" itself."""
    match = _ALL.fullmatch(text.strip())
    if match is None or any(_ALL.fullmatch(option) for option in shown.options):
        return None
    without = _names(match["without"], shown) if match["without"] else []
    if match["without"] and (not without or None in without):
        return None
    positions = tuple(p for p in range(len(shown.options)) if p not in without)
    return Reading("answer", positions, "all", (0, len(text)), 0.97) if positions else None

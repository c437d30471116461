"""Replies that are JSON and nothing else: read by their fields, not as running text.

A field that is called final comes before one that is merely called an answer; an object of options
and verdicts is the option that alone is approved. Fields that contradict each other, and objects
that do, are ambiguous. What the fields do not tell is left to the other rules.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from horsesense.readers.reading import Reading
from horsesense.readers.text.at_once.exact import exact
from horsesense.readers.text.at_once.records import only_calls, records
from horsesense.readers.text.names.likeness import stems
from horsesense.readers.text.names.special import meaning_of
from horsesense.readers.text.names.targets import Scene

_SURE: Final = 0.95
_FAIR: Final = 0.85
_INDEX: Final = 0.8
_MOST: Final = 20_000
_DEEPEST: Final = 6
_ROUNDED: Final = 0.021
_FEW: Final = 3
_AROUND = re.compile(r"<\|[^<>|\n]{1,40}\|>|</?s>|```(?:json)?|[\s`,;]|\A\s*json\b")
_LEAD = re.compile(r"\s*[^\s{}\[\]<`][^{}\[\]\n]{0,80}:\s*(?=[{`\n])")
"""Words that introduce JSON."""
_FINAL = re.compile(r"\b(?:final|definitive)\b")
_ANSWER = re.compile(
    r"\b(?:answers?|choice|option|letter|label|prediction|predicted|select(?:ed|ion)|chosen"
    r"|response|result|output|decision|pick|correct|right|best|rating|verdict|category|class"
    r"|classification|r[ée]ponse|antwort|respuesta|resposta|risposta|[ée]tiquette)\b"
)
_ASIDE = re.compile(
    r"\b(?:second(?:ary)?|alternatives?|avoid\w*|discard\w*|dismiss\w*|negated|decoys?|reject\w*|wrong|incorrect|others?|eliminat\w*|runner|not|no"
    r"|questions?|distractors?|initial|first|previous|original|old|former|earlier|draft|from|ruled|exclud\w*|unlikely|worst|least"
    r"|reason\w*|explanations?|thoughts?|analysis|rationale|justification|confidence|options"
    r"|choices|format|candidates?|closest|common|user|student|is|steps?|score|evidence)\b"
)
_REVISED = re.compile(
    r"\b(?:correct(?:ed|ion)|revis(?:ed|ion)|updated?|amend(?:ed|ment)|new|fixed)\b"
)
"""What a field is called that takes the place of an answer in another."""
_QUESTION = re.compile(r"\b(?:question|input|prompt|problem|id|item|passage|text|number)\b")
_POSITION = re.compile(r"\b(?:index|idx)\b")
_DENIES = re.compile(r"\b(?:not|no|wrong|incorrect)\b|n't\b", re.IGNORECASE)
_YES: Final = ("true", "correct", "right", "yes", "chosen", "selected", "accept", "✓", "✅")
_NO: Final = (
    *("false", "incorrect", "wrong", "no", "reject", "rejected", "eliminated", "✗", "❌"),
)
_TURNED = re.compile(
    r"\b(?:wrong|incorrect|reject\w*|eliminat\w*|distract\w*|popular\w*|populations?|shares?|users?"
    r"|students?|initial|first|previous|common|others?|mistakes?|largest|biggest|oldest|most|famous"
    r"|highest|smallest|loss|errors?|surprisal|perplexity|doubts?|priors?|costs?|risks?|distances?"
    r"|flag\w*|mention\w*)\b"
)
"""What a field is called that judges by something else, or is somebody else's."""
_WHOLE = 100
_SORTS = re.compile(
    r"\b(?:topic|type|sentiment|genre|intent|emotion|language|tone|stance|diagnosis|kind|tag|group"
    r"|department|route|queue|priority|severity|polarity|mood|relation|role|level|style|field|area"
    r"|code|value|name|text|content|final|city|country|person|word|term|item)\b"
)
_CALLS = re.compile(
    r"\b(?:correct\w*|answer|verdict|fits?|match\w*|valid|right|true|chosen|select\w*|result|label|value"
    r"|supported|accept\w*|applies|best|p|prob\w*|score|chance|likel\w+|confidence|eval\w*|status"
    r"|judg\w*|keep|ok|plausible|possible|holds|judgement|assessment)\b"
)
"""What a field with the verdict on an option is called."""
_LAST = re.compile(r"[,;:-] (?:(?P<yes>accept(?:ed)?|correct|keep)|(?:reject(?:ed)?|incorrect))\Z")
"""A verdict behind what is said of an option ("a crime, reject")."""


def in_json(scene: Scene) -> Reading | None:
    """What a reply of JSON chooses; None for any other reply, and where its fields do not tell."""
    source = scene.response.source[scene.response.begins :]
    if len(source) > _MOST:
        return None
    for value in records(source, scene.question):
        if isinstance(value, dict) and (read := _reading(value, scene, 0)) is not None:
            return read
    if "{" not in source:
        return None
    if only_calls(source):
        # It waits for what the tool returns.
        return Reading("illegal", (), "tool_call", None, _INDEX)
    lead = _LEAD.match(source)
    if lead and not _names(lead.group(), scene):
        source = source[lead.end() :]
    found = list(_values(source))
    if not found or len(found) > len(scene.options.texts) + 1:
        return None
    readings = [(value, _reading(value, scene, 0)) for value in found]
    first = readings[0][1]
    if first is None:
        return None
    for value, reading in readings[1:]:
        asks = isinstance(value, dict) and any(_QUESTION.search(_key(key)) for key in value)
        if not asks and reading is not None and reading.positions != first.positions:
            return Reading("ambiguous", (), "several_objects", None, _FAIR)
    return first


def _names(text: str, scene: Scene) -> bool:
    """Whether a text names an option."""
    shown = {*re.findall(r"\w+", text)} & scene.labels.positions.keys()
    low = text.casefold()
    return bool(shown) or any(one.strip().casefold() in low for one in scene.options.texts)


def _values(source: str) -> Iterator[Any]:
    """The objects and lists of a reply; none where there is anything else beside them."""
    decoder = json.JSONDecoder()
    found: list[Any] = []
    place = 0
    while place < len(source):
        beside = _AROUND.match(source, place)
        if beside is not None and beside.end() > place:
            place = beside.end()
        elif source[place] in "{[":
            try:
                value, place = decoder.raw_decode(source, place)
            except (ValueError, RecursionError):
                return
            found.append(value)
        else:
            return
    yield from found


def _reading(value: Any, scene: Scene, depth: int) -> Reading | None:
    """What one value chooses."""
    if depth > _DEEPEST:
        return None
    if isinstance(value, list):
        return _of_list(value, scene, depth)
    if not isinstance(value, dict):
        return None
    if (judged := _by_verdicts(value.items(), scene)) is not None:
        return judged
    fields = {key: inner for key, inner in value.items() if not _ASIDE.search(_key(key))}
    final = {key: inner for key, inner in fields.items() if _FINAL.search(_key(key))}
    named = {key: inner for key, inner in fields.items() if _ANSWER.search(_key(key))}
    revised = {
        key: inner
        for key, inner in fields.items()
        if inner is not None
        and _REVISED.search(_key(key))
        and _of_field("", inner, scene, _DEEPEST) is not None
    }
    if revised and (named.keys() - revised or len(fields) < len(value)):
        named, final = revised, final and {**final, **revised}
    chosen = final or named
    if not chosen:
        if (only := _only_text(fields, scene)) is not None:
            return only
        held = {key: one for key, one in value.items() if not _TURNED.search(_key(key))}
        read = [one for each in held.values() if (one := _judged(each, scene)) is not None]
        if read:
            return read[0] if len(read) == 1 else None
        inner = [
            one
            for key, one in fields.items()
            if isinstance(one, dict) and not _TURNED.search(_key(key))
        ]
        return _reading(inner[0], scene, depth + 1) if len(inner) == 1 else None
    readings = [_of_field(_key(key), inner, scene, depth) for key, inner in chosen.items()]
    told = [one for one in readings if one is not None]
    if not told:
        return None
    if len({(one.status, one.positions) for one in told}) > 1:
        return Reading("ambiguous", (), "several_fields", None, _FAIR)
    found = max(told, key=lambda one: one.confidence)
    other = set() if final else _texts_named(fields, scene) - {*found.positions}
    if found.positions and other:
        return Reading("ambiguous", (), "label_with_other_text", None, _FAIR)
    return found


def _only_text(fields: Mapping[str, Any], scene: Scene) -> Reading | None:
    """The one option whose text is the value of a field, whatever that is called ("category")."""
    about = {key: one for key, one in fields.items() if not _TURNED.search(_key(key))}
    texts = _texts_named(about, scene)
    if len(texts) == 1 and scene.question:
        own = scene.options.texts[min(texts)].strip().casefold()
        called = [key for key, one in about.items() if isinstance(one, str)
                  and one.strip().casefold() == own]  # fmt: skip
        if not any(_bears(key, scene) or _SORTS.search(_key(key)) for key in called):
            return None
    if len(texts) != 1 or any(map(_QUESTION.search, map(_key, fields))):
        return None
    # A number among many fields is a step as well as a result.
    if len(fields) > _FEW and scene.options.texts[min(texts)].strip().isdigit():
        return None
    if any(isinstance(one, str) and _DENIES.search(one) for one in fields.values()):
        return None
    return Reading("answer", (*texts,), "json", None, _SURE)


def _of_list(value: Sequence[Any], scene: Scene, depth: int) -> Reading | None:
    """What a list chooses: its one entry, or that of its entries that is approved."""
    if len(value) == 1:
        return _of_field("", value[0], scene, depth)
    if not value or not all(isinstance(entry, dict) for entry in value):
        return None
    pairs = [pair for entry in value if (pair := _pair(entry, scene)) is not None]
    return _by_verdicts(pairs, scene) if len(pairs) == len(value) else None


def _judged(value: Any, scene: Scene) -> Reading | None:
    """What the verdicts on options say that a field of any name holds."""
    if isinstance(value, dict):
        return _by_verdicts(value.items(), scene)
    if isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
        return _of_list(value, scene, 0) if len(value) > 1 else None
    return None


def _pair(entry: Mapping[str, Any], scene: Scene) -> tuple[str, Any] | None:
    """The name of an option and its verdict in an entry of a list."""
    if len(entry) == 1:
        return next(iter(entry.items()))
    names = [one for one in entry.values() if isinstance(one, str) and _position(one, scene) >= 0]
    about = [one for key, one in entry.items() if _bears(key, scene)]
    marks: list[Any] = [one for one in about if isinstance(one, bool)]
    marks = marks or [one for one in about if _mark(one) is not None]
    marks = marks or [one for one in about if isinstance(one, (int, float))]
    return (names[0], marks[0]) if names and len(marks) == 1 else None


def _of_field(key: str, value: Any, scene: Scene, depth: int) -> Reading | None:
    """What the value of an answer's field says."""
    if value is None:
        meant = any(meaning_of(text) is not None for text in scene.options.texts)
        return None if meant else Reading("none", (), "null", None, _INDEX)
    if isinstance(value, (dict, list)):
        return _reading(value, scene, depth + 1)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    if _POSITION.search(key) and isinstance(value, int) and scene.labels.letters:
        inside = 0 <= value < len(scene.options.texts)
        return Reading("answer", (value,), "json_index", None, _INDEX) if inside else None
    position = _position(str(value), scene)
    return Reading("answer", (position,), "json", None, _SURE) if position >= 0 else None


def _by_verdicts(pairs: Iterable[tuple[Any, Any]], scene: Scene) -> Reading | None:
    """The one option that is approved, or the likeliest, where each has a verdict or a chance."""
    given = [(_position(str(key), scene), value) for key, value in pairs]
    positions = [position for position, _ in given]
    if len(given) < 2 or min(positions) < 0 or len({*positions}) < len(positions):
        return None
    marks = _marks([value for _, value in given], scene)
    if None not in marks:
        if marks.count(True) == 1:
            return Reading("answer", (positions[marks.index(True)],), "json", None, _SURE)
        if scene.asks_not and marks.count(False) == 1 and len(marks) == len(scene.options.texts):
            return Reading("answer", (positions[marks.index(False)],), "json", None, _SURE)
        rejected = not any(marks) and len(positions) == len(scene.options.texts)
        return Reading("none", (), "all_rejected", None, _FAIR) if rejected else None
    chances = [value for _, value in given if isinstance(value, (int, float)) and value <= _WHOLE]
    if len(chances) < len(given) or not any(abs(sum(chances) / whole - 1) < _ROUNDED
                                            for whole in (1, 100)):  # fmt: skip
        return None
    highest = max(chances)
    if chances.count(highest) > 1:
        return None
    return Reading("answer", (positions[chances.index(highest)],), "json", None, _SURE)


def _marks(values: Sequence[Any], scene: Scene) -> list[bool | None]:
    """The verdict of each value; of records that hold several, that of the one field which tells
    one of them from all others."""
    marks = [_mark(value, scene) for value in values]
    if None not in marks or not all(isinstance(value, dict) for value in values):
        return marks
    shared = set.intersection(*(set(value) for value in values))
    told = []
    for key in (one for one in shared if _bears(one, scene)):
        said = [_mark(value[key]) for value in values]
        odd = said.count(True) == 1 or (scene.asks_not and said.count(False) == 1)
        if None not in said and odd:
            told.append(said)
    return [*told[0]] if len(told) == 1 else marks


def _bears(key: Any, scene: Scene) -> bool:
    """Whether a field is called a verdict, or by a word of the question."""
    words = {*stems(_key(key))}
    asked = {*stems(scene.question.lower())} if scene.question else words
    return _CALLS.search(_key(key)) is not None or bool(words & asked)


def _mark(value: Any, scene: Scene | None = None) -> bool | None:
    """A verdict; None for anything else."""
    if isinstance(value, dict):
        about = ((key, one) for key, one in value.items() if scene is None or _bears(key, scene))
        marks = [one for _, one in about if isinstance(one, bool)]
        return marks[0] if len(marks) == 1 else None
    if isinstance(value, bool):
        return value
    word = value.strip(" .!").lower() if isinstance(value, str) else ""
    if word in _YES or word in _NO:
        return word in _YES
    last = _LAST.search(word)
    return last["yes"] is not None if last else None


def _texts_named(fields: Mapping[str, Any], scene: Scene) -> set[int]:
    """The options whose texts are values of fields that are no options themselves."""
    texts = [text.strip().casefold() for text in scene.options.texts]
    said = {
        value.strip().casefold()
        for key, value in fields.items()
        if isinstance(value, str) and _position(key, scene) < 0
    }
    return {position for position, text in enumerate(texts) if text and text in said}


def _position(text: str, scene: Scene) -> int:
    """The option that a text is, by label, by text, or by both; -1 for none, or several."""
    options = scene.options.texts
    said = text.strip()
    found = exact(said, options, scene.labels) or exact(said.upper(), options, scene.labels)
    if found is not None:
        return found.positions[0] if found.positions else -1
    fits = [i for i, one in enumerate(options) if one.strip().casefold() == said.casefold() != ""]
    return fits[0] if len(fits) == 1 else -1


def _key(key: object) -> str:
    """A key in lower case, its words apart."""
    return re.sub(r"[_\s-]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(key))).strip().lower()

"""Which field holds what, guessed from the names and values that benchmarks use.

A guess is made only where it is safe: the names are in common use for one thing, and every value
that is looked at fits. What is not safe is an error that gives the `--map` to type. Fields that
have our own names, or that the user maps, are never guessed about.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from horsesense.errors import UsageError
from horsesense.items.fields import (
    FIELDS,
    LETTERS,
    in_one_cell,
    option_lists,
    options_named,
    whole_number,
)  # fmt: skip
from horsesense.items.files import Row
from horsesense.stats.words import plural


def _listed(text: str) -> tuple[str, ...]:
    return tuple(text.split(", "))


QUESTION: Final = _listed(
    "question, prompt, input, query, question stem, stem, problem, ctx, goal, instruction, sentence"
)
OPTIONS: Final = ("options", "choices", "candidates", "alternatives", "endings", "answer choices")
ANSWER: Final = _listed(
    "answer, answer key, target, gold, label, correct answer, answer idx, answer index, gold "
    "index, correct, correct option, cop, solution, correct answer index, correct choice, "
    "gold label"
)
CONTEXT: Final = ("context", "passage", "article", "support", "premise", "paragraph", "story",
                  "document", "dialogue")  # fmt: skip
SUBJECT: Final = ("subject", "category", "topic", "subject name", "domain")
ID: Final = _listed(
    "id, question id, qid, uid, idx, item id, ref, item ref, question ref, uuid, guid, identifier"
)
TEXT: Final = ("text", "sentence", "content", "review", "tweet", "utterance", "premise")
PAIRS: Final = (("premise", "hypothesis"), ("sentence1", "sentence2"), ("text1", "text2"),
                ("question1", "question2"), ("context1", "context2"), ("text 1", "text 2"),
                ("sentence 1", "sentence 2"), ("context 1", "context 2"),
                ("#1 string", "#2 string"))  # fmt: skip
WORD: Final = ("word", "target word", "lemma")
"""The word of which a pair of sentences is asked."""
CLASS: Final = ("label", "class", "category", "sentiment", "intent", "target", "gold label",
                "quality")  # fmt: skip
MOST_ANSWERS: Final = 20
"""Different values up to which a field `answer` without options may be a label (LegalBench)."""
COLUMNS: Final = (
    re.compile(r"([A-J])", re.IGNORECASE),
    re.compile(r"(?:option|choice|answer|opt|op)[ ]?\(?([a-j])\)?"),
    re.compile(r"(?:option|choice|answer|ending|sol|solution|opt)[ ]?([0-9])"),
)
"""Names of columns that hold one option each; the group says which."""
RIGHT: Final = (
    "correct answer",
    "right answer",
    "answer",
    "best answer",
    "correct option",
    "correct",
)
WRONG: Final = re.compile(
    r"(?:incorrect answer|wrong answer|distractor|incorrect|wrong)[ ]?([0-9])"
)
ABOUT_GOLD: Final = re.compile(r"\b(?:answers?|correct|gold|key|right|solution|truth)\b")
LOOKED_AT: Final = 2_000
WORDS: Final = 4
"""Words from which a text that nothing reads is told of."""
UNUSED: Final = 5
"""Such fields that are named."""
OWN: Final = ("answer_index", "answer_number", "answer")
"""Our names of the right answer."""


class Layout(NamedTuple):
    """A guess: our names -> the file's, and what it leaves open.

    Attributes:
        renamed: our names -> the file's.
        answers: what right answers in `answer` are, such as "letters"; "" where not looked at.
        rivals: fields that name a right answer too, but are not the one that is read.
        unused: fields with texts in most rows that nothing reads.
        perhaps_gold: where no right answer was recognised, fields whose names speak of one.
    """

    renamed: Mapping[str, str]
    answers: str = ""
    rivals: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    perhaps_gold: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """The guess in one line; "" where there is nothing to tell."""
        told = ", ".join(f"{ours}={theirs}" for ours, theirs in self.renamed.items())
        parts = [f"fields taken as {told}"] if told else []
        parts += [self.answers] if self.answers else []
        parts += [f"not used: {', '.join(self.unused)}"] if self.unused else []
        line = "; ".join(parts)
        said = [f"{line[0].upper()}{line[1:]} (--map says otherwise)."] if line else []
        if self.perhaps_gold:
            named = " or ".join(f"--map answer={shlex.quote(name)}" for name in self.perhaps_gold)
            said.append(f"No right answer was recognised. Where a field holds it, type {named}.")
        return " ".join(said)


def guess(source: str, rows: Sequence[Row], given: Mapping[str, str]) -> Layout:
    """How the rows are laid out, beyond what the user's map and our own names say.

    Raises UsageError where a right answer can be read in two ways.
    """
    names: dict[str, None] = {}
    for row in rows[:LOOKED_AT]:
        names.update(dict.fromkeys(row))
    guessing = _Guess(source, rows[:LOOKED_AT], names, given)
    return guessing.layout()


class _Guess:
    def __init__(
        self, source: str, rows: Sequence[Row], names: Mapping[str, None], given: Mapping[str, str]
    ) -> None:
        self.source = source
        self.rows = rows
        self.given = given
        mapped = {part for theirs in given.values() for part in (theirs, *theirs.split("+"))}
        self.free = [name for name in names if name not in mapped]
        self.plain = {plain_name(name): name for name in reversed(self.free)}
        self.known = {ours for ours in ("question", "options", "text", "text_a", "label", *OWN)
                      if ours in names or ours in given}  # fmt: skip

    def layout(self) -> Layout:
        """The fields, and what they leave open."""
        renamed = dict(self.fields())
        taken = {ours: ours for ours in FIELDS if ours in self.free} | renamed | dict(self.given)
        if not taken.keys() >= {"question", "options"}:
            return Layout(renamed)
        gold = next((taken[ours] for ours in (*OWN, "label") if ours in taken), None)
        used = {part for v in taken.values() for part in (v, *v.split(","), *v.split("+"))}
        rivals = tuple(
            name for plain, name in self.plain.items() if plain in ANSWER and name != gold
            and name not in taken["options"].split(",")
        )  # fmt: skip
        unused = [name for name in self.free if name not in used and name not in rivals]
        return Layout(
            renamed,
            self._read_as(taken),
            rivals if gold else (),
            tuple(name for name in unused if self._is_text(name))[:UNUSED],
            () if gold else tuple(name for name in unused if ABOUT_GOLD.search(plain_name(name))),
        )

    def _read_as(self, taken: Mapping[str, str]) -> str:
        """What the right answers are, where a field may hold letters or texts."""
        ours = next((ours for ours in OWN if ours in taken), "")
        theirs, options = taken.get(ours), taken["options"]
        if ours != "answer" or theirs is None or theirs in options.split(","):
            return ""
        shown = [(str(row[theirs]).strip(), *_shown(row, options)) for row in self.rows
                 if isinstance(row.get(theirs), str)]  # fmt: skip
        letters = sum(value.strip("().").upper() in labels for value, _, labels in shown)
        texts = sum(value in (text.strip() for text in texts) for value, texts, _ in shown)
        counts = {"the letters of options": letters, "the texts of options": texts}
        kinds = [kind for kind, n in counts.items() if n]
        return f"right answers in {theirs} are {' or '.join(kinds)}" if kinds else ""

    def _is_text(self, name: str) -> bool:
        """Whether a field holds a text of several words, or one of a context, in most rows."""
        values = [row.get(name) for row in self.rows]
        texts = [value for value in values if isinstance(value, str) and value.strip()]
        context = plain_name(name) in CONTEXT
        wordy = sum(context or len(text.split()) >= WORDS for text in texts)
        return 2 * wordy > len(values)

    def fields(self) -> Iterator[tuple[str, str]]:
        """(our name, theirs), in the order in which they are told."""
        question = None if "question" in self.known else self._first(QUESTION)
        options, right = self._options()
        if (question or "question" in self.known) and (options or "options" in self.known):
            if question:
                yield "question", question
            if options:
                yield "options", options
            yield from self._answer(options, right, {question, options})
            yield from self._others()
        elif not options and "options" not in self.known and (found := list(self._answered())):
            yield from found
        elif not self.known & {"text", "text_a"} and "question" not in self.known:
            yield from self._classification()
        elif "text_a" in self.known and "target" not in self.free:
            yield from self._word()

    def _first(self, wanted: Sequence[str]) -> str | None:
        return next((self.plain[name] for name in wanted if name in self.plain), None)

    def _options(self) -> tuple[str | None, str | None]:
        """The field of options, or several columns, and the column that holds the right one."""
        if "options" in self.known:
            return None, None
        field = self._first(OPTIONS)
        if field is not None:
            return field, None
        wrong = [name for name in self.free if WRONG.fullmatch(plain_name(name))]
        right = self._first(RIGHT)
        if wrong and right and not any("," in name for name in (right, *wrong)):
            return ",".join([right, *wrong]), right
        columns = option_columns(self.free)
        return (",".join(columns), None) if columns else (None, None)

    def _answer(
        self, options: str | None, right: str | None, used: set[str | None]
    ) -> Iterator[tuple[str, str]]:
        """What the right answer's field is called, and whether it counts, from 0 or from 1."""
        if right is not None:
            yield "answer", right
            return
        if self.known & {"answer_index", "answer_number"} or "label" in self.given:
            return
        theirs = self.given.get("answer") or self.plain.get("answer") or self._first(ANSWER)
        if theirs is None or theirs in used:
            return
        ours = self._counted(theirs, options or self.given.get("options", "options"))
        if ours not in (theirs, *self.given):
            yield ours, theirs

    def _counted(self, theirs: str, options: str) -> str:
        """Our name for a right answer: the one by which most rows can be read.

        Letters and texts go before numbers; UsageError where 0 and 1 fit equally many rows.
        """
        seen = [
            (row[theirs], *_shown(row, options)) for row in self.rows if row.get(theirs) is not None
        ]
        numbers = [(whole_number(value), len(texts)) for value, texts, _ in seen]
        from_0, from_1 = (
            sum(n is not None and first <= n < k + first for n, k in numbers) for first in (0, 1)
        )
        if sum(len(options_named(*each)) == 1 for each in seen) >= max(from_0, from_1):
            return "answer"
        if from_0 != from_1:
            return "answer_index" if from_0 > from_1 else "answer_number"
        raise UsageError(
            f"{self.source}: {theirs} may count from 0 or from 1; either fits"
            f" {from_0:,} of {plural(len(seen), 'row')}.",
            hint=f"Type --map answer_index={theirs} (the first is 0) or"
            f" --map answer_number={theirs} (the first is 1).",
        )

    def _others(self) -> Iterator[tuple[str, str]]:
        for ours, wanted in (("context", CONTEXT), ("subject", SUBJECT), ("id", ID)):
            theirs = identifier(self.free, self.rows) if ours == "id" else self._first(wanted)
            if theirs is None or theirs == ours or ours in self.given:
                continue
            if ours != "id" and not all(isinstance(r.get(theirs), str | None) for r in self.rows):
                continue
            yield ours, theirs

    def _classification(self) -> Iterator[tuple[str, str]]:
        label = "label" if "label" in self.known else self._first(CLASS)
        if label is None:
            return
        pair = next((p for p in PAIRS if all(name in self.plain for name in p)), None)
        text = self._first(TEXT)
        if pair is not None:
            yield "text_a", self.plain[pair[0]]
            yield "text_b", self.plain[pair[1]]
            yield from self._word()
        elif text is not None and text != label:
            yield "text", text
        else:
            return
        if label != "label":
            yield "label", label

    def _word(self) -> Iterator[tuple[str, str]]:
        word = self._first(WORD)
        if word is not None and "target" not in self.given:
            yield "target", word

    def _answered(self) -> Iterator[tuple[str, str]]:
        """Texts with a class in `answer` and their number in `index`, as LegalBench has them.

        All other fields with texts belong to what is asked.
        """
        if not {"answer", "index"} <= self.plain.keys() or {"text", "label"} & set(self.given):
            return
        values = {str(row.get(self.plain["answer"])).strip() for row in self.rows}
        if not 2 <= len(values) <= max(2, min(MOST_ANSWERS, len(self.rows) // 2)):
            return
        others = [
            name for name in self.free if plain_name(name) not in ("answer", "index", "slice")
        ]
        texts = [n for n in others if any(isinstance(row.get(n), str) for row in self.rows)]
        texts.sort(key=lambda name: plain_name(name) == "question")  # what is asked comes last
        if not texts or any(mark in name for name in texts for mark in "+,"):
            return
        fields = {"text": "+".join(texts), "label": self.plain["answer"]}
        if len({row.get(self.plain["index"]) for row in self.rows}) == len(self.rows):
            fields["id"] = self.plain["index"]
        yield from ((o, t) for o, t in fields.items() if o != t and o not in self.given)


def identifier(names: Iterable[str], rows: Sequence[Row]) -> str | None:
    """The field that names items: by its own name, with another short value in each row."""
    plain = {plain_name(name): name for name in names}
    for wanted in ID:
        values = [row.get(plain[wanted]) for row in rows] if wanted in plain else []
        fit = all(
            type(value) is int or (isinstance(value, str) and value.strip()) for value in values
        )
        if values and fit and len(set(values)) == len(values):
            return plain[wanted]
    return None


def option_columns(names: Iterable[str]) -> list[str]:
    """The columns that hold one option each, in order; none where the names do not say so."""
    for pattern in COLUMNS:
        found = {name: pattern.fullmatch(plain_name(name)) for name in names}
        matched = {name: match[1] for name, match in found.items() if match}
        columns = sorted(matched, key=matched.__getitem__)
        if len(columns) > 1 and not any("," in name for name in columns):
            return columns
    return []


def plain_name(name: str) -> str:
    """A field's name without case, and words separated in one way."""
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])|\(s\)\s*$", " ", name).strip()
    return " ".join(re.split(r"[\s_-]+", spaced)).lower()


def _shown(row: Row, options: str) -> tuple[list[str], tuple[str, ...]]:
    """Texts and labels of a row's options."""
    columns = options.split(",")
    if len(columns) > 1:
        texts: Any = [row[c] for c in columns if row.get(c) is not None]
        labels: Sequence[Any] = ()
    else:
        texts, labels = option_lists(in_one_cell(row.get(options)))
    listed = [str(text) for text in texts] if isinstance(texts, list | tuple) else []
    return listed, tuple(map(str, labels)) or LETTERS[: len(listed)]

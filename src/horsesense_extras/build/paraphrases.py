"""Questions in other words, written by a model, for the probe `paraphrase`.

Each version is asked for in a way of its own ("plainer words", "another order of its parts"): a
model that is decoded greedily, as local ones are, gives the same answer to the same prompt however
often it is asked. The prompt template names the ways.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from horsesense.errors import UsageError
from horsesense.inference.limits import RunSummary
from horsesense.inference.store import Store
from horsesense.items.item import Item, ItemSet, normalised
from horsesense.items.rows import row_of
from horsesense.models.base import Model
from horsesense.models.messages import Response
from horsesense.probes.base import show
from horsesense.probes.perturbations import LATEX
from horsesense.readers.text import REFUSAL
from horsesense.rng import Dice
from horsesense.trials.condition import PLAIN
from horsesense.trials.extras import Rewording
from horsesense.trials.trial import Trial
from horsesense_extras.build.asking import Asker, How

SLACK: Final = 20
"""Characters by which a rewording may pass three times the length of a short question."""

_ANNOUNCED = re.compile(
    r"(?:(?:sure|certainly|of course|okay|ok)\b[,.!:]*\s*)?\*{0,2}"
    r"(?:here(?:['’]s| is)\b[^\n:?]{0,80}"
    r"|(?:(?:a|the|your) )?(?:re(?:worded|phrased|written|formulated)|paraphrased?|new)"
    r"(?: (?:question|version|sentence|text))?"
    r"|question)\*{0,2}:\*{0,2}\s*",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "„": "“", "«": "»", "`": "`"}


def unwrapped(reply: str, question: str) -> str:
    """A reply without what announces or encloses the rewording, as long as it is clearly that.

    >>> unwrapped('Here is a paraphrase: "What do 2 and 2 make?"', "What is 2 + 2?")
    'What do 2 and 2 make?'
    """
    text = reply.strip()
    if not _ANNOUNCED.match(question):
        text = text[match.end() :] if (match := _ANNOUNCED.match(text)) else text
    for opening, closing in _QUOTES.items():
        inner = text[1:-1]
        whole = text[:1] == opening and text[-1:] == closing and not {opening, closing} & {*inner}
        if len(text) > 2 and whole and question[:1] != opening:
            return inner.strip()
    return text


def why_refused(item: Item, text: str, others: Iterable[str] = ()) -> str | None:
    """Why `text` cannot replace the item's question; None if its form allows it.

    >>> item = Item("q", "How much is 2 + 3?", ("5", "6"), 0)
    >>> why_refused(item, "What is the sum of 2 and 3?"), why_refused(item, "What is 2 + 4?")
    (None, 'its numbers differ')

    Args:
        others: rewordings that were accepted before.
    """
    for reason, fails in CHECKS.items():
        if fails(item, text):
            return reason
    said = normalised(text)
    return "it equals another version" if said in map(normalised, others) else None


Check = Callable[[Item, str], bool]
"""Whether a text cannot replace the question of an item."""


def _unlike(found: Callable[[str], object]) -> Check:
    """True if question and text differ in what `found` finds in them."""
    return lambda item, text: found(item.question) != found(text)


_NUMBER = re.compile(r"(?:(?<!\w)[-−])?\d+(?:[.,]\d+)*%?")
_LETTER = re.compile(r"(?<![\w'’])[^\W\d_](?![\w'’])")
_WORD = re.compile(r"\w+")
_BLANK = re.compile(r"_{2,}")
_QUOTED = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”")
_LISTED = re.compile(r"(?<!\w)\(?[A-J][).:](?=\s)")
_NEGATION = re.compile(
    r"\b(?:not|cannot|no|none|never|neither|nor|without|except|excluding|exception|least|lacks?"
    r"|false|untrue|incorrect|wrong|unlikely|fails?)\b|n['’]t\b",
    re.IGNORECASE,
)


def _numbers(text: str) -> set[str]:
    return {match.replace(",", "") for match in _NUMBER.findall(text)}


def _formulas(text: str) -> set[str]:
    return {"".join(match.group().split()) for match in LATEX.finditer(text)}


def _quotations(text: str) -> set[str]:
    return {normalised(plain or curly) for plain, curly in _QUOTED.findall(text)}


def _symbols(text: str) -> Iterator[str]:
    """Single letters that are not words: variables, and names as in "vitamin A"."""
    for match in _LETTER.finditer(text):
        letter, before = match.group(), text[: match.start()].rstrip()
        begins = not before or before[-1] in ".?!:|"
        is_word = letter in ("a", "I") or (letter == "A" and begins)
        if letter.lower() != letter.upper() and not is_word:
            yield letter


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _names_an_option(item: Item, text: str) -> bool:
    """True if it holds an option that the question does not hold; single signs are too common."""
    asked, said = _words(item.question), _words(text)
    options = (words for words in map(_words, item.options) if len(words) > 3)
    return any(words in said and words not in asked for words in options)


def _lists(item: Item, text: str) -> bool:
    return len(_LISTED.findall(text)) > max(1, len(_LISTED.findall(item.question)))


def _lines(text: str) -> int:
    return sum(bool(line.strip()) for line in text.splitlines())


CHECKS: Final[dict[str, Check]] = {
    "it is empty": lambda item, text: not any(map(str.isalnum, text)),
    "it declines": lambda item, text: bool(REFUSAL.search(text.lower())),
    "it is the question itself": lambda item, text: normalised(text) == normalised(item.question),
    "it has more lines": lambda item, text: _lines(text) > max(1, _lines(item.question)),
    "it is less than a third as long": lambda item, text: (
        3 * len(text) + SLACK < len(item.question)
    ),
    "it is over three times as long": lambda item, text: len(text) > 3 * len(item.question) + SLACK,
    "its formulas differ": _unlike(_formulas),
    "its numbers differ": _unlike(_numbers),
    "a single letter is gone": lambda item, text: (
        not {*_symbols(item.question)} <= {*_symbols(text)}
    ),
    "its quotations differ": _unlike(_quotations),
    "its blanks differ": _unlike(lambda text: len(_BLANK.findall(text))),
    "it lists options": _lists,
    "it names an option": _names_an_option,
    "a negation came or went": _unlike(lambda text: bool(_NEGATION.search(text))),
    "it asks nothing": lambda item, text: "?" in item.question and "?" not in text,
}
"""Reason -> whether a text is refused for it; the first that holds is reported."""


ROUNDS: Final = 2
"""What was refused in the first round is asked for once more, in other ways."""
STARTS: Final = 840
"""An item's ways begin at a number below this, which 1 to 8 ways divide."""
CUT_OFF: Final = "it was cut off"
NO_ANSWER: Final = "there was no answer"


@dataclass
class Paraphrased:
    """What was written and what of it was accepted.

    Attributes:
        items: the set.
        versions: how many were wanted of each item.
        accepted: item id -> rewordings, in the order they were asked for.
        refused: reason -> answers that were refused for it, or that did not come.
        spent: requests and tokens.
    """

    items: ItemSet
    versions: int
    accepted: dict[str, list[str]]
    refused: Counter[str] = field(default_factory=Counter)
    spent: RunSummary = field(default_factory=RunSummary)

    def wanted(self, done: int) -> Iterator[tuple[Item, int]]:
        """Item and number of every rewording that is still missing, the numbers from `done` up."""
        for item in self.items:
            missing = self.versions - len(self.accepted[item.id])
            yield from ((item, done + number) for number in range(missing))

    def take(self, item: Item, answer: Response | None) -> None:
        """Accept an answer, or count why not."""
        accepted = self.accepted[item.id]
        if answer is None or answer.finish_reason == "length":
            self.refused[NO_ANSWER if answer is None else CUT_OFF] += 1
            return
        text = unwrapped(answer.text, item.question)
        reason = why_refused(item, text, accepted)
        if reason is None:
            accepted.append(text)
        else:
            self.refused[reason] += 1

    def rows(self) -> list[dict[str, Any]]:
        """The items with their `paraphrases`; those that had some have the new ones alone."""
        return [
            {**row_of(item, "choice"), "paraphrases": self.accepted[item.id]} for item in self.items
        ]

    def counts(self) -> dict[str, int]:
        """Items by what they have now, and rewordings."""
        numbers = [len(texts) for texts in self.accepted.values()]
        return {
            "items": len(numbers),
            "paraphrases": sum(numbers),
            "items_with_all": sum(n == self.versions for n in numbers),
            "items_with_none": numbers.count(0),
        }


async def paraphrase(
    items: ItemSet,
    model: Model,
    folder: Path,
    *,
    versions: int = 4,
    seed: int = 0,
    how: How = How(),  # noqa: B008
) -> Paraphrased:
    """Ask a model for `versions` rewordings of each question and keep those of sound form.

    The answers are stored in `folder`, so that the same call asks only what has no answer there.

    Raises:
        UsageError: before anything is spent.
        ModelError: the model cannot be reached.
        StoreError: `folder` cannot be used.
        InterruptedRunError: after Ctrl-C; the same call resumes.
    """
    if items.kind != "choice":
        raise UsageError(
            f"{items.name} contains texts with labels; only questions with options are paraphrased."
        )
    if versions < 1:
        raise UsageError(f"versions is {versions}; it must be at least 1.")
    found = Paraphrased(items, versions, {item.id: [] for item in items})
    with Store.open(folder / "store.sqlite") as store:
        async with model as writer:
            if (check := getattr(writer, "check", None)) is not None:
                check(items)
            asker = await Asker.for_model(writer, store, how)
            for number in range(ROUNDS):
                wanted = list(found.wanted(number * versions))
                trials = [rewording(item, place, seed) for item, place in wanted]
                answers = await asker.answers(trials, "paraphrasing")
                for (item, _), answer in zip(wanted, answers, strict=True):
                    found.take(item, answer)
                found.spent = asker.spent
                if found.spent.stopped is not None:
                    break
    return found


def rewording(item: Item, number: int, seed: int = 0) -> Trial:
    """The request for rewording `number` of an item, from 0.

    It shows the question alone. Each item begins at another way, by chance, so that no version is
    one way of rewording for all items.
    """
    way = Dice(seed, item.id, "paraphrase").below(STARTS) + number
    return Trial(
        "paraphrase",
        PLAIN,
        number,
        (show(item, "choice"),),
        answer_format="rewording",
        form="paraphrase",
        extras=Rewording(way),
        sample=number,
    )

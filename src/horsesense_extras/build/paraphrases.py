"""Questions in other words, written by a model, for the probe `paraphrase`.

Each version is asked for in a way of its own ("plainer words", "another order of its parts"): a
model that is decoded greedily, as local ones are, gives the same answer to the same prompt however
often it is asked. The prompt template names the ways.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from horsesense.errors import UsageError
from horsesense.inference.limits import RunSummary
from horsesense.inference.store import Store
from horsesense.items.item import Item, ItemSet
from horsesense.items.rows import row_of
from horsesense.models.base import Model
from horsesense.models.messages import Response
from horsesense.probes.base import show
from horsesense.rng import Dice
from horsesense.trials.condition import PLAIN
from horsesense.trials.extras import Rewording
from horsesense.trials.trial import Trial
from horsesense_extras.build.asking import Asker, How
from horsesense_extras.build.rewordings import unwrapped, why_refused

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

"""What each training of an experiment learns, and how much of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from horsesense.errors import UsageError
from horsesense.items.item import Item
from horsesense.models.messages import Request, SamplingParams
from horsesense.prompts import Prompter
from horsesense.rng import Dice
from horsesense.stats.words import plural
from horsesense_extras.build.stages import ALONE, STAGED_CONTROL, text_of, texts, tuning
from horsesense_extras.build.statements import Parts, Statement, asked, passes
from horsesense_extras.models.hf.tuning import Encoded, count, encode
from horsesense_extras.models.hf.weights import Weights, without_bars
from horsesense_extras.training.experiment import MOST_PASSES, Effort, Experiment

if TYPE_CHECKING:
    from horsesense_extras.models.hf.tokens import Tokens


class Learned(NamedTuple):
    """What is learned at a time.

    Attributes:
        example: its tokens.
        item: which it is about; None for random text.
        statement: what it states; None where it states nothing.
    """

    example: Encoded
    item: Item | None
    statement: Statement | None


@dataclass(frozen=True)
class Lessons:
    """The statements of all trainings, in the tokens of the base.

    Attributes:
        experiment: what is trained.
        weights: the base.
        parts: the items.
    """

    experiment: Experiment
    weights: Weights
    parts: Parts

    @property
    def items(self) -> Sequence[Item]:
        """Those to train on."""
        return self.parts.train.items

    @cached_property
    def _tokens(self) -> Tokens:
        from transformers import AutoTokenizer

        from horsesense_extras.models.hf.tokens import Tokens

        files = {"gguf_file": self.weights.gguf} if self.weights.gguf else {}
        with without_bars():
            made = AutoTokenizer.from_pretrained(
                self.weights.folder, trust_remote_code=False, **files
            )
        return Tokens(made)

    @cached_property
    def _prompter(self) -> Prompter:
        return Prompter("chat" if self._tokens.has_template else "completion")

    @cached_property
    def budget(self) -> int | None:
        """Tokens that each training may take: what is asked for, or what the shortest arm's passes
        take; None where statements are counted out.

        Raises:
            UsageError: more than `MOST_PASSES` are asked for.
        """
        e, items = self.experiment, len(self.items)
        if e.equal != "tokens":
            return None
        if e.tokens is None:
            return min(self._tokens_of(arm, e.epochs * items) for arm in e.arms)
        one = min(self._tokens_of(arm, items) for arm in e.arms)
        if e.tokens > MOST_PASSES * one:
            raise UsageError(
                f"--tokens is {e.tokens:,}: {e.tokens // one:,} passes over {items:,} items.",
                hint=f"Give {MOST_PASSES * one:,} at most.",
            )
        return e.tokens

    def _tokens_of(self, arm: str, statements: int) -> int:
        """Tokens of the first statements of an arm, of the first seed."""
        learned = islice(self._passes(arm, self.experiment.seed), statements)
        return count(one.example for one in learned)

    def _passes(self, arm: str, seed: int) -> Iterator[Learned]:
        for statement in passes(arm, self.items, seed):
            example = encode(self._tokens, *asked(statement, self._prompter))
            yield Learned(example, statement.item, statement)

    def _texts(self, arm: str, seed: int) -> list[Learned]:
        """Texts as they are read, without a prompt; of the control, as long ones at random."""
        told = list(texts(arm, self.items, self.experiment.epochs, seed))
        plain = Request(None, "", SamplingParams())
        made = {(one.item.id, one.right): encode(self._tokens, plain, text_of(one)) for one in told}
        if arm != STAGED_CONTROL:
            return [Learned(made[one.item.id, one.right], one.item, one) for one in told]
        pool = list(chain.from_iterable(one.reply[:-1] for one in made.values()))
        dealt = iter(Dice(seed, "", "random text").sample(pool, len(pool)))
        made = {
            of: Encoded(one.prompt, (*islice(dealt, len(one.reply) - 1), one.reply[-1]))
            for of, one in made.items()
        }
        return [Learned(made[one.item.id, one.right], None, None) for one in told]

    def _tuning(self, seed: int) -> list[Learned]:
        assert self.parts.tune is not None
        e = self.experiment
        texts = any(reader.startswith("option_text") for reader in e.readers)
        lead = " " if self._prompter.style == "completion" else ""
        return [
            Learned(
                encode(self._tokens, self._prompter.request(one.trial), lead + one.reply),
                one.item,
                None,
            )
            for one in tuning(self.parts.tune, e.tune_epochs, seed, texts=texts)
        ]

    def stages(self, arm: str, seed: int) -> list[list[Learned]]:
        """What a training learns, stage by stage.

        Raises:
            UsageError: not even one statement fits.
        """
        if not self.experiment.staged:
            return [self._statements(arm, seed)]
        read = [] if arm == ALONE else [self._texts(arm, seed)]
        return [*read, self._tuning(seed)]

    def _statements(self, arm: str, seed: int) -> list[Learned]:
        """The statements that fit into the tokens of a training, or so many of them.

        Raises:
            UsageError: not even one fits.
        """
        items = len(self.items)
        if self.budget is None:
            return list(islice(self._passes(arm, seed), self.experiment.epochs * items))
        found = fitted(self._passes(arm, seed), self.budget, items)
        if not found:
            raise UsageError(
                f"No statement fits into {plural(self.budget, 'token')}.",
                hint="Give more --tokens.",
            )
        return found

    def effort(self, stages: Sequence[Sequence[Learned]]) -> Effort:
        """What a training in these stages takes."""
        learned = list(chain.from_iterable(stages))
        return Effort(
            statements=len(learned),
            items=len({one.item.id for one in learned if one.item}),
            updates=sum(-(-len(stage) // self.experiment.recipe.batch) for stage in stages),
            tokens=count(one.example for one in learned),
            reply_tokens=sum(len(one.example.reply) for one in learned),
        )


def fitted(stream: Iterator[Learned], budget: int, items: int) -> list[Learned]:
    """Statements, in their order, that fit into a budget of tokens.

    One that is too long for what is left is passed over, since a shorter one may follow; so many
    are passed over as there are `items`, or fewer where none of a whole pass was that short.
    """
    found: list[Learned] = []
    left, shortest, passed = budget, budget, 0
    for number, one in enumerate(stream, 1):
        size = len(one.example)
        shortest = min(shortest, size)
        if size <= left:
            found.append(one)
            left -= size
        else:
            passed += 1
        if passed >= items or (number >= items and left < shortest):
            break
    return found

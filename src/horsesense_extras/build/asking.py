"""A model asked by build commands, and what it made written so that no correction is lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Literal, Self

from horsesense.errors import InterruptedRunError, UsageError
from horsesense.files import read_whole, write_whole
from horsesense.inference.limits import UNLIMITED, Limits, RunSummary
from horsesense.inference.probe import capabilities
from horsesense.inference.runner import run
from horsesense.inference.store import Store
from horsesense.models.base import Asked, Model, NeedsAnswerKey
from horsesense.models.messages import Key, Response
from horsesense.progress import progress
from horsesense.prompts import Prompter, Want
from horsesense.trials.trial import Trial


@dataclass(frozen=True)
class How:
    """How a model is asked, as a run has it: see `horsesense.runs.settings.Settings`."""

    temperature: float = 0.0
    templates: Path | None = None
    limits: Limits = UNLIMITED
    max_connections: int | None = None


@dataclass
class Asker:
    """Puts trials to one model.

    Attributes:
        model: one that is entered already.
        store: holds every answer, so that none is asked for twice.
        prompter: makes the requests.
        how: limits and connections.
        spent: requests and tokens so far.
    """

    model: Model
    store: Store
    prompter: Prompter
    how: How
    spent: RunSummary = field(default_factory=RunSummary)

    @classmethod
    async def for_model(cls, model: Model, store: Store, how: How = How()) -> Self:
        """Find out what the model offers, and ask it in that style.

        Raises:
            UsageError: it does not write text.
            ModelError: it cannot be reached.
        """
        offers, spent = await capabilities(model, store, how.limits)
        if not offers.text:
            raise UsageError(f"{model.name} does not write text.", hint="Choose a model that does.")
        style: Literal["chat", "completion"] = "chat" if offers.chat else "completion"
        prompter = Prompter(style, Want(temperature=how.temperature), folder=how.templates)
        return cls(model, store, prompter, how, spent)

    @property
    def greedy(self) -> bool:
        """Whether the same prompt brings the same answer, as far as it is up to us."""
        return self.prompter.want.temperature == 0

    async def answers(self, trials: Sequence[Trial], doing: str) -> list[Response | None]:
        """The answer to each trial; None where there is none.

        Args:
            doing: what is shown while it goes on.

        Raises:
            InterruptedRunError: after Ctrl-C; the same call resumes.
        """
        keys: list[Key] = []
        asks = self._asks(trials, keys)
        with progress(doing, len(trials)) as shown:
            spent = await run(
                asks,
                self.model,
                self.store,
                limits=self.how.limits,
                max_connections=self.how.max_connections,
                progress=shown,
            )
        for _ in asks:  # beyond the budget there may be stored answers
            pass
        self.spent += spent
        if spent.stopped == "interrupted":
            raise InterruptedRunError.after(self.spent.answered, "The same command continues.")
        found = self.store.get(keys)
        return [found.get(key) for key in keys]

    def _asks(self, trials: Sequence[Trial], keys: list[Key]) -> Iterator[Asked]:
        informed = self.model if isinstance(self.model, NeedsAnswerKey) else None
        for trial in trials:
            request = self.prompter.request(trial)
            key = request.key(self.model.identity)
            keys.append(key)
            if informed is None or informed.attach_trial(key, trial):
                yield Asked(key, request)


def refuse_if_corrected(out: Path, note: Path) -> None:
    """UsageError if `out` is there and not as `write_noted` wrote it."""
    if out.exists() and not (note.exists() and read_whole(note).decode() == _hash_of(out)):
        raise UsageError(
            f"{out} is not as this command wrote it.",
            hint="Choose another --out, or move the file away if nothing in it is to be kept.",
        )


def write_noted(out: Path, content: bytes, note: Path) -> None:
    """Write a file, and its hash to `note`."""
    write_whole(out, content)
    write_whole(note, _hash_of(out))


def _hash_of(path: Path) -> str:
    return blake2b(path.read_bytes(), digest_size=16).hexdigest()

"""Recorded answers as a model: `replay:FILE`.

Rows are matched by item id, model, probe, condition (a text or an object, its settings in any
order) and repetition. A trial without a recorded
answer is missing and counted, never substituted. An id that is not among the items, and a
recorded gold that differs from theirs, are errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from horsesense.errors import ItemsError, UsageError
from horsesense.items.files import Faults, load_rows
from horsesense.items.item import ItemSet
from horsesense.models.base import Asked, Capabilities
from horsesense.models.messages import UNATTACHED, Failure, Key, Request, Response
from horsesense.rng import digest
from horsesense.trials.condition import Condition
from horsesense.trials.trial import Trial


class Place(NamedTuple):
    """Where a recorded answer belongs."""

    item_id: str
    probe: str
    condition: Condition
    repetition: int


class Replay:
    """A model that repeats what was recorded.

    Args:
        path: JSONL of recorded responses (plain, .gz or .zst).
        model: which model's answers, where the file holds several.
    """

    batch_size = 512
    max_connections = 1

    def __init__(self, path: Path, model: str | None = None) -> None:
        self.path = path
        self._rows = list(load_rows(path))
        self.model = self._one_model(model)
        rows = [row for _, row in self._rows if self.model in (None, row.get("model"))]
        self._answers = dict(self._placed())
        if len(self._answers) < len(rows):
            raise ItemsError(
                str(path),
                [f"{len(rows) - len(self._answers)} rows repeat a trial that has an answer"],
                hint="Number repeated answers with `repetition`, or choose ?model=NAME.",
            )
        self.name = self.model or path.name
        self.identity = f"replay:{self.model or ''}@{digest(rows, 8).hex()}"
        self._answer_key: dict[Key, Place] = {}

    def _one_model(self, wanted: str | None) -> str | None:
        models = sorted({str(row["model"]) for _, row in self._rows if row.get("model")})
        if wanted is not None and wanted not in models:
            raise UsageError.unknown(f"model in {self.path}", wanted, models)
        if wanted is None and len(models) > 1:
            raise UsageError(
                f"{self.path} contains the answers of {len(models)} models.",
                hint=f"Choose one with replay:{self.path}?model=NAME: {', '.join(models)}.",
            )
        return wanted or (models[0] if models else None)

    def _placed(self) -> Iterator[tuple[Place, Mapping[str, Any]]]:
        """The rows of the model with their places; ItemsError for what is not a condition."""
        faults = Faults(str(self.path))
        for number, row in self._rows:
            if self.model in (None, row.get("model")):
                try:
                    yield _trial_of(row), row
                except (UsageError, ValueError, TypeError, OverflowError) as error:
                    faults.add(number, f"`condition`: {error}")
        faults.check("A condition looks like `place=kept, wording=above`.")

    def check(self, items: ItemSet) -> None:
        """Compare ids and golds with those of the items.

        Raises:
            ItemsError: recorded ids are not among the items, or have another gold.
        """
        faults = []
        for place, row in self._answers.items():
            item = items.by_id.get(place.item_id)
            if item is None:
                faults.append(f"id {place.item_id!r} is not among the items")
            elif not _same_gold(row, item.gold, item.options):
                faults.append(f"id {place.item_id!r} has a different gold answer: {row['gold']!r}")
        if faults:
            raise ItemsError(str(self.path), faults, hint="Are these the items that were asked?")

    def attach_trial(self, key: Key, trial: Trial) -> bool:
        place = Place(trial.variants[0].item_id, trial.probe, trial.condition, trial.repetition)
        recorded = place in self._answers and self._answers[place].get("response") is not None
        if recorded:
            self._answer_key.setdefault(key, place)
        return recorded

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._answer_key.clear()

    async def capabilities(self) -> Capabilities:
        scored = any("top_logprobs" in r or "letter_scores" in r for r in self._answers.values())
        return Capabilities(chat=True, completion=True, top_logprobs=20 if scored else 0)

    def count_tokens(self, request: Request) -> int | None:
        return None

    async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
        return [self._answer(asked.key) for asked in batch]

    def _answer(self, key: Key) -> Response | Failure:
        if key not in self._answer_key:
            return UNATTACHED
        row = self._answers[self._answer_key[key]]
        return Response(
            text=str(row["response"]),
            finish_reason=row.get("finish_reason"),
            token_logprobs=_token_logprobs(row),
            served_by=row.get("model"),
        )


def from_spec(rest: str) -> Replay:
    """From `FILE` or `FILE?model=NAME`."""
    path, _, model = rest.partition("?model=")
    return Replay(Path(path), model or None)


def _trial_of(row: Mapping[str, Any]) -> Place:
    return Place(
        item_id=str(row.get("item_id", row.get("id"))),
        probe=str(row.get("probe") or "original"),
        condition=_condition(row.get("condition")),
        repetition=int(row.get("repetition") or 0),
    )


def _condition(recorded: str | Mapping[str, Any] | None) -> Condition:
    if isinstance(recorded, Mapping):
        return Condition(**recorded)
    return Condition.parse(recorded or "")


def _token_logprobs(row: Mapping[str, Any]) -> tuple[Mapping[str, float], ...]:
    """Recorded scores of the first token; logits are as good as log-probabilities to compare."""
    scores = row.get("top_logprobs") or row.get("letter_scores")
    if not scores:
        return ()
    token_logprobs = scores if isinstance(scores, list) else [scores]
    return tuple({str(t): float(lp) for t, lp in position.items()} for position in token_logprobs)


def _same_gold(row: Mapping[str, Any], gold: int | None, options: Sequence[str]) -> bool:
    """Whether the recorded gold, as a letter or a text, is the item's; True where none is."""
    recorded = row.get("gold")
    if recorded is None or gold is None:
        return True
    text = str(recorded).strip().casefold()
    return text in ("abcdefghijklmnopqrstuvwxyz"[gold], options[gold].strip().casefold())

"""Recorded answers as a model: `replay:FILE`.

Rows are matched by item id, model, probe, condition (a text or an object, its settings in any
order) and repetition. A trial without a recorded answer is missing and counted, never substituted.
An id that is not among the items, and a recorded gold that differs from theirs, are errors.

A row that says which options were shown (`options`, and `labels` if they were not A, B, C) is put
to the trial by content: the trial then shows them in that order. Other options than the item's are
an error. Logs of other programs (docs/logs.md) always say it, and are matched to the items by
content alone: their first answer to an item is that to the original.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from string import ascii_lowercase
from typing import Any, NamedTuple

from horsesense.errors import ItemsError, UsageError
from horsesense.items.faults import Faults
from horsesense.items.files import Row, load_rows
from horsesense.items.item import ItemSet
from horsesense.items.own_order import own_order
from horsesense.models.base import Asked, Capabilities, HoldsNothing
from horsesense.models.messages import UNATTACHED, Failure, Key, Response, ended_by, no_reply
from horsesense.progress import say
from horsesense.rng import digest
from horsesense.side import side
from horsesense.stats.words import plural, some_of
from horsesense.trials.condition import PLAIN, Condition
from horsesense.trials.trial import Trial


class ReplyPlace(NamedTuple):
    """Where a recorded answer belongs."""

    item_id: str
    probe: str
    condition: Condition
    repetition: int


class Replay(HoldsNothing):
    """A model that repeats what was recorded.

    Args:
        path: JSONL of recorded responses (plain, .gz or .zst).
        model: which model's answers, where the file holds several.
    """

    batch_size = 512
    max_connections = 1

    def __init__(self, path: Path, model: str | None = None) -> None:
        self.path = path
        self._is_log = side("logs", "is_log")(path)
        found = list(side("logs", "rows")(path) if self._is_log else load_rows(path))
        self.model = self._one_model(found, model)
        self._rows = [one for one in found if self.model in (None, one[1].get("model"))]
        rows = [
            {name: value for name, value in row.items() if name != "sample"}
            for _, row in self._rows
        ]
        self._answers = dict(self._placed())
        if len(self._answers) < len(rows):
            twice = plural(
                len(rows) - len(self._answers), "row", "repeat a trial that has an answer"
            )
            hint = "Number repeated answers with `repetition`, or choose ?model=NAME."
            raise ItemsError(str(path), [twice], hint=hint)
        self.name = self.model or path.name
        self.identity = f"replay:{self.model or ''}@{digest(rows, 8).hex()}"
        self._answer_key: dict[Key, ReplyPlace] = {}

    def _one_model(self, rows: Iterable[tuple[int, Row]], wanted: str | None) -> str | None:
        models = sorted({str(row["model"]) for _, row in rows if row.get("model")})
        if wanted is not None and wanted not in models:
            raise UsageError.unknown(f"model in {self.path}", wanted, models)
        if wanted is None and len(models) > 1:
            raise UsageError(
                f"{self.path} contains the answers of {len(models)} models.",
                hint=f"Choose one with replay:{self.path}?model=NAME: {', '.join(models)}.",
            )
        return wanted or (models[0] if models else None)

    def _placed(self) -> Iterator[tuple[ReplyPlace, Mapping[str, Any]]]:
        """The rows of the model with their places; ItemsError for what is not a condition."""
        faults = Faults(str(self.path))
        for number, row in self._rows:
            try:
                yield _trial_of(row), row
            except (UsageError, ValueError, TypeError, OverflowError) as error:
                faults.add(number, f"`condition`: {error}")
        faults.check("A condition looks like `place=kept, wording=above`.")

    def check(self, items: ItemSet) -> None:
        """Compare ids and golds with those of the items.

        Raises:
            ItemsError: recorded ids are not among the items, or have another gold or options.
        """
        if self._is_log:
            self._answers = dict(self._placed_by_content(items))
        faults = []
        for place, row in self._answers.items():
            item = items.by_id.get(place.item_id)
            if item is None:
                faults.append(f"id {place.item_id!r} is not among the items")
            elif place.probe == "original" and _cannot_be_shown(row, item.options):
                faults.append(f"id {place.item_id!r} was shown other options: {row['options']!r}")
            elif not _same_gold(row, item.gold, item.options):
                faults.append(f"id {place.item_id!r} has a different gold answer: {row['gold']!r}")
        if faults:
            raise ItemsError(str(self.path), faults, hint="Are these the items that were asked?")

    def _placed_by_content(self, items: ItemSet) -> Iterator[tuple[ReplyPlace, Mapping[str, Any]]]:
        """The answers of a log at the items that they are about; says how many are about none."""
        known, others = side("logs", "known_items")(items), 0
        for _, row in self._rows:
            found = known.of(0, row["sample"])
            if found is None:
                others += 1
                continue
            place = ReplyPlace(found.item.id, "original", PLAIN, 0)
            if found.asked:
                place = place._replace(probe="repeat", repetition=found.asked - 1)
            found.asked += 1
            yield place, row
        if others:
            say(f"About other items in {self.path}: {some_of(others, len(self._rows), 'answer')}.")
        if others == len(self._rows):
            raise ItemsError(str(self.path), ["none of its answers is about one of the items"])

    def as_shown(self, trial: Trial) -> Trial:
        """The trial with its options in the order, and with the labels, that were recorded."""
        row = self._answers.get(_place_of(trial))
        if row is None or not _options_of(row) or len(trial.variants) > 1:
            return trial
        variant = trial.variant
        order = own_order(_options_of(row), variant.options)
        if order is None:
            return trial
        labels = row.get("labels", row.get("option_letters"))
        known = isinstance(labels, list) and len(labels) == len(order)
        shown = replace(
            variant,
            options=tuple(variant.options[place] for place in order),
            labels=tuple(map(str, labels or ())) if known else variant.labels,
            origin=tuple(variant.origin[place] for place in order),
            gold_at=None if variant.gold_at is None else order.index(variant.gold_at),
        )
        return replace(trial, variants=(shown,))

    def attach_trial(self, key: Key, trial: Trial) -> bool:
        place = _place_of(trial)
        row = self._answers.get(place, {})
        if row.get("response") is None and not row.get("text_scores"):
            return False
        if len(trial.variants) == 1 and _cannot_be_shown(row, trial.variant.options, exact=True):
            return False
        self._answer_key.setdefault(key, place)
        return True

    async def __aexit__(self, *error: object) -> None:
        self._answer_key.clear()

    async def capabilities(self) -> Capabilities:
        scored = any("top_logprobs" in r or "letter_scores" in r for r in self._answers.values())
        texts = any("text_scores" in r for r in self._answers.values())
        return Capabilities(
            chat=True, completion=True, top_logprobs=20 if scored else 0, continuations=texts
        )

    async def respond(self, batch: Sequence[Asked]) -> Sequence[Response | Failure]:
        return [self._answer(asked.key) for asked in batch]

    def _answer(self, key: Key) -> Response | Failure:
        if key not in self._answer_key:
            return UNATTACHED
        row = self._answers[self._answer_key[key]]
        if (failure := no_reply(row.get("finish_reason"))) is not None:
            return replace(failure, retryable=False)
        return Response(
            text=str(row["response"] or ""),
            finish_reason=ended_by(row.get("finish_reason")),
            token_logprobs=_token_logprobs(row),
            continuations={text: (lp, 0) for text, lp in (row.get("text_scores") or {}).items()},
            served_by=row.get("model"),
        )


def from_spec(rest: str) -> Replay:
    """From `FILE` or `FILE?model=NAME`."""
    path, _, model = rest.partition("?model=")
    return Replay(Path(path), model or None)


def _trial_of(row: Mapping[str, Any]) -> ReplyPlace:
    return ReplyPlace(
        item_id=str(row.get("item_id", row.get("id"))),
        probe=str(row.get("probe") or "original"),
        condition=_condition(row.get("condition")),
        repetition=int(row.get("repetition") or 0),
    )


def _condition(recorded: str | Mapping[str, Any] | None) -> Condition:
    if isinstance(recorded, Mapping):
        return Condition(**recorded)
    return Condition.parse(recorded or "")


def _place_of(trial: Trial) -> ReplyPlace:
    return ReplyPlace(trial.variants[0].item_id, trial.probe, trial.condition, trial.repetition)


def _options_of(row: Mapping[str, Any]) -> list[str]:
    """The options that a row says were shown; empty where it does not say."""
    found = row.get("options")
    return [str(text) for text in found] if isinstance(found, list) else []


def _cannot_be_shown(
    row: Mapping[str, Any], options: Sequence[str], *, exact: bool = False
) -> bool:
    """Whether a row was shown other options than these, or (exact) in another order."""
    shown = _options_of(row)
    if not shown:
        return False
    order = own_order(shown, options)
    return order is None or (exact and order != sorted(order))


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
    order = own_order(_options_of(row), options)
    place = order.index(gold) if order and gold in order else gold
    own = (ascii_lowercase[place], options[gold].strip().casefold())
    return str(recorded).strip().casefold() in own

"""Checks that every plug-in must pass; the registries are the tests' parameter lists.

Each function raises AssertionError with a sentence; `check_model` stands in `testing.models`. A
plug-in of your own is checked like ours:

>>> from horsesense.probes.registry import parse_probe
>>> check_probe(parse_probe("order"))
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle

import numpy as np

from horsesense.items.item import Item, ItemSet, Kind, flag_items
from horsesense.measures.base import Measure, Rows
from horsesense.measures.cells import (
    MISSING,
    NO_OPTION,
    NOT_ASKED,
    STATUS_CODE,
    Bundles,
    Cell,
    ChosenSets,
    Columns,
    InOtherWords,
    NearNames,
    Scores,
    Subjects,
    Verdicts,
)
from horsesense.models.messages import Request, Response
from horsesense.probes.base import Probe, Setting
from horsesense.probes.registry import PROBES, parse_probe
from horsesense.prompts import Prompter
from horsesense.readers.base import FittedReader, Reader
from horsesense.readers.reading import STATUSES, Reading
from horsesense.rng import Dice
from horsesense.runs.planner import Planner
from horsesense.trials.condition import PLAIN, Condition
from horsesense.trials.trial import BUNDLED, AnswerFormat, Trial


def item_set(kind: Kind = "choice", n: int = 12, k: int = 4, gold: bool = True) -> ItemSet:
    """Plain items for tests: distinct texts, gold spread over the positions, clusters of two."""
    labels = tuple(f"class_{j}" for j in range(k))
    items = tuple(
        Item(
            id=f"item-{i}",
            question=f"What is the {i}th thing?",
            options=labels if kind == "label" else tuple(f"thing {i}-{j}" for j in range(k)),
            gold=i % k if gold else None,
            context=f"Story number {i // 2} is a long one. It has two sentences.",
            subject=f"subject {i % 3}",
            cluster=f"story {i // 2}",
            paraphrases=tuple(
                f"Which is the {i}th thing ({w})?" for w in ("one", "two", "six", "ten")
            ),
        )
        for i in range(n)
    )
    return ItemSet("test", kind, items, labels if kind == "label" else (), flag_items(items, kind))


def check_probe(probe: Probe, kind: Kind = "choice", k: int = 4) -> list[Trial]:
    """A probe declares itself, is deterministic, leaves gold consistent, and can be rendered.

    Returns the trials that it made, none if it does not apply to this kind of items.
    """
    for name in ("name", "title", "summary", "expectation", "invariant"):
        assert getattr(probe, name), f"{probe.name} does not declare {name}"
    items = item_set(kind, k=k)
    first, second = (_planner(probe, items) for _ in range(2))
    planned = list(first.plan([probe]))
    assert planned == list(second.plan([probe])), f"{probe.name} is not deterministic"
    assert planned or first.excluded.ids, f"{probe.name} dropped items without a reason"
    for one in planned:
        check_trial(one.trial, items)
    return [one.trial for one in planned]


def check_trial(trial: Trial, items: ItemSet) -> None:
    """What is shown agrees with where it came from."""
    for variant in trial.variants:
        item = items.by_id[variant.item_id]
        assert len(variant.options) == len(variant.origin), "an option has no origin"
        assert not variant.labels or len(variant.labels) == len(variant.options)
        assert len(set(variant.labels)) == len(variant.labels), "two options have one label"
        if trial.answer_format in ("letter", "label", "letters"):
            originals = [o for o in variant.origin if o >= 0]
            assert len(set(originals)) == len(originals), "an option is shown twice"
        if variant.gold_at is not None and trial.answer_format == "letter":
            origin = variant.origin[variant.gold_at]
            assert origin < 0 or origin == item.gold, "the gold position holds another option"


def _planner(probe: Probe, items: ItemSet) -> Planner:
    return Planner(items, (probe,), Setting(items, seed=3), Prompter(), "test")


def trials_to_read() -> list[Trial]:
    """One trial of each kind of answer that a reader may be given, in the order of the probes."""
    found = []
    for spec, kind in _ASKING:
        probe = parse_probe(spec)
        planned = _planner(probe, item_set(kind)).plan([probe])
        found.append(next(one.trial for one in planned))
    return found


_ASKING: tuple[tuple[str, Kind], ...] = (
    ("original", "choice"),
    ("original", "label"),
    ("gold_absent(prompt=hint_instruction)", "choice"),
    ("gold_absent(prompt=no_hint)", "choice"),
    ("true_false(items=all)", "choice"),
    ("multi_select(items=all)", "choice"),
    ("delimiter", "label"),
    ("batch(sizes=5)", "label"),
    ("select_one(sizes=5)", "label"),
    ("select_all(sizes=5)", "label"),
)
"""A probe for each kind of answer, and the kind of items that it is put to."""


def check_reader(reader: Reader, trials: Sequence[Trial] = ()) -> int:
    """A reader declares itself, never fails on what models say, and stays inside the options.

    `trials` are one of each kind of answer unless given. Returns the number of readings; a
    reader may have none where it has nothing to go on.
    """
    assert reader.name, "the reader has no name"
    if isinstance(reader, FittedReader):
        _check_fit(reader)
    version = reader.version
    assert version, f"{reader.name} declares no version"
    count = 0
    for trial in trials or trials_to_read():
        for response in replies_to(trial):
            found = reader.read(trial, response)
            assert found == reader.read(trial, response), f"{reader.name} reads one reply two ways"
            assert len(found) in (0, len(trial.variants)), "one reading per problem, or none"
            for variant, reading in zip(trial.variants, found, strict=False):
                _check_reading(reading, len(variant.options), len(response.text))
            count += len(found)
    assert reader.version == version, f"{reader.name} changes its version while it reads"
    return count


def replies_to(trial: Trial) -> Iterator[Response]:
    """Hostile replies, and the words of the prompt itself, with scores and without."""
    shown = [word for v in trial.variants for word in (*v.labels, *v.options)]
    logs: Mapping[str, float] = dict.fromkeys(("A", "B", *shown[:1]), -1.5)
    totals = cycle(HOSTILE_SCORES)
    for text in (*HOSTILE_REPLIES, *dict.fromkeys(shown), "\n".join(shown)):
        yield Response(text)
        yield Response(text, "length", token_logprobs=(logs, {"B": -1.0}))
        yield Response(
            text, continuations=_scores(trial, next(totals)), unconditional=_scores(trial, -2.0)
        )


def _scores(trial: Trial, total: float) -> dict[str, tuple[float, int]]:
    """A score for each option's text, falling from the first on."""
    options = trial.variants[0].options
    return {option: (total - place, 1 + place % 2) for place, option in enumerate(options)}


def _check_reading(reading: Reading, k: int, length: int) -> None:
    """A reading is one of what readings can be; `k` options were shown, `length` letters came."""
    assert reading.status in STATUSES, reading
    assert (reading.status == "answer") == bool(reading.positions), reading
    assert all(0 <= position < k for position in reading.positions), reading
    assert len(set(reading.positions)) == len(reading.positions), reading
    assert 0 <= reading.confidence <= 1, reading
    if reading.span is not None:
        start, end = reading.span
        assert 0 <= start <= end <= length, reading


def _check_fit(reader: FittedReader) -> None:
    """Too few replies are no error, and what was found is JSON."""
    reader.fit([], Setting(item_set()))
    json.dumps(reader.report())
    known = {probe.name for probe in PROBES}
    assert reader.fits_on <= known, f"{reader.name} is fitted on no probe: {reader.fits_on - known}"


HOSTILE_SCORES = (-1.0, -math.inf, math.nan, math.inf, 0.0)
"""Log-probabilities that a log may hold, sound or not."""

HOSTILE_REPLIES = (
    "",
    "   \n",
    "B",
    "\x00\x1b[31mB\x1b[0m",
    "<script>alert('A')</script>",
    "\u202eB si rewsna ehT",
    "A" * 5000,
    "(" * 2000,
    "\ud800 B",
    "**B**\n\n" * 300,
)


def random_cell(seed: int, n: int = 40, r: int = 4, k: int = 4, missing: float = 0.1) -> Cell:
    """A cell of random readings, with some missing and some trials not asked."""
    dice = np.random.default_rng(Dice(seed, "cell", "test").below(2**31))
    gold = dice.integers(0, k, (n, r))
    position = dice.integers(0, k, (n, r))
    order = np.argsort(dice.random((n, r, k)), axis=2)
    status = np.full((n, r), STATUS_CODE["answer"], dtype=np.int8)
    status[dice.random((n, r)) < 0.1] = STATUS_CODE["ambiguous"]
    status[dice.random((n, r)) < missing] = MISSING
    if r > 1:
        status[: n // 10, -1] = NOT_ASKED
    answered = status == STATUS_CODE["answer"]
    content = np.where(
        answered, np.take_along_axis(order, position[:, :, None], 2)[:, :, 0], NO_OPTION
    )
    correct = np.where(status >= 0, (position == gold) & answered, -1)
    return Cell(
        probe="order",
        condition=Condition(design="cyclic"),
        reader="text",
        item=np.arange(n),
        k=np.full(n, k),
        status=status,
        position=np.where(answered, position, -1).astype(np.int16),
        option=content.astype(np.int16),
        gold_at=np.where(status == NOT_ASKED, -1, gold).astype(np.int16),
        correct=correct.astype(np.int8),
    )


def _bits(cell: Cell) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """The chosen position of each trial as a bit; 0 where none was chosen."""
    return np.where(cell.position >= 0, 1 << np.maximum(cell.position, 0).astype(np.int64), 0)


_OFFERED = "wording=know_no, asking=know_no, design=random(3)"
_CELLS: tuple[tuple[str, str, AnswerFormat, str], ...] = (
    ("gold_absent", "prompt=with_gold, asking=know_no, design=random(3)", "letter", "text"),
    ("gold_absent", f"prompt=hint_option, positions=last, {_OFFERED}", "letter", "text"),
    ("gold_absent", f"prompt=hint_instruction, {_OFFERED}", "letter", "text"),
    ("gold_absent", "prompt=no_hint, asking=know_no, design=random(3)", "free", "text"),
    ("gold_plus_none", _OFFERED, "letter", "text"),
    ("delimiter", "to=hyphen, gold=absent, asking=know_no", "free", "text"),
    ("true_false", "items=all, polarity=negative", "yes_no", "text"),
    ("option_confidence", "items=all, polarity=positive", "yes_no", "first_token"),
    ("multi_select", "items=all", "letters", "text"),
    ("misleading_replaced", "arm=misleading, items=wrong", "letter", "text"),
    ("misleading_replaced", "arm=other, items=wrong", "letter", "text"),
    ("misleading_replaced", "arm=unchanged, items=wrong", "letter", "text"),
    ("key_typo", "versions=2, design=random(2)", "letter", "text"),
    ("extra_options", "added=0, design=random(4)", "letter", "text"),
    ("extra_options", "added=3, design=random(4)", "letter", "text"),
    ("order", "design=cyclic", "letter", "first_token"),
    ("order", "design=cyclic", "letter", "option_text"),
    ("batch", "size=10", "label_lines", "text"),
    ("select_all", "size=10", "index_json", "text"),
    ("repeat", "", "letter", "text"),
    ("budget", "cap=64", "letter", "text"),
    ("budget", "cap=256", "letter", "text"),
    ("thought", "share=50", "letter", "text"),
    ("option_count", "n=3", "letter", "text"),
)
"""Probe, condition, kind of answer and reader."""


def random_cells() -> list[Cell]:
    """Random cells of every kind: those of the items as published first."""
    plain = random_cell(1)
    subjects = Subjects(np.arange(len(plain.item)) % 3, ("algebra", "law", "virology"))
    original = replace(plain, probe="original", condition=PLAIN).having(subjects)
    made = [plain, original, replace(original, probe="options_only")]
    for number, (probe, condition, asks, reader) in enumerate(_CELLS):
        cell = random_cell(4 + number, k=2 if asks == "yes_no" else 4)
        dice = np.random.default_rng(number)
        shape = cell.status.shape
        scores = Scores(
            (0.5 + dice.random(shape) / 2).astype(np.float32),
            (-2 * dice.random(shape)).round(int(asks != "free") * 3).astype(np.float32),
        )
        cell = replace(
            cell,
            probe=probe,
            condition=Condition.parse(condition),
            answer_format=asks,
            reader=reader,
            by_scores=reader == "first_token",
        )
        made.append(cell.having(scores, *_further(cell, dice)))
    return made


def _further(cell: Cell, dice: np.random.Generator) -> Iterator[Columns]:
    """The group of columns that goes with what a cell asks for."""
    shape = cell.status.shape
    if cell.probe == "gold_absent":
        yield NearNames(np.repeat(dice.random((shape[0], 1)) < 0.5, shape[1], axis=1))
    if cell.condition.matches(prompt="hint_option"):
        yield InOtherWords((cell.correct == 1) & (dice.random(shape) < 0.5))
    if cell.answer_format == "letters":
        marked = cell.gold_at[:, ::-1]
        yield ChosenSets(_bits(cell) | dice.integers(0, 2 ** int(cell.k[0]), shape), marked)
    if cell.answer_format == "free":
        yield Verdicts(dice.integers(-1, 6, shape).astype(np.int8))
    if cell.answer_format in BUNDLED:
        one, (row, column) = _bits(cell), np.indices(shape)
        both = np.where(cell.status == STATUS_CODE["ambiguous"], 3, one)
        chosen = one if cell.answer_format == "label_lines" else both
        yield ChosenSets(chosen, np.full_like(cell.position, -1))
        yield Bundles(
            np.asarray(column * 4 + row // 10, dtype=np.int32),
            np.asarray(row % 10, dtype=np.int16),
            np.where(row % 10 == 0, row // 10 - 2, 0).astype(np.int32),
            tuple(f"class_{position}" for position in range(int(cell.k.max()))),
        )


def fitting_cell(measure: Measure) -> Cell | None:
    """The first of `random_cells` that the measure is about; None if the kit has none."""
    return next(iter(measure.cells(random_cells())), None)


def check_measure(measure: Measure) -> None:
    """A measure counts what it uses, is the same over parts, and is NaN where undefined."""
    for name in ("name", "title", "summary", "unit", "counted"):
        assert getattr(measure, name), f"{measure.name} does not declare {name}"
    cell = fitting_cell(measure)
    if cell is None or measure.undefined_reason(cell) is not None:
        return
    rows = measure.rows(cell)
    assert rows.rows.shape[0] == len(cell.item), "one row per item"
    assert rows.n > 0, "nothing entered"
    total = rows.rows.sum(axis=0)
    values = measure.value(total)
    assert values.shape == (len(measure.groups(cell)),), "one value per group"
    assert np.array_equal(measure.value(np.stack([total, total]))[1], values, equal_nan=True)
    assert np.isnan(measure.value(np.zeros_like(total))).all(), "0 of 0 must be undefined"
    _check_parts(measure, cell, rows)


def _check_parts(measure: Measure, cell: Cell, rows: Rows) -> None:
    """The rows of an item do not depend on which others are looked at with it."""
    whole = "the rows of an item depend on other items: whole = True says so"
    for parts in (2, 7):
        of_part = measure.mapped(cell, -(-cell.status.size // parts))
        assert np.array_equal(of_part.rows, rows.rows), whole
        assert (of_part.n, of_part.n_missing) == (rows.n, rows.n_missing), whole
        assert list(of_part.missing or ()) == list(rows.missing or ()), whole
        if rows.crossed is not None and of_part.crossed is not None:
            for own, all_of in zip(of_part.crossed[:3], rows.crossed[:3], strict=True):
                assert (own is None) == (all_of is None), whole
                assert own is None or all_of is None or np.array_equal(own, all_of), whole


def check_blind(requests: Sequence[Request], secrets: Sequence[str]) -> None:
    """No request tells what the answer is, which probe made it or which item it shows."""
    for request in requests:
        body = str(request.as_json())
        for secret in secrets:
            assert secret not in body, f"a request contains {secret!r}"

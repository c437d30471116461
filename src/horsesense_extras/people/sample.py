"""How often readers are right on replies that a person labelled, and scores corrected by that.

    Sampled.of(run) -> write -> (a person) -> take -> told -> `annotate`, the report

Replies are drawn in an order that their keys and the run's seed decide, and a file holds the first
of them. So the labelled ones are a random sample of all as long as none is left out before them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import takewhile
from math import ceil
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import orjson
import polars as pl

from horsesense.errors import ItemsError, StoreError, UsageError
from horsesense.files import empty_place
from horsesense.kept import keep, read_kept
from horsesense.readers.registry import reads_scores
from horsesense.rng import unit
from horsesense.runs.bands import clusters
from horsesense.runs.directory import RunDirectory
from horsesense.runs.parts import readable
from horsesense.runs.tables import with_questions
from horsesense.stats import functions
from horsesense.stats.binomial import limits
from horsesense.stats.corrected import Bounded, corrected
from horsesense.stats.rater_agreement import cohen_kappa, kappa_in_words
from horsesense.stats.words import percent, plural
from horsesense_extras.people.spreadsheet import inert_cell, read_table, write_table

COLUMNS: Final = ("key", "item", "question", "options", "reply", "label")
NEEDED: Final = ("key", "item", "reply", "label")
WORDS: Final = ("none", "refusal", "unclear")
"""What a label says of a reply that chooses no option."""
HINT: Final = "Fill the column label of the file that `horsesense annotate RUN --sample` wrote."
METHOD: Final = (
    "Corrected: the score as read, plus the person's score minus the reader's on the labelled"
    " replies. Publish it with its interval (of Clopper-Pearson limits); few labels make it wide."
)
ROWS: Final = {
    "plain": "Score as read",
    "score": "Score corrected",
    "alone": "Score of the labelled replies alone",
    "rogan_gladen": "Score by Rogan and Gladen",
    "agreed": "Read as the person does",
    "sensitivity": "Right replies read as right",
    "specificity": "Wrong replies read as wrong",
}
"""What is told of a reader, and its name for people."""
SHOWN: Final = 10
"""Replies that are named where they are read otherwise than labelled."""
_SAYS: Final = {"none": "none", "refusal": "refusal", "unknown": "refusal"}
"""What a reading without a choice is called in a label; all others are unclear."""

Id = tuple[str, str]
"""A reply: its key in hex, and its item."""


@dataclass(frozen=True)
class Sampled:
    """The replies to the items in the original order, in the order in which they are drawn.

    Attributes:
        run: whose they are.
        rows: Id -> trial, item (its number), item_id, question, options, labels, gold_at, key.
    """

    run: RunDirectory
    rows: Mapping[Id, Mapping[str, Any]]

    @classmethod
    def of(cls, run: RunDirectory) -> Self:
        """UsageError where there are no replies in words to items with a right answer."""
        columns = ("trial", "item", "item_id", "question", "options", "labels", "gold_at", "key")
        with readable(run.layout.root):
            shown = with_questions(run.trials(), run.items).filter(
                pl.col("answer_format").is_in(["letter", "label"]),
                pl.col("gold_at").is_not_null(),
                probe="original",
                expects="gold",
            )
            there = run.readings().filter(pl.col("reader").is_in(readers_of(run)))
            found = shown.join(there, on="trial", how="semi").select(columns).collect()
        seed = str(run.settings.seed).encode()
        rows = sorted(
            found.sort("trial").iter_rows(named=True),
            key=lambda row: unit(b"sample", seed, row["key"], row["item_id"].encode()),
        )
        if not rows:
            raise UsageError(
                f"{run.layout.root} contains no replies to the items in the original order.",
                hint="Items need right answers, and a reader of replies: --readers text.",
            )
        # Of replies that several trials share, the first.
        own = {(row["key"].hex(), row["item_id"]): row for row in reversed(rows)}
        return cls(run, dict(reversed(own.items())))

    @cached_property
    def labels(self) -> dict[Id, str]:
        """What was taken so far; StoreError where the file is broken."""
        path = self.run.layout.labels
        try:
            return {(str(k), str(i)): str(label) for k, i, label in orjson.loads(read_kept(path))}
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError) as error:
            hint = "Delete it and take the labelled file again."
            raise StoreError.unreadable(path, error, hint) from None

    def replies(self, ids: Sequence[Id]) -> dict[Id, str]:
        """The text of each reply."""
        with self.run.store() as store:
            found = store.get([self.rows[id]["key"] for id in ids])
        return {id: found[self.rows[id]["key"]].text for id in ids}

    def write(self, path: Path, n: int) -> int:
        """Write the first `n` to fill, with the labels that were taken; how many there are."""
        path = empty_place(path)
        ids = list(self.rows)[:n]
        replies = self.replies(ids)

        def cells(id: Id) -> Iterator[str]:
            row = self.rows[id]
            shown = zip(row["labels"] or [""] * len(row["options"]), row["options"], strict=True)
            yield from (*id, row["question"] or "")
            yield "\n".join(f"{label}. {text}" if label else text for label, text in shown)
            yield from (replies[id], self.labels.get(id, ""))

        write_table(path, COLUMNS, [list(cells(id)) for id in ids])
        return len(ids)

    def take(self, path: Path) -> int:
        """Keep the labels of a filled file; how many replace another one of the same reply."""
        found = self.filled(path)
        changed = sum(self.labels.get(id, label) != label for id, label in found.items())
        self.labels.update(found)
        rows = [[*id, label] for id, label in self.labels.items()]
        keep(self.run.layout.labels, orjson.dumps(rows))
        return changed

    def compared(self, first: Path, second: Path, level: float) -> dict[str, Any]:
        """How far two people agree, and whose labels count."""
        one, other = self.filled(first), self.filled(second)
        pairs = [(one[id], other[id]) for id in one if id in other]
        if not pairs:
            return {"says": [f"{first.name} and {second.name} label no reply in common."]}
        n, same = len(pairs), sum(a == b for a, b in pairs)
        alike = same / n, *limits(same, n, (1 - level) / 2)
        says = [
            f"Two people give the same label to {same} of {plural(n, 'reply')} ({shown(alike)};"
            f" {kappa_in_words(pairs, level)}; replies taken as independent).",
            f"The labels of {first.name} count below.",
        ]
        told = {"reviewers": [first.name, second.name], "compared": n, "disagreements": n - same}
        return {**told, "alike": alike, "agreement": cohen_kappa(pairs), "says": says}

    def filled(self, path: Path) -> dict[Id, str]:
        """The labels in a filled file; ItemsError names all rows that cannot be used."""
        table = read_table(path, NEEDED, HINT)
        known = {(key, inert_cell(item)): (key, item) for key, item in self.rows}
        lines = {known.get((row["key"] or "", row["item"] or "")): line for line, row in table}
        replies = self.replies([id for id in lines if id])
        faults, found, blank = [], dict[Id, str](), dict[Id, int]()
        for line, row in table:
            id, given = known.get((row["key"] or "", row["item"] or "")), row["label"] or ""
            label = self._label(id, given) if id else None
            fault = None
            if id is None:
                fault = "no reply of this run has this key and item"
            elif lines[id] != line:
                fault = f"the reply stands on line {lines[id]} too"
            elif _plain(row["reply"] or "") != _plain(inert_cell(replies[id])):
                fault = "the reply is not as it was written"
            elif not given.strip():
                blank[id] = line
            elif label is None:
                fault = f"{given[:40]!r} is no label; allowed: {', '.join(self._allowed(id))}"
            else:
                found[id] = label
            faults += [f"line {line}: {fault}"] if fault else []
        order = {id: place for place, id in enumerate(self.rows)}
        last = max((order[id] for id in found), default=-1)
        faults += [f"line {n}: no label" for id, n in blank.items() if order[id] < last]
        if not found and not faults:
            faults.append("no row has a label")
        if faults:
            hint = f"Label every row ({', '.join(WORDS)} are labels too), and change nothing else."
            raise ItemsError(str(path), faults, hint=hint)
        return found

    def _allowed(self, id: Id) -> tuple[str, ...]:
        return (*(self.rows[id]["labels"] or self.rows[id]["options"]), *WORDS)

    def _label(self, id: Id, given: str) -> str | None:
        """A label as it is kept; None for what is none."""
        said = _plain(given).casefold()
        return next((a for a in self._allowed(id) if _plain(a).casefold() == said), None)

    def told(self, level: float) -> list[dict[str, Any]]:
        """By reader: agreement with the labels, and the score as read and corrected."""
        ids = list(self.rows)
        sampled = list(takewhile(self.labels.__contains__, ids))
        if not sampled:
            return []
        names = readers_of(self.run)
        with readable(self.run.layout.root):
            read = self.run.readings().filter(pl.col("reader").is_in(names)).collect()
        rows = [self.rows[id] for id in ids]
        cluster = clusters(self.run.items)[[row["item"] for row in rows]]
        cluster = np.unique(cluster, return_inverse=True)[1]
        golds = [self._allowed(id)[self.rows[id]["gold_at"]] for id in sampled]
        person = np.array([self.labels[i] == gold for i, gold in zip(sampled, golds, strict=True)])
        found = []
        for name in names:
            own = {row["trial"]: row for row in read.filter(reader=name).iter_rows(named=True)}
            here = [own.get(row["trial"]) for row in rows]
            right = np.array([bool(one and one["correct"]) for one in here])
            says = [(id, self._said(id, one)) for id, one in zip(sampled, here, strict=False)]
            otherwise = [
                {"item": id[1], "label": self.labels[id], "read": said}
                for id, said in says
                if self.labels[id] != said
            ]
            n, same = len(sampled), len(sampled) - len(otherwise)
            agreed = same / n, *limits(same, n, (1 - level) / 2)
            numbers = asdict(corrected(right, np.arange(n), person, cluster, level))
            told = {"reader": name, "agreed": agreed, "otherwise": otherwise}
            found.append(told | {"needed": min(_needed(same, n, level), len(ids)), **numbers})
        return found

    def _said(self, id: Id, reading: Mapping[str, Any] | None) -> str:
        """What a reading says, as a label."""
        if reading is None or reading["status"] != "answer" or len(reading["positions"]) != 1:
            return _SAYS.get(reading["status"] if reading else "", "unclear")
        place: int = reading["positions"][0]
        return self._allowed(id)[place]

    def sentences(self, told: Sequence[Mapping[str, Any]]) -> list[str]:
        """The same for people."""
        lines = [METHOD] if told else []
        for row in told:
            same = round(row["agreed"][0] * row["n"])
            rates = [
                f"{kind} replies are read as {kind} in {shown(row[rate])}"
                for kind, rate in (("right", "sensitivity"), ("wrong", "specificity"))
                if row[rate]
            ]
            lines += [
                f"{row['reader']}: the reading is the person's in {same} of"
                f" {plural(row['n'], 'reply')} ({shown(row['agreed'])}); {'; '.join(rates)}.",
                f"{row['reader']}: score {shown(row['plain'])} as read, corrected"
                f" {shown(row['score'])}; labelled replies alone {shown(row['alone'])};"
                f" Rogan-Gladen {shown(row['rogan_gladen'])}.",
            ]
        return [*lines, *self.notes(told)]

    def notes(self, told: Sequence[Mapping[str, Any]]) -> Iterator[str]:
        """Which replies are read otherwise than labelled, how many labels would do, and which count
        for nothing."""
        for row in told:
            each = [f"{o['item']} (label {o['label']}, read {o['read']})" for o in row["otherwise"]]
            if each:
                more = f" and {len(each) - SHOWN:,} more" if len(each) > SHOWN else ""
                yield f"{row['reader']} reads otherwise: {', '.join(each[:SHOWN])}{more}."
            if row["needed"] > row["n"]:
                yield (
                    f"Some {row['needed']:,} labels would tell within 5 points how often"
                    f" {row['reader']} reads as the person does."
                )
        left = len(self.labels) - (told[0]["n"] if told else 0)
        places = [n for n, id in enumerate(self.rows, 1) if id in self.labels]
        if left:
            yield (
                f"{plural(left, 'label', 'count')} for nothing as long as other replies of the"
                f" same random sample lack one. `horsesense annotate {self.run.layout.root}"
                f" --sample {max(places, default=1)} --to FILE` lists them, with the labels so far."
            )


def _needed(same: int, n: int, level: float) -> int:
    """Labels by which a share such as this, drawn towards a half, is known to 5 points.

    >>> _needed(19, 20, 0.95)
    170
    """
    share = (same + 2) / (n + 4)
    z = float(functions.ndtri((1 + level) / 2))
    return ceil(share * (1 - share) * (z / 0.05) ** 2 / 10) * 10


def readers_of(run: RunDirectory) -> list[str]:
    """The readers of replies, and not of scores."""
    return [name for name in run.known.readers if not reads_scores(name)]


def is_sample(path: Path) -> bool:
    """Whether a file is one that `Sampled.write` made."""
    try:
        table = read_table(path, NEEDED, HINT)
    except UsageError:
        return False
    return all("answer" not in row for _, row in table)  # else a review, with a column of its own


def _plain(text: str) -> str:
    """Text without what spreadsheets change: its white space."""
    return " ".join(text.split())


def shown(found: Bounded | float | None) -> str:
    """A share, with its interval where it has one."""
    if not isinstance(found, tuple):
        return "–" if found is None else percent(found, 1)
    return f"{percent(found[0], 1)} [{100 * found[1]:.1f}, {100 * found[2]:.1f}]"

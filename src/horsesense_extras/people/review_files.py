"""Replies that no rule could judge, out to people in a CSV file and back again.

    rows_to_review -> write_review -> (people) -> read_csv -> take -> Reviews

A cell of the file never begins with a sign that a spreadsheet would take for a formula. A file that
is there is never written to: what continues it is a new one, which begins with its answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import count
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from horsesense.errors import ItemsError, UsageError
from horsesense.models.messages import Key, Request
from horsesense.progress import say
from horsesense.readers.reading import CLASSES
from horsesense.readers.reviews import OTHER, Reviews
from horsesense.rng import fingerprint, unit
from horsesense.runs.directory import RunDirectory
from horsesense.runs.parts import readable
from horsesense.stats.rater_agreement import cohen_kappa, have_krippendorff, krippendorff_alpha
from horsesense_extras.people.spreadsheet import inert_cell, read_table, write_table

CHOICES = (*(name for name in CLASSES if name != "needs_review"), OTHER)
"""What a reviewer may write."""


@dataclass(frozen=True, slots=True)
class Row:
    """One reply to review; all values are text, in the order of the columns."""

    key: str
    item: str
    prompt: str
    missing_answer: str
    reply: str
    rule: str
    answer: str = ""


COLUMNS = tuple(f.name for f in fields(Row))
NEEDED = ("key", "answer")
HINT = "Fill the file that `horsesense annotate` wrote, and keep its header."


def rows_to_review(run: RunDirectory, also: int = 0) -> list[Row]:
    """The replies of a run that no rule could judge, each once; and `also` others as a check.

    Raises:
        UsageError: the run asked no free question.
    """
    found = _judged(run)
    if found.is_empty():
        raise UsageError(
            f"{run.layout.root} has no question of the suite know-no that lacks its right answer;"
            " only replies to those go to reviewers.",
            hint=f"To label other replies: horsesense annotate {run.layout.root} --sample 20",
        )
    undecided = found.filter(pl.col("rule") == "needs_review")
    decided = found.filter(pl.col("rule") != "needs_review").rows(named=True)
    others = sorted(decided, key=lambda row: unit(b"review", row["key"]))[:also]
    return _rows(run, [*undecided.rows(named=True), *others])


def rows_of(
    run: RunDirectory, keys: Sequence[Key], files: Mapping[str, Mapping[Key, str]]
) -> list[Row]:
    """Replies that reviewers judged differently; `rule` then holds what each of them wrote."""
    wanted = set(keys)
    found = [row for row in _judged(run).rows(named=True) if row["key"] in wanted]
    for row in found:
        given = {name: said[row["key"]] for name, said in files.items() if row["key"] in said}
        row["rule"] = ", ".join(f"{name} {answer}" for name, answer in given.items())
    return _rows(run, found)


def checked(run: RunDirectory, classes: Mapping[Key, str]) -> list[bool]:
    """Whether people say what the rules do, of the replies that the rules judged: a random draw."""
    rows = _judged(run).filter(pl.col("rule") != "needs_review").rows(named=True)
    return [classes[row["key"]] == row["rule"] for row in rows if row["key"] in classes]


def _rows(run: RunDirectory, chosen: Sequence[Mapping[str, Any]]) -> list[Row]:
    """What reviewers need to see, for replies that the store holds."""
    with run.store() as store:
        keys = [row["key"] for row in chosen]
        replies, sent = store.get(keys), store.requests(keys)
        return [
            Row(
                row["key"].hex(),
                row["item_id"],
                _prompt(sent.get(row["key"])),
                row["gold"] or "",
                replies[row["key"]].text,
                row["rule"],
            )
            for row in chosen
            if row["key"] in replies
        ]


def _judged(run: RunDirectory) -> pl.DataFrame:
    """Replies to free questions with the rule that judged them, one row per request."""
    trials = run.trials().filter(answer_format="free")
    readings = run.readings().filter(reader="text")
    gold = pl.col("extras").str.json_path_match("$.gold")
    found = (
        trials.select("trial", "variant", "key", "item_id", gold=gold)
        .join(readings.select("trial", "variant", "rule"), on=["trial", "variant"])
        .sort("trial")
        .unique("key", keep="first", maintain_order=True)
    )
    with readable(run.layout.root):
        return found.collect()


def _prompt(request: Request | None) -> str:
    if request is None:
        return ""
    if request.text is not None:
        return request.text
    return "\n\n".join(content for _, content in request.messages or ())


class Written(NamedTuple):
    """The file to fill, how many answers of earlier ones it begins with, and whether it is new."""

    path: Path
    carried: int
    new: bool


def write_review(rows: Sequence[Row], path: Path) -> Written:
    """Write rows to fill at `path`, or beside it where a file stands there.

    Answers of the files before are carried over, those to replies that are no longer chosen too.
    No file is ever written to: people may have put into it what we do not know of, such as a
    column of notes. Where the last one has all of the rows and no others, it is the one to fill.
    """
    there = list(_written_before(path))
    before = [_rows_in(each) for each in there]
    for place in (place for place, found in zip(there, before, strict=True) if found is None):
        say(f"{place} cannot be read as a reviewer's file: no answer was taken over from it.")
    answered = {row.key: row for each in before for row in each or () if row.answer.strip()}
    open_rows = [replace(row, answer=answered.pop(row.key, row).answer) for row in rows]
    wanted = [_shown(row) for row in (*open_rows, *answered.values())]
    carried = sum(bool(row.answer) for row in wanted)
    if before and before[-1] is not None and set(before[-1]) == set(wanted):
        return Written(there[-1], carried, new=False)
    to = _continued(path, len(there) + 1)
    write_csv(wanted, to)
    return Written(to, carried, new=True)


def _written_before(path: Path) -> Iterator[Path]:
    """The file at `path` and those that continue it, as far as they are there."""
    for number in count(1):
        place = _continued(path, number)
        if not place.exists():
            return
        yield place


def _continued(path: Path, number: int) -> Path:
    return path if number == 1 else path.with_name(f"{path.stem}.continued-{number}{path.suffix}")


def _rows_in(path: Path) -> list[Row] | None:
    """The rows of a file, whoever saved it last; None where it is not one of ours."""
    try:
        found = [
            Row(*(row.get(name) or "" for name in COLUMNS))
            for _, row in read_table(path, NEEDED, HINT)
        ]
    except UsageError:
        return None
    return found


def write_csv(rows: Sequence[Row], path: Path) -> None:
    """Write a file with one reply a row and a last column for the class."""
    write_table(path, COLUMNS, ([getattr(row, name) for name in COLUMNS] for row in rows))


def _shown(row: Row) -> Row:
    """A row as it stands in a file."""
    return Row(*(inert_cell(getattr(row, name)) for name in COLUMNS))


def read_csv(path: Path, known: frozenset[Key], choices: Sequence[str] = CHOICES) -> dict[Key, str]:
    """The filled column of a reviewer's file: key -> one of `choices`; blank rows are left out.

    Raises:
        ItemsError: rows that cannot be used; it names all of them.
        UsageError: it is not a file that `write_csv` made, or it cannot be read.
    """
    rows = [
        (line, row["key"] or "", row["answer"] or "")
        for line, row in read_table(path, NEEDED, HINT)
    ]
    found: dict[Key, str] = {}
    faults = []
    for line, key, given in rows:
        answer = given.strip().lower().replace(" ", "_")
        fault = _fault(key, answer, found, known, choices)
        if fault:
            faults.append(f"line {line}: {fault}")
        elif answer:
            found[bytes.fromhex(key)] = answer
    if faults:
        raise ItemsError(str(path), faults, hint=f"Allowed: {', '.join(choices)}.")
    return found


def _fault(
    key: str, answer: str, found: Mapping[Key, str], known: frozenset[Key], choices: Sequence[str]
) -> str | None:
    number = _key(key)
    if number is None:
        return f"{key!r} is not a key"
    if number not in known:
        return f"nothing that is reviewed here has the key {key}"
    if number in found:
        return f"the key {key} occurs twice"
    return f"{answer!r} is not a class" if answer and answer not in choices else None


def known_keys(run: RunDirectory) -> frozenset[Key]:
    """Keys of all replies of a run that people may judge."""
    return frozenset(_judged(run)["key"])


def once_asked(run: RunDirectory, path: Path) -> frozenset[Key]:
    """Keys in a reviewer's file whose replies the run holds, also where it asks them no longer."""
    keys = {_key(row.key) for row in _rows_in(path) or ()}
    with run.store() as store:
        return frozenset(store.known([key for key in keys if key is not None]))


def _key(text: str) -> Key | None:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None


def reviewer(path: Path, run: Path) -> str:
    """Who filled a file: its name and place; the file that continues another is the same one's."""
    name = re.sub(r"\.continued-\d+(?=\.[^.]*$|$)", "", path.name)
    folder, root = path.resolve().parent, run.resolve()
    inside = folder.relative_to(root) if folder.is_relative_to(root) else folder
    return f"{name}@{fingerprint(str(inside))}"


def take(
    before: Reviews, files: Mapping[str, Mapping[Key, str]]
) -> tuple[Reviews, list[Key], dict[str, Mapping[Key, str]]]:
    """Add what reviewers wrote to what was taken before; nothing that was taken is lost.

    Returns the reviews, the keys that are still open, and what each reviewer wrote, by the name
    that is shown.
    """
    given = dict(before.given)
    for name, answers in files.items():
        given[name] = {**given.get(name, {}), **answers}
    shown = {
        f"{n}:{name.rpartition('@')[0]}": said for n, (name, said) in enumerate(given.items(), 1)
    }
    found, open_keys = settle(shown)
    # Reviews of an earlier release do not say who wrote what: they stand until they are replaced.
    classes = {**before.classes, **found.classes}
    classes = {key: name for key, name in classes.items() if key not in set(open_keys)}
    kept = (
        found
        if found.compared or before.given
        else replace(
            found,
            agreement=before.agreement,
            compared=before.compared,
            disagreements=before.disagreements,
        )
    )
    return replace(kept, classes=classes, given=given), open_keys, shown


def settle(files: Mapping[str, Mapping[Key, str]]) -> tuple[Reviews, list[Key]]:
    """Put the reviewers' files together; also the keys on which they still disagree.

    A reply that several judged counts if they agree; a third file settles what the first two
    judged differently.
    """
    names = list(files)
    classes: dict[Key, str] = {}
    open_keys = []
    for key in dict.fromkeys(key for answers in files.values() for key in answers):
        given = [answers[key] for answers in files.values() if key in answers]
        if len(given) < 3 and len(set(given)) > 1:
            open_keys.append(key)
        else:
            classes[key] = given[-1]
    both: list[tuple[str, str]] = []
    if len(names) > 1:
        first, second = files[names[0]], files[names[1]]
        both = [(first[key], second[key]) for key in first if key in second]
    different = sum(a != b for a, b in both)
    reviews = Reviews(classes, tuple(names), cohen_kappa(both), len(both), different)
    return reviews, open_keys


def alpha_of(given: Mapping[str, Mapping[Key, str]]) -> float | None:
    """Krippendorff's alpha of all reviewers; None below two, where it is not defined, or where
    the package that computes it is missing."""
    if len(given) < 2 or not have_krippendorff():
        return None
    keys = list(dict.fromkeys(key for answers in given.values() for key in answers))
    codes: dict[str | None, float] = {name: float(n) for n, name in enumerate(CHOICES)}
    rated = [[codes.get(answers.get(key), nan) for key in keys] for answers in given.values()]
    return krippendorff_alpha(np.array(rated))

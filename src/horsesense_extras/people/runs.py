"""A test that people take: what its booklets ask, and the run that their answers make.

A test is a directory of its own:

    test.json             what every booklet asks; it holds the right answers, and stays here
    items.json            the items
    booklets/             what is handed out
    answers/              what came back, one file a booklet
    run/                  the run, made anew whenever a booklet comes back

One person fills one booklet, and is a cluster of the answers as every item is.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

import orjson
from pydantic import ValidationError

from horsesense.errors import StoreError, UsageError
from horsesense.files import read_whole, write_whole
from horsesense.inference.store import Store
from horsesense.items.item import ItemSet
from horsesense.models.base import Asked as Put
from horsesense.models.base import Capabilities
from horsesense.models.messages import Request, Response
from horsesense.readers.reviews import FILE as REVIEWS
from horsesense.runs import asked
from horsesense.runs.directory import RunDirectory
from horsesense.runs.layout import is_of_run
from horsesense.runs.planner import item_index
from horsesense.runs.record import ModelRecord
from horsesense.runs.settings import Settings
from horsesense.runs.stored_items import load_stored_items, save_items
from horsesense.runs.tables import TRIALS, trial_of, trial_rows
from horsesense.trials.trial import Trial
from horsesense_extras.logs.carried import WrittenRun, made_beside
from horsesense_extras.people.spreadsheet import Asked, Returned, code_of, read_booklet, write_table

FORMAT: Final = 1
"""Version of test.json."""
MOST: Final = 2**31
"""Bytes of the largest test.json."""


class Question(NamedTuple):
    """A trial as it stands in a booklet, and the prompt that a model would get."""

    trial: Trial
    request: Request


@dataclass(frozen=True)
class HumanTest:
    """What a test asks.

    Attributes:
        id: part of every booklet's code.
        settings: as of a run; the model is `people:NAME`.
        items: all items, also those that no booklet asks.
        made, probes, excluded: see `runs.asked.AskedRecord`.
        booklets: the questions of each, in their order.
    """

    id: str
    settings: Settings
    items: ItemSet
    made: Sequence[asked.Made]
    probes: Sequence[Mapping[str, Any]]
    excluded: Sequence[Mapping[str, Any]]
    booklets: Sequence[Sequence[Question]]

    def save(self, folder: Path) -> None:
        """Write test.json and items.json; StoreError where the disk refuses."""
        index = item_index(self.items)
        content = {
            "format": FORMAT,
            "id": self.id,
            "settings": self.settings.model_dump(mode="json"),
            "made": [list(made) for made in self.made],
            "probes": self.probes,
            "excluded": self.excluded,
            "booklets": [[_as_json(question, index) for question in b] for b in self.booklets],
        }
        save_items(folder / "items.json", self.items, None)
        write_whole(folder / "test.json", orjson.dumps(content))

    @classmethod
    def load(cls, folder: Path) -> HumanTest:
        """The test in a directory; StoreError where it is none, or is damaged."""
        path = folder / "test.json"
        try:
            content = orjson.loads(read_whole(path, MOST, inside=True))
            if content["format"] != FORMAT:
                raise StoreError(
                    f"{path} has the format {content['format']}; this horsesense knows {FORMAT}.",
                    hint="It was written by a newer horsesense: upgrade.",
                )
            items, _ = load_stored_items(folder / "items.json")
            return cls(
                str(content["id"]),
                Settings.model_validate(content["settings"]),
                items,
                [asked.Made(*made) for made in content["made"]],
                content["probes"],
                content["excluded"],
                [[_question(q) for q in booklet] for booklet in content["booklets"]],
            )
        except (OSError, ValueError, KeyError, TypeError, ValidationError) as error:
            raise StoreError.unreadable(path, error) from None

    @cached_property
    def asking(self) -> dict[int, dict[int, Asked]]:
        """Booklet -> number of a question -> what it asked."""
        return {
            number: {
                place: Asked(
                    q.trial.variant.labels,
                    q.trial.variant.options,
                    self.items.by_id[q.trial.variant.item_id].options,
                )
                for place, q in enumerate(questions, 1)
            }
            for number, questions in enumerate(self.booklets, 1)
        }


def _as_json(question: Question, index: Mapping[str, int]) -> dict[str, Any]:
    (row,) = trial_rows(0, 1, question.trial, b"", index)
    named = dict(zip(TRIALS, row, strict=True))
    kept = {name: named[name] for name in named if name not in ("trial", "item", "key", "settings")}
    return {"trial": kept, "request": question.request.as_json()}


def _question(content: Mapping[str, Any]) -> Question:
    return Question(trial_of([content["trial"]]), Request.from_json(content["request"]))


class Taken(NamedTuple):
    """What was taken: the run, all booklets that are back, and what was left out of files."""

    run: RunDirectory
    returned: Sequence[Returned]
    notes: Sequence[str]


def take(folder: Path, files: Iterable[Path]) -> Taken:
    """Read booklets that came back, keep their answers, and make the run anew.

    Raises:
        ItemsError: a file has rows that cannot be used.
        UsageError: a file is no booklet of this test; a booklet came back twice with different
            answers; or one person filled two booklets.
        StoreError: the test cannot be read or written.
    """
    test = HumanTest.load(folder)
    kept = sorted((folder / "answers").glob("booklet-*.csv"))
    before = {r.booklet: r for r in (read_booklet(path, test.id, test.asking) for path in kept)}
    new = [read_booklet(path, test.id, test.asking) for path in files]
    found = dict(before)
    for one in new:
        _refuse_another(found.get(one.booklet), one, folder)
        found[one.booklet] = one
    _refuse_twice(found.values())
    for one in new:
        _keep(folder, test.id, one)
    returned = [found[number] for number in sorted(found)]
    _write_run(test, returned, folder / "run")
    return Taken(RunDirectory.open(folder / "run"), returned, [n for r in new for n in r.notes])


def _refuse_another(before: Returned | None, now: Returned, folder: Path) -> None:
    """UsageError where a booklet was filled in two ways."""
    if before is None or before.answers == now.answers:
        return
    numbers = sorted(before.answers.keys() | now.answers.keys())
    other = [str(n) for n in numbers if before.answers.get(n) != now.answers.get(n)]
    some = ", ".join(other[:10]) + (f" and {len(other) - 10} more" if len(other) > 10 else "")
    raise UsageError(
        f"Booklet {now.booklet} came back twice with different answers: {before.file} and"
        f" {now.file} differ in question {some}.",
        hint="One booklet is for one person. Take the file that counts alone; if another one was"
        f" taken before, remove {folder / 'answers' / _name(now.booklet)} first.",
    )


def _refuse_twice(returned: Iterable[Returned]) -> None:
    """UsageError where one person filled two booklets, and so saw items in two forms."""
    by_person: dict[str, Returned] = {}
    for one in returned:
        other = by_person.setdefault(one.person.casefold(), one) if one.person else one
        if other is not one:
            raise UsageError(
                f"Booklets {other.booklet} and {one.booklet} were both filled by {one.person!r}"
                f" ({other.file} and {one.file}), who has then seen items in two forms.",
                hint="Leave one of the two out. If they are two people, correct `person`.",
            )


def _name(booklet: int) -> str:
    return f"booklet-{booklet:02d}.csv"


def _keep(folder: Path, test: str, one: Returned) -> None:
    code = code_of(test, one.booklet)
    rows = [(code, one.person, str(n), answer) for n, answer in one.answers.items()]
    (folder / "answers").mkdir(exist_ok=True)
    columns = ("booklet", "person", "number", "answer")
    write_table(folder / "answers" / _name(one.booklet), columns, rows)


def _write_run(test: HumanTest, returned: Sequence[Returned], out: Path) -> None:
    """Write the run of the answers, whole or not at all; what people reviewed of it is kept."""
    with made_beside(out) as layout:
        _fill(test, returned, WrittenRun(layout))
        for path in out.iterdir() if out.is_dir() else ():
            # What people reviewed, and files of theirs, such as a review that is being filled.
            if path.name == REVIEWS or not is_of_run(path.name):
                _copied(path, layout.root / path.name)


def _copied(old: Path, new: Path) -> None:
    if old.is_dir() and not old.is_symlink():
        shutil.copytree(old, new, symlinks=True)
    else:
        shutil.copy2(old, new, follow_symlinks=False)


def _fill(test: HumanTest, returned: Sequence[Returned], run: WrittenRun) -> None:
    identity, index = f"{test.settings.model}@{test.id}", item_index(test.items)
    answered: list[tuple[Put, Response]] = []
    forms = {(made.probe, made.condition): n for n, made in enumerate(test.made)}
    put = [
        (question, one.answers.get(place))
        for one in returned
        for place, question in enumerate(test.booklets[one.booklet - 1], 1)
    ]

    def place_of(trial: Trial) -> tuple[int, int, int]:
        """By form, item and person, whoever's booklet came first."""
        form = forms[trial.probe, trial.condition.format()]
        return form, index[trial.variant.item_id], trial.extras.person or 0

    put.sort(key=lambda question: place_of(question[0].trial))
    for (trial, request), answer in put:
        key = request.key(identity)
        run.add(trial, key, index)
        if answer is not None:
            answered.append((Put(key, request), Response(answer)))
    with Store.lazy(run.layout.store, lambda: None) as store:
        store.put(answered, identity=identity)
    offers = Capabilities(text=True, chat=True, completion=False)
    run.finish(
        "people",
        test.settings,
        test.items,
        ModelRecord.named(test.settings.model, identity, offers),
        _told(test, returned),
        made=test.made,
        probes=test.probes,
        excluded=test.excluded,
    )


def _told(test: HumanTest, returned: Sequence[Returned]) -> dict[str, Any]:
    """What `people.json` holds."""
    return {
        "test": test.id,
        "booklets": len(test.booklets),
        "returned": [one.booklet for one in returned],
        "answers": sum(len(one.answers) for one in returned),
        "missing": {str(one.booklet): list(one.missing) for one in returned if one.missing},
    }


def numbered(question: Question, person: int, repetition: int) -> Question:
    """A question for one person: a draw of its own, so that others may be asked the same."""
    trial, request = question
    params = replace(request.params, sample=person)
    extras = replace(trial.extras, person=person)
    return Question(
        replace(trial, extras=extras, repetition=repetition, sample=person),
        replace(request, params=params),
    )

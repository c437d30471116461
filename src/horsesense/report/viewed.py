"""What a view shows of a run: read when a page asks for it, and again when files have changed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from itertools import repeat
from pathlib import Path

from horsesense.errors import HorsesenseError
from horsesense.items.item import Item
from horsesense.models.known import KnownAnswers
from horsesense.models.messages import UNATTACHED, Request, Response
from horsesense.progress import Progress
from horsesense.report.reasons import ItemEvidence, evidence_of
from horsesense.runs.directory import RunDirectory
from horsesense.runs.parts import UNREADABLE
from horsesense.runs.plan import LOOKED_AT, plan_of
from horsesense.runs.record import RunRecord
from horsesense.runs.results import Results

PAGE = 50
"""Items on one page of the list."""
LATEST = 10
"""Answers shown of a run in progress."""


@dataclass(frozen=True)
class RunProgress:
    """A run that is planned, being asked, or was stopped: how far, and the newest answers."""

    told: str
    state: str
    latest: tuple[tuple[Request, Response], ...]


@dataclass(frozen=True)
class Wanted:
    """Which items a page shows.

    Attributes:
        search: text that question, options or id must hold, whatever its case.
        reason: what must have happened to them, as in `reasons`; "" for anything.
        part: the part of the score they belong to; "" for any.
        subject: their subject; "" for any.
        page: from 1.
    """

    search: str = ""
    reason: str = ""
    part: str = ""
    subject: str = ""
    page: int = 1

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Wanted:
        """From the query of an address; what is no number is the first page."""
        page = query.get("page", "1")
        number = int(page) if page.isascii() and page.isdigit() and len(page) < 8 else 1
        names = ("search", "reason", "part", "subject")
        return cls(**{name: query.get(name, "")[:500] for name in names}, page=max(1, number))


class Viewed:
    """A run as it lies on disk.

    Results and evidence are read again when `estimates.json` changes. Evidence goes through all
    trials, so it is made beside the first pages, which do without its filters.
    """

    def __init__(self, path: str | Path) -> None:
        """Open the run at `path`; StoreError where there is none."""
        self.directory = RunDirectory.open(path)
        self._lock = threading.Lock()
        self._stamp: tuple[int, int] | None = None
        self._results: Results | None = None
        self._evidence: ItemEvidence | None = None
        self._texts: list[str] | None = None
        self._progress: Progress | None = None

    @property
    def items(self) -> Sequence[Item]:
        return self.directory.items.items

    def _now(self) -> RunDirectory:
        """The run as run.toml tells it now; its items are read again only where they are others."""
        record = RunRecord.load(self.directory.layout.record)
        if record.items.fingerprint != self.directory.known.items.fingerprint:
            return RunDirectory.open(self.directory.layout.root)
        return replace(self.directory, record=record, settings=record.settings)

    def results(self) -> Results | None:
        """What was measured; None as long as nothing was."""
        try:
            found = self.directory.layout.estimates.stat()
        except OSError:
            return None
        with self._lock:
            stamp = (found.st_mtime_ns, found.st_size)
            if stamp != self._stamp:
                self.directory = self._now()
                self._results = Results.load(self.directory)
                self._stamp, self._evidence = stamp, None
                threading.Thread(target=self._find, args=(stamp,), daemon=True).start()
            return self._results

    def _find(self, stamp: tuple[int, int]) -> None:
        assert self._results is not None
        try:
            found = evidence_of(self._results)
        except HorsesenseError:
            return
        with self._lock:
            if stamp == self._stamp:
                self._evidence = found

    def evidence(self) -> ItemEvidence | None:
        """What happened to each item; None while it is still being looked for."""
        with self._lock:
            return self._evidence

    def progress(self) -> RunProgress | None:
        """How far asking is; None once it is complete."""
        directory = self._now()
        stage = directory.known.stages.get("ask")
        if stage is not None and stage.state == "complete":
            return None
        with directory.store() as store, self._lock:
            answered = store.answered()
            if self._progress is None:
                self._progress = _asking(directory)
                self._progress(answered, skipped=True)  # the rate is that since the view began
            self._progress(answered - self._progress.done)
            told = self._progress.line(time.monotonic())
            state = "planned" if not answered else "begun" if stage is None else stage.state
            return RunProgress(told, state, tuple(store.latest(LATEST)))

    def find(self, wanted: Wanted) -> list[Item]:
        """The items that a page wants, all of them, in the order of the data."""
        evidence = self.evidence()
        ids = part = None
        if evidence is not None and wanted.reason:
            ids = evidence.holds.get(wanted.reason, frozenset())
        if evidence is not None and wanted.part:
            part = evidence.part
        search = wanted.search.casefold()
        if search and self._texts is None:
            self._texts = [
                "\n".join((item.id, item.question, *item.options)).casefold() for item in self.items
            ]
        texts = (self._texts or ()) if search else repeat("")
        return [
            item
            for item, text in zip(self.items, texts, strict=False)
            if search in text
            and (not wanted.subject or item.subject == wanted.subject)
            and (ids is None or item.id in ids)
            and (part is None or part.get(item.id) == wanted.part)
        ]


class RunFolder:
    """A folder in which runs lie, those that come later too."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open: dict[str, Viewed] = {}

    def names(self) -> list[str]:
        """The folders of the runs."""
        return sorted(record.parent.name for record in self._path.glob("*/run.toml"))

    def run(self, name: str) -> Viewed | None:
        """The run of that name; None where there is none."""
        if name not in self.names():
            return None
        if name not in self._open:
            self._open[name] = Viewed(self._path / name)
        return self._open[name]

    def rows(self) -> Iterator[tuple[str, Results | None, str]]:
        """Name of each run, what was measured of it, and else why there is nothing."""
        for name in self.names():
            try:
                found = RunDirectory.open(self._path / name)
                yield name, Results.load(found) if found.layout.estimates.is_file() else None, ""
            except (HorsesenseError, *UNREADABLE) as error:
                yield name, None, str(error)


def _asking(directory: RunDirectory) -> Progress:
    """Progress of a run's requests, of which there are about as many as its plan has."""
    known = directory.known.model
    model = KnownAnswers[None](known.name, known.identity, known.offers, {}, lambda *_: UNATTACHED)
    plan = plan_of(directory.study(), model, sample=LOOKED_AT)
    about = plan.at_most or not plan.exact
    return Progress("Answers", plan.requests, StringIO(), about=about)

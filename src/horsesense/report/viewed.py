"""What a view shows of a run: read when a page asks for it, and again when files have changed."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from horsesense.errors import HorsesenseError, UnexpectedError
from horsesense.items.item import Item
from horsesense.kept import NAME
from horsesense.models.known import KnownAnswers
from horsesense.models.messages import UNATTACHED, Request, Response
from horsesense.progress import Progress
from horsesense.report.reasons import ItemEvidence, evidence_of
from horsesense.report.score_bar import NO_SCORE, headline
from horsesense.runs.directory import RunDirectory
from horsesense.runs.layout import RunLayout
from horsesense.runs.parts import UNREADABLE
from horsesense.runs.plan import LOOKED_AT, plan_of
from horsesense.runs.record import RunRecord
from horsesense.runs.results import Results
from horsesense.runs.stored_items import Seen

PAGE = 50
"""Items on one page of the list."""
PATIENCE = 1.0
"""Seconds for which a page of many runs reads those that it does not know yet."""
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
        self._stamp: tuple[int, int, int] | None = None
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
        stamp = _stamp(self.directory.layout.estimates)
        if stamp is None:
            return None
        with self._lock:
            if stamp != self._stamp:
                self.directory = self._now()
                self._results = Results.load(self.directory)
                self._stamp, self._evidence = stamp, None
                threading.Thread(target=self._find, args=(stamp,), daemon=True).start()
            return self._results

    def _find(self, stamp: tuple[int, int, int]) -> None:
        assert self._results is not None
        with contextlib.suppress(HorsesenseError):
            found = evidence_of(self._results)
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


class Row(NamedTuple):
    """A run in the index of a folder: what is shown of it, and else why there is nothing; neither
    where it is not read yet."""

    name: str
    shown: Mapping[str, Any] | None = None
    why: str = ""

    @property
    def link(self) -> str:
        """Its page, as seen from the index; "" where no address can name it."""
        with contextlib.suppress(UnicodeEncodeError):
            return f"{quote(self.name, safe='')}/"
        return ""


class RunFolder:
    """A folder in which runs lie, those that come later too.

    What the index shows of a run is kept until its files change.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open: dict[str, Viewed] = {}
        self._rows: dict[str, tuple[object, Row]] = {}
        self._lock = threading.Lock()

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

    def rows(self) -> tuple[list[Row], bool]:
        """A row for each run, and whether all are read, for which there is `PATIENCE`."""
        names, seen, until, rows = self.names(), Seen(), time.monotonic() + PATIENCE, list[Row]()
        with self._lock:
            for name in names:
                at = RunLayout(self._path / name)
                files = [_stamp(p) for p in (at.record, at.items, at.estimates, at.root / NAME)]
                if self._rows.get(name, ("",))[0] == files:
                    rows.append(self._rows[name][1])
                elif time.monotonic() < until:
                    rows.append(self._row(name, seen))
                    self._rows[name] = files, rows[-1]
                else:
                    rows.append(Row(name))
        return rows, all(row.shown or row.why for row in rows)

    def _row(self, name: str, seen: Seen) -> Row:
        if not Row(name).link:
            return Row(name, why="The name is not UTF-8: rename the folder.")
        try:
            directory = RunDirectory.open(self._path / name, seen)
            if not directory.layout.estimates.is_file():
                return Row(name, why="not measured yet")
            run = Results.load(directory)
            return Row(
                name,
                {
                    "model": run.findings["model"]["name"],
                    "data": run.findings["dataset"]["name"],
                    "asked": run.findings["dataset"]["items"],
                    "headline": " ".join(headline(run)) or NO_SCORE,
                    "checks": len(run.verdict),
                    "found": sum(f.conclusion == "found" for f in run.verdict),
                    "unfinished": run.unfinished,
                },
            )
        except (Exception, *UNREADABLE) as error:  # noqa: BLE001 - told in its row
            return Row(name, why=str(UnexpectedError.of(error, "The run")))


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """By which it is seen that a file has changed; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size


def _asking(directory: RunDirectory) -> Progress:
    """Progress of a run's requests, of which there are about as many as its plan has."""
    known = directory.known.model
    model = KnownAnswers[None](known.name, known.identity, known.offers, {}, lambda *_: UNATTACHED)
    plan = plan_of(directory.study(), model, sample=LOOKED_AT)
    about = plan.at_most or not plan.exact
    return Progress("Answers", plan.requests, StringIO(), about=about)

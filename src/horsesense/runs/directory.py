"""A run directory as the stages see it: what it is, what lies in it, what has been done."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

import orjson
import polars as pl

from horsesense.errors import StoreError
from horsesense.files import make_folder, may_write, remove_leftovers
from horsesense.inference.store import Store
from horsesense.inference.store_file import has_locks
from horsesense.inference.stored_rows import last_of, lost_since
from horsesense.items.item import ItemSet
from horsesense.kept import NAME, digest_of, known_files, read_kept, shorten
from horsesense.probes.registry import parse_probes
from horsesense.prompts import Want
from horsesense.rng import fingerprint
from horsesense.runs.accounts import named
from horsesense.runs.asked import AskedRecord
from horsesense.runs.layout import RunLayout, put_aside
from horsesense.runs.parts import readable, scan_parts
from horsesense.runs.prepare import Study, prepare, reader_names, want_of
from horsesense.runs.record import ItemsRecord, ModelRecord, RunRecord, Stage, State
from horsesense.runs.settings import Settings
from horsesense.runs.stored_items import Seen, load_stored_items, save_items
from horsesense.runs.tables import READINGS, TRIALS
from horsesense.stats.words import plural

READ_LATER = frozenset(("readers", "level", "smallest", "no_preflight"))
"""Settings that change nothing about what is asked, but for scores that a reader needs."""

_BEFORE = (
    "items model probes suite faithful sizes bundles disjoint map split where labels task limit"
    " seed shots shots_from style templates max_tokens temperature top_p until"
    " top_logprobs label_tokens continuations unconditional"
)
ALWAYS_NAMED = frozenset(_BEFORE.split())
"""What 0.2.0 knew. What came later is named only where it is not at its default, so that runs from
before there was such a setting asked the same."""

ANEW: Final = {
    "imported": "Import the log again: horsesense import LOG --out ANOTHER.",
    "people": "Take a booklet again: horsesense annotate TEST --take BOOKLET.",
}
"""Kinds of run of which no file tells again what was asked -> how the run is made anew."""
READ_AGAIN: Final = (
    "horsesense report {0} makes it again from the stored answers. Where it is a judge's,"
    " horsesense read {0} --readers JUDGE does, as run.toml names the judge."
)
"""What to do where readings are lost: those of a judge, which may cost, are made for who asks."""


@dataclass
class RunDirectory:
    """A run on disk, or one that will lie there once its first answer has come.

    Attributes:
        layout: where its files are.
        settings, items, shots: what is asked, about what, and the few-shot examples.
        record: what run.toml holds; None while nothing is on disk.
    """

    layout: RunLayout
    settings: Settings
    items: ItemSet
    shots: ItemSet | None = None
    record: RunRecord | None = None
    _counted: bool = field(default=False, init=False, repr=False, compare=False)

    @classmethod
    def open(cls, path: str | Path, seen: Seen | None = None) -> Self:
        """A run that lies at `path`; StoreError where none does, or it is damaged.

        Items that are in `seen` are shared with the runs that put them there.
        """
        layout = RunLayout.at(path)
        record = RunRecord.load(layout.record)
        items, shots = load_stored_items(layout.items, seen)
        if items.fingerprint != record.items.fingerprint:
            raise StoreError(
                f"{layout.items} does not hold the items that run.toml names.",
                hint="One of the two was changed or comes from another run: restore it.",
            )
        return cls(layout, record.settings, items, shots, record)

    @property
    def writable(self) -> bool:
        """Whether this process may write to the run; one that it may not is measured in memory."""
        root = self.layout.root
        return not root.exists() or (may_write(root) and has_locks(self.layout.store))

    @property
    def known(self) -> RunRecord:
        """What run.toml holds; StoreError where nothing is on disk yet."""
        if self.record is None:
            raise StoreError(
                f"{self.layout.root} holds no run yet.", hint="Ask first: Run.ask(model)."
            )
        return self.record

    def begin(self, model: ModelRecord) -> None:
        """Write down what is asked and whom. Called once the first answer is there."""
        make_folder(self.layout.root)
        named(self.layout)
        put_aside(self.layout.root)
        if self.record is not None and self.lost():  # what was read of them no longer holds
            shutil.rmtree(self.layout.readings, ignore_errors=True)
        remove_leftovers(self.layout.root, self.layout.tables)
        self.save_items()
        self.record = self.new_record(model)
        self.mark("ask", "begun")

    def save_items(self) -> None:
        """Write the items and the few-shot examples; StoreError where the disk refuses.

        Items that are not asked are written only where a probe shows texts of theirs.
        """
        items = self.items
        if items.whole and not any(p.borrows for p in parse_probes(self.settings.probes)):
            items = replace(items, whole=())
        save_items(self.layout.items, items, self.shots)

    def new_record(self, model: ModelRecord) -> RunRecord:
        """The content of run.toml for what is to be asked now."""
        return RunRecord(
            settings=self.settings,
            items=ItemsRecord(
                name=self.items.name, fingerprint=self.items.fingerprint, count=len(self.items)
            ),
            model=model,
            asked_for=self._asked_for(model),
            stages={} if self.record is None else dict(self.record.stages),
        )

    def mark(self, stage: Stage, state: State, reason: str = "") -> None:
        """Write down what a stage has done, and how many answers are stored by then."""
        record = self.known.with_stage(stage, state, reason)
        if self.writable and self.layout.store.exists():
            with Store.open(self.layout.store, read_only=True) as store:
                answers, last = last_of(store.rows)
            record = record.model_copy(update={"answers": answers, "last_answer": last})
        self._keep(record)

    def keep_readers(self, readers: dict[str, str]) -> None:
        """Write down which readings measures are taken from: reader -> version."""
        settings = self.settings.model_copy(update={"readers": tuple(readers)})
        self.settings = settings
        self._keep(self.known.model_copy(update={"readers": readers, "settings": settings}))

    def _keep(self, record: RunRecord) -> None:
        if self.writable and (record != self.record or not self.layout.record.exists()):
            record.save(self.layout.record)
        self.record = record

    def study(self, model: ModelRecord | None = None) -> Study:
        """The study, ready to be asked or read again; by default of the model that was asked."""
        whom = self.known.model if model is None else model
        return prepare(self.settings, self.items, self.shots, whom, self._asked_for(model))

    def _asked_for(self, model: ModelRecord | None) -> tuple[str, ...]:
        """Readers whose needs requests are written for; asking anew adds those of the settings."""
        before = () if self.record is None else self.record.asked_for
        if model is None:
            return before
        named = reader_names(self.settings, self.items, model)
        return tuple(dict.fromkeys((*before, *named)))

    def lost(self) -> str:
        """What is wrong where the store lacks answers that it held; "" where it has all."""
        record, path = self.known, self.layout.store
        if not record.answers:
            return ""
        if not path.exists():
            return f"{path} is missing, with {plural(record.answers, 'answer')}"
        with Store.open(path, read_only=True) as store:
            lost = lost_since(store.rows, record.answers, record.last_answer)
        return lost and f"{path}: {lost}"

    def check_answers(self) -> None:
        """StoreError where the store lacks answers that it held."""
        if lost := self.lost():
            again = ANEW.get(self.known.kind, "Give the same audit again: it asks them anew.")
            raise StoreError(
                f"{lost}.",
                hint=f"{again} Or restore the file from a copy. horsesense verify"
                f" {self.layout.root} lists all that is wrong.",
            )

    def store(self) -> Store:
        """The stored answers, for reading; StoreError where some were lost."""
        self.check_answers()
        return Store.open(self.layout.store, read_only=True)

    def hold(self, begin: Callable[[], None]) -> Store:
        """The store, and the run for this process alone, before anything is asked.

        `begin` is called just before the first answer of this session is kept.

        Raises:
            StoreError: another process works on the run, or has made one here meanwhile, or the
                manifest here is damaged, so that nothing could be kept.
        """
        try:
            known_files(self.layout.root)
        except OSError as error:
            raise StoreError.unreadable(self.layout.root / NAME, error) from error
        store = Store.lazy(self.layout.store, begin)
        if self.record is None and self.layout.record.exists():
            store.close()
            raise StoreError(
                f"{self.layout.root} has become a run of another command meanwhile.",
                hint="The same command, given again, continues it or says why it cannot.",
            )
        return store

    def question(self) -> str:
        """Fingerprint of everything that decides what was asked."""
        settings = self.settings.model_dump(mode="json", exclude=set(READ_LATER))
        known = type(self.settings).model_fields.items()
        asked = _named(settings, {n: f.get_default(call_default_factory=True) for n, f in known})
        shots = None if self.shots is None else self.shots.fingerprint
        wanted = want_of(self.settings, self.known.model.offers, self._asked_for(None))
        want = _named(asdict(wanted), asdict(Want()))
        whom = self.known.model.model_dump(mode="json")
        return fingerprint([asked, self.items.fingerprint, shots, whom, want])

    @property
    def given(self) -> tuple[Path, ...]:
        """What the items and answers do not give again, beyond what people decided.

        All else is derived. Of an audit that is also what was asked; of no import it is.
        """
        layout, kind = self.layout, self.record and self.record.kind
        told = layout.imported if kind == "imported" else layout.people
        return (layout.asked, layout.trials, layout.recorded, told) if kind in ANEW else ()

    @property
    def again(self) -> str:
        """What to do where it is lost what was asked."""
        here = "Delete it: what was asked is then worked out again from run.toml."
        return ANEW.get(self.known.kind, here)

    def check_given(self) -> None:
        """StoreError where something that nothing gives again is damaged or gone."""
        root, given = self.layout.root, self.given
        if not given:
            return
        path = root / NAME
        try:
            for path in (*given[:2], *(root / name for name in known_files(root))):
                if any(path.is_relative_to(one) for one in given):
                    digest_of(path)
        except OSError as error:
            raise StoreError.unreadable(path, error, self.again) from None

    def asked(self) -> AskedRecord | None:
        """What asking settled; None where that is to be planned again, as for other settings.

        StoreError where it cannot be, as of an import.
        """
        self.check_given()
        if not self.layout.asked.exists():
            return None
        found = AskedRecord.load(self.layout.asked, self.again)
        there = all(self.layout.trials_of(stage).is_dir() for stage in found.plan)
        return found if self.given or (there and found.question == self.question()) else None

    def settled(self) -> AskedRecord:
        """What asking settled; StoreError where the tables are not planned, or lack a part, which
        is looked for once."""
        root, found = self.layout.root, self.asked()
        if found is None:
            raise StoreError(
                f"The tables of {root} are not complete.",
                hint=f"horsesense report {root} makes them again.",
            )
        for path in () if self._counted else self.lacking():
            raise StoreError(
                f"{path} lacks a part that was written.",
                hint=f"{READ_AGAIN.format(root)} What was imported is imported again.",
            )
        self._counted = True
        return found

    def trials(self, stages: Iterable[int] | None = None) -> pl.LazyFrame:
        """What was asked: one row per trial and variant, see `runs.tables.TRIALS`."""
        chosen = sorted(self.settled().plan) if stages is None else stages
        return scan_parts([self.layout.trials_of(stage) for stage in chosen], TRIALS)

    def readings(self) -> pl.LazyFrame:
        """What was understood: one row per reading, see `runs.tables.READINGS`."""
        return scan_readings(self.layout, self.known.readers, self.settled().plan)

    def lacking(self) -> list[Path]:
        """Tables that hold less than was written: some of their parts are gone.

        StoreError where one cannot be read.
        """
        if (found := self.asked()) is None:
            return []
        lacking = []
        with readable(self.layout.root):
            trials = self.trials(sorted(found.plan)).select(pl.col("trial").n_unique())
            if trials.collect().item() < found.trials:
                lacking.append(self.layout.trials)
            for name, version in self.known.readers.items():
                folder = self.layout.readings_of(name, version)
                told, one = told_of(folder), {name: version}
                same = (
                    s for s, plan in found.plan.items() if told.get("plan", {}).get(str(s)) == plan
                )
                rows = sum(told.get("rows", {}).get(str(stage), 0) for stage in same)
                readings = scan_readings(self.layout, one, found.plan).select(pl.len())
                if readings.collect().item() < rows:
                    lacking.append(folder)
        return lacking

    @contextlib.contextmanager
    def writing(self) -> Iterator[Store]:
        """The store, and the run for this process alone, so that nothing else writes its tables.

        A run that nobody can write to is opened for reading.

        Raises:
            StoreError: another process works on the run, or answers were lost.
        """
        self.check_answers()
        alone = self.writable and may_write(self.layout.store)
        with Store.open(self.layout.store) if alone else self.store() as store:
            if alone:
                shorten(self.layout.root)
            yield store


def _named(values: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """What a fingerprint names: values that 0.2.0 knew, and later ones that are not the default."""
    return {n: v for n, v in values.items() if n in ALWAYS_NAMED or v != defaults[n]}


def scan_readings(
    layout: RunLayout, readers: Mapping[str, str], plan: Mapping[int, str]
) -> pl.LazyFrame:
    """The readings of some readers (name -> version) of the trials of a plan, and of no others."""
    places = []
    for name, version in readers.items():
        folder = layout.readings_of(name, version)
        told = told_of(folder)
        if plan and not told:
            raise StoreError(
                f"{folder / 'reader.json'} is missing.",
                hint=READ_AGAIN.format(layout.root),
            )
        read = told.get("plan", {})
        places += [
            folder / f"stage-{stage}"
            for stage in sorted(plan)
            if read.get(str(stage)) == plan[stage]
        ]
    return scan_parts(places, READINGS)


def told_of(folder: Path) -> dict[str, Any]:
    """What reader.json says of the readings in a folder; nothing where there is none.

    StoreError where it is there and damaged: its readings are then made again, and not left out.
    """
    path = folder / "reader.json"
    try:
        found: dict[str, Any] = orjson.loads(read_kept(path))
        shown: list[tuple[Any, type]] = [(found["name"], str), (found["version"], str)]
        shown += [(text, str) for text in found["plan"].values()]
        shown += [(count, int) for count in found.get("rows", {}).values()]
        shown += [(found["fit"], dict)] if "fit" in found else []
        shown += [(found["spent"].get("failed", 0), int)] if "spent" in found else []
        if not all(isinstance(value, kind) for value, kind in shown):
            raise TypeError
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise StoreError.unreadable(path, error, READ_AGAIN.format(folder.parents[1])) from None
    return found

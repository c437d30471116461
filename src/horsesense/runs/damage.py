"""Damage to a run directory: whether it holds what it says, and what can be made again.

`verify` derives every hash again and changes nothing. `mend` removes what the answers give again,
so that the stages make it again.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl

from horsesense.errors import HorsesenseError, StoreError
from horsesense.inference.store import Store
from horsesense.inference.stored_rows import Spent, Verification
from horsesense.kept import changed, in_place, known_files
from horsesense.progress import say
from horsesense.readers.model_based.make import is_model_reader
from horsesense.readers.registry import installed
from horsesense.runs.accounts import told_before
from horsesense.runs.directory import RunDirectory, scan_readings, told_of
from horsesense.runs.parts import UNREADABLE
from horsesense.runs.read import described
from horsesense.runs.redacted import MARK
from horsesense.runs.results import Results
from horsesense.runs.tables import CHUNK


def verify(directory: RunDirectory) -> Verification:
    """What the store holds, and whether the tables and estimates speak of it."""
    with Store.open(directory.layout.store, read_only=True) as store:
        found = store.verify()
        lost = filter(None, [directory.lost()])
        faults = [*found.faults, *lost, *_account(directory, store), *_tables(directory, store)]
    faults += [*_estimates(directory), *_files(directory)]
    manifest = bool(known_files(directory.layout.root))
    return Verification(found.checked, tuple(faults), manifest)


def _account(directory: RunDirectory, store: Store) -> list[str]:
    """Faults of the account: it cannot be read, or holds less than the answers took.

    Where parts became one, answers of copies may exceed it.
    """
    if not [*store.rows("SELECT 1 FROM sqlite_master WHERE name = 'spending'")]:
        return []  # of an earlier release
    try:
        spent = store.spent()
    except HorsesenseError as error:
        return [error.message]
    if directory.known.kind != "asked" or told_before(directory.layout):
        return []
    paid = store.paid().items()
    low = [who for who, least in paid if spent.get(who, Spent()) | least != spent.get(who)]
    return [f"the account of what was spent is below what the answers of {who} took" for who in low]


def _files(directory: RunDirectory) -> list[str]:
    """Faults of the files that the manifest lists: what was changed, or is gone."""
    root = directory.layout.root
    faults = [f"{path.relative_to(root)}: {wrong}" for path, wrong in changed(root)]
    was = in_place(root) - {"report.html"} if known_files(root) else ()
    gone = (name for name in sorted(was) if not (root / name).exists())
    return [*faults, *(f"{name}: it is missing" for name in gone)]


def _tables(directory: RunDirectory, store: Store) -> list[str]:
    """Faults of the tables: what cannot be read, and readings of no trial or of no answer."""
    try:
        asked, readers = directory.asked(), described(directory)
        plan = {} if asked is None else asked.plan
        trials = directory.trials(sorted(plan)).select("trial", "variant", "item", "key").collect()
        read = scan_readings(directory.layout, directory.known.readers, plan)
        every = read.select("trial", "variant", "reader").collect()
        readings = every.select("trial", "variant").unique()
    except (HorsesenseError, *UNREADABLE) as error:
        return [f"the tables cannot be read: {str(error).splitlines()[0]}"]
    faults = []
    if asked is not None and trials["trial"].n_unique() != asked.trials:
        faults.append(f"trials: {trials['trial'].n_unique():,} stand there, {asked.trials:,} were")
    beyond = trials.filter(pl.col("item") >= len(directory.items)).height
    if beyond:
        faults.append(f"trials: {beyond:,} speak of items that are not in items.json")
    for name, rows in {"trials": trials, "readings": every}.items():
        if twice := rows.height - rows.unique().height:
            faults.append(f"{name}: {twice:,} stand there twice")
    for told in readers:
        name, counts = told.get("name", "?"), told.get("rows", {})
        rows = sum(counts.get(str(stage), 0) for stage in (asked.plan if asked else ()))
        there = every.filter(pl.col("reader") == name).height
        if there < rows:
            faults.append(f"readings: {there:,} of {name} stand there, {rows:,} were")
    stray = readings.join(trials, on=["trial", "variant"], how="anti").height
    if stray:
        faults.append(f"readings: {stray:,} belong to no trial")
    if (directory.layout.root / MARK).exists():
        return faults  # a redacted run has no answers
    keys = readings.join(trials, on=["trial", "variant"]).select(pl.col("key").unique())
    sql = "SELECT 1 FROM responses WHERE key IN ({})"
    parts = keys.iter_slices(CHUNK)
    there = sum(1 for part in parts for _ in store.select_in(sql, part["key"].to_list()))
    said = 0 if asked is None else asked.spent.get("answered", 0)
    if (stored := store.answered()) < said:
        faults.append(f"store: {stored:,} answers stand there, {said:,} came")
    if there < keys.height:
        faults.append(f"store: {keys.height - there:,} of {keys.height:,} answers read are gone")
    return faults


def _estimates(directory: RunDirectory) -> list[str]:
    path = directory.layout.estimates
    if not path.exists() or directory.lost() or path in dict(changed(path.parent)):
        return []  # or it is said already what is wrong
    try:
        found = Results.load(directory)
    except HorsesenseError as error:
        return [error.message]
    dataset = found.findings.get("dataset")
    said = dataset.get("fingerprint") if isinstance(dataset, dict) else None
    if said != directory.items.fingerprint:
        return ["estimates.json speaks of other items"]
    return []


def mend(directory: RunDirectory) -> bool:
    """Remove damaged tables, estimates and records that the answers give again, and name them.

    Readings of a judge stay, since to make them again may cost money. Returns whether readings of
    the run have to be made again. StoreError where the run cannot be written to, or a reader of
    damaged readings is not installed.
    """
    found = _damaged(directory)
    if found and not directory.writable:
        raise StoreError(
            f"{min(found)} is damaged, and the run cannot be written to.",
            hint="Copy the run, and have the copy reported: what can be is made again there.",
        )
    for path, where in found.items():
        say(f"{where}: it is damaged and made again from the answers that are stored.")
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    return bool(found.keys() - {directory.layout.estimates})


def _damaged(directory: RunDirectory) -> dict[Path, Path]:
    """What is to be made again -> the damaged file in it."""
    layout, found = directory.layout, dict[Path, Path]()
    again = () if directory.given else (layout.trials, layout.asked)
    ours = {
        layout.readings_of(name, version): name
        for name, version in directory.known.readers.items()
        if not is_model_reader(name)
    }
    for path, _ in changed(layout.root):
        for whole in (*again, *ours, layout.estimates):
            if path.is_relative_to(whole):
                found.setdefault(whole, path)
    try:
        lacking = () if found else directory.lacking()
    except StoreError:  # by what is told of a reader, as below
        lacking = ()
    if layout.trials in lacking and again:
        found[layout.trials] = layout.trials
    for folder in ours:
        try:
            missing = folder in lacking or not told_of(folder)
        except StoreError:
            missing = True
        if missing and layout.asked not in found and directory.asked() is not None:
            found.setdefault(folder, folder if folder in lacking else folder / "reader.json")
    for folder in found.keys() & ours.keys():
        if not installed(ours[folder]):
            raise StoreError(
                f"{found[folder]} is damaged, and its reader {ours[folder]} is not installed here.",
                hint="Nothing was changed. With the reader, horsesense report reads again.",
            )
    return found

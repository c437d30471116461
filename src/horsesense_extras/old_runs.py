"""A run directory that 0.1.0 wrote becomes one of today, once; its files are kept in `0.1.0/`."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

import orjson
import polars as pl

from horsesense.errors import HorsesenseError, StoreError
from horsesense.files import read_settings, read_whole, replace_folder
from horsesense.inference.limits import RunSummary
from horsesense.items.item import ItemSet
from horsesense.kept import keep
from horsesense.probes.registry import PROBES
from horsesense.progress import say
from horsesense.readers.registry import make_reader
from horsesense.runs.asked import AskedRecord, Made
from horsesense.runs.directory import RunDirectory
from horsesense.runs.layout import ASIDE, VERSION_ONE, RunLayout, version_one
from horsesense.runs.parts import scan_parts, write_table
from horsesense.runs.prepare import load_shots, load_study_items
from horsesense.runs.record import DAMAGED, ModelRecord
from horsesense.runs.settings import Settings
from horsesense.runs.tables import READINGS, TRIALS
from horsesense.trials.condition import Condition

OLD = (*VERSION_ONE, "estimates.json")
"""Files of a finished run of 0.1.0, besides its store and its report."""
_DAMAGE = (ValueError, LookupError, TypeError, AttributeError, pl.exceptions.PolarsError)
"""What reading its files raises where they are cut short or hold something else."""
_COLUMNS = {"asks": "answer_format", "content": "option", "slots": "positions"}


def convert_if_old(path: Path, *, unfinished: Literal["refuse", "keep"] = "refuse") -> None:
    """Convert a finished run of 0.1.0 at `path`; anything else is left alone.

    Args:
        unfinished: "refuse" raises for a run of 0.1.0 that never finished; "keep" leaves it to be
            asked again, which finds its stored answers.

    Raises StoreError where its items are gone or have changed, its answers are missing, or it
    never finished.
    """
    layout, aside = RunLayout.at(path), path / ASIDE
    if layout.record.exists():
        if path / "study.toml" in version_one(path) and (aside / "study.toml").exists():
            _clear(path)  # a conversion was cut short when all was done but this
        return
    started = all((aside / name).exists() for name in OLD)
    if not started and path / "study.toml" not in version_one(path):
        return
    stored = layout.store.exists()
    if not stored or not (started or all((path / name).exists() for name in OLD)):
        if unfinished == "keep":
            return
        lacks = "that was not finished" if stored else "without its answers (store.sqlite)"
        kept = "its stored answers are kept" if stored else "everything is asked again"
        raise StoreError(
            f"{path} holds a run of horsesense 0.1.0 {lacks}.",
            hint=f"Run the same audit with this --out again: {kept}.",
        )
    if not started:
        _copy(path, aside)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # nobody typed the old names just now
        try:
            _convert(layout, aside)
        except _DAMAGE as error:
            raise StoreError.unreadable(aside, error, DAMAGED) from None
    _clear(path)
    say(f"{path} was made by horsesense 0.1.0 and has been converted; its files are in {ASIDE}/.")


def _copy(path: Path, aside: Path) -> None:
    """Keep the old files, all of them or none, before anything new is written."""
    new = path / f".{ASIDE}.{os.getpid()}.part"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    for name in (*OLD, "report.html"):
        if (path / name).exists():
            shutil.copy2(path / name, new / name)
    replace_folder(new, aside)


def _clear(path: Path) -> None:
    for file in version_one(path):
        file.unlink()


def _convert(layout: RunLayout, old: Path) -> None:
    """Write everything new, run.toml last."""
    try:
        findings = orjson.loads(read_whole(old / "estimates.json", inside=True))
    except ValueError as error:
        raise StoreError.unreadable(old / "estimates.json", error, DAMAGED) from None
    settings = _settings(old / "study.toml")
    items = _items(layout, settings, findings["dataset"]["fingerprint"])
    model = ModelRecord(
        name=findings["model"]["name"],
        identity=findings["model"]["identity"],
        capabilities={"notes": findings["model"]["notes"]},
    )
    directory = RunDirectory(layout, settings, items, load_shots(settings, items))
    plan = _trials(layout, old)
    readers = _readings(layout, old, plan, findings)
    record = directory.new_record(model).model_copy(update={"readers": readers})
    record = record.with_stage("ask", "complete").with_stage("read", "complete")
    directory.record = record
    directory.settings = settings.model_copy(update={"readers": tuple(readers)})
    _asked(directory, findings, plan).save(layout.asked)
    directory.save_items()
    record.model_copy(update={"settings": directory.settings}).save(layout.record)


def _settings(path: Path) -> Settings:
    try:
        return Settings.of(**read_settings(path, inside=True))
    except (OSError, ValueError) as error:
        raise StoreError.unreadable(path, error) from None


def _items(layout: RunLayout, settings: Settings, fingerprint: str) -> ItemSet:
    """The items, which 0.1.0 did not keep: they must still be where they were."""
    try:
        items = load_study_items(settings)
    except HorsesenseError as error:
        raise StoreError(
            f"{layout.root} was made by horsesense 0.1.0, which did not keep the items, and they"
            f" cannot be read any more: {error.message}",
            hint=f"Bring {settings.items} back, and open the run again.",
        ) from None
    if items.fingerprint != fingerprint:
        raise StoreError(
            f"{layout.root} was made by horsesense 0.1.0, which did not keep the items, and"
            f" {settings.items} has changed since.",
            hint="Bring the old file back, or audit the new one into another directory.",
        )
    return items


def _reader_names(findings: Mapping[str, Any]) -> dict[str, str]:
    """Names of readers then and now; those of models are as they were, and none is made."""
    names = findings["readers"]
    return {
        name: name if ":" in name.partition("(")[0] else make_reader(name).name for name in names
    }


def _version(findings: Mapping[str, Any], reader: str) -> str:
    """The version of a reader, as the signatures of its estimates state it."""
    start = f"{reader}@"
    for row in findings["estimates"]:
        stated = _signed(row["signature"]).get("reader", "")
        if stated.startswith(start):
            return stated.removeprefix(start).partition("+")[0]
    return "0.1.0"


def _signed(signature: str) -> dict[str, str]:
    """The parts of a signature of 0.1.0."""
    pairs = (part.partition(":") for part in signature.split("|"))
    return {name: value for name, _, value in pairs}


def _trials(layout: RunLayout, files: Path) -> dict[int, str]:
    """Convert the table of trials; stage -> fingerprint of its trials."""
    old = _renamed(pl.scan_parquet(files / "trials.parquet", glob=False)).collect()
    old = _conditions(old).with_columns(question=None)
    plan = {}
    for (stage,), rows in old.group_by("stage", maintain_order=True):
        _write(layout.trials_of(int(str(stage))), rows.select(list(TRIALS)).cast(pl.Schema(TRIALS)))
        digest = blake2b(digest_size=8)
        for key in rows.unique("trial", keep="first", maintain_order=True)["key"]:
            digest.update(key)
        plan[int(str(stage))] = digest.hexdigest()
    return plan


def _conditions(trials: pl.DataFrame) -> pl.DataFrame:
    """Conditions in their present form, beside their settings."""
    rows = [
        {
            "probe": probe,
            "condition": text,
            "now": str(now := _condition(probe, text)),
            "settings": [{"name": name, "value": value} for name, value in now.settings],
        }
        for probe, text in trials.select("probe", "condition").unique().iter_rows()
    ]
    schema = {"probe": pl.String, "condition": pl.String, "now": pl.String}
    known = pl.DataFrame(rows, schema={**schema, "settings": TRIALS["settings"]})
    joined = trials.join(known, on=["probe", "condition"], maintain_order="left")
    return joined.drop("condition").rename({"now": "condition"})


def _condition(probe: str, text: str) -> Condition:
    """A condition of 0.1.0, whose settings may have had other names."""
    former = getattr(PROBES.get(probe), "former_parameters", {}) if probe in PROBES else {}
    found = Condition.parse(text)
    return Condition(**{former.get(name, name): value for name, value in found.settings})


def _readings(
    layout: RunLayout, files: Path, plan: Mapping[int, str], findings: Mapping[str, Any]
) -> dict[str, str]:
    """Convert the table of readings into one folder a reader; the readers with their versions."""
    old = _renamed(pl.scan_parquet(files / "readings.parquet", glob=False)).collect()
    stage = {n: scan_parts([layout.trials_of(n)], TRIALS).select("trial") for n in plan}
    readers: dict[str, str] = {}
    for before, name in _reader_names(findings).items():
        readers[name] = version = _version(findings, before)
        folder = layout.readings_of(name, version)
        own = old.filter(pl.col("reader") == before)
        own = own.with_columns(reader=pl.lit(name), cause=None)
        own = own.select(list(READINGS)).cast(pl.Schema(READINGS))
        for number, trials in stage.items():
            part = own.join(trials.unique().collect(), on="trial", how="semi")
            _write(folder / f"stage-{number}", part)
        told: dict[str, Any] = {"name": name, "version": version}
        told["plan"] = {str(number): text for number, text in plan.items()}
        for field, source in (("fit", "fits"), ("spent", "judges")):
            if before in findings.get(source, {}):
                told[field] = findings[source][before]
        keep(folder / "reader.json", orjson.dumps(told))
    return readers


def _renamed(frame: pl.LazyFrame) -> pl.LazyFrame:
    """Columns under their present names."""
    there = frame.collect_schema().names()
    return frame.rename({old: new for old, new in _COLUMNS.items() if old in there})


def _write(folder: Path, frame: pl.DataFrame) -> None:
    write_table(folder / "000000.parquet", frame)


def _asked(
    directory: RunDirectory, findings: Mapping[str, Any], plan: dict[int, str]
) -> AskedRecord:
    """What asking had settled, from the estimates and their signatures."""
    made: dict[tuple[str, str], Made] = {}
    for row in findings["estimates"]:
        where = (row["probe"], str(_condition(row["probe"], row["condition"])))
        parts = _signed(row["signature"])
        probe = parts["probe"].removesuffix(f"[{row['condition']}]")
        made.setdefault(where, Made(*where, probe, parts["prompt"]))
    fields = set(RunSummary.__dataclass_fields__)
    return AskedRecord(
        question=directory.question(),
        plan=plan,
        trials=findings["trials"],
        made=list(made.values()),
        probes=[
            {("invariant" if k == "holds" else k): v for k, v in probe.items()}
            for probe in findings["probes"]
        ],
        excluded=findings["exclusions"],
        too_long=findings["too_long"],
        spent={name: value for name, value in findings["run"].items() if name in fields},
    )

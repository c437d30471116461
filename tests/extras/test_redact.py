"""Redacted runs: no text gets out, no guess can be tried, numbers and readings stay whole."""

from __future__ import annotations

import json
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import horsesense
from command_line import call
from horsesense.api import Run
from horsesense.errors import StoreError, UsageError
from horsesense.rng import fingerprint
from horsesense.runs.redacted import LARGEST, MARK
from horsesense_extras.redact import Redaction, secret, write_redacted
from studies import items_file, jsonl, study

KEY = bytes(range(32))
OTHER = "sim:prior?know=0.8"
PROBES = ("order", "gold_absent", "none_of_the_above", "true_false", "labels")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    root = tmp_path_factory.mktemp("whole")
    items = items_file(root / "secret-name.jsonl", 24)
    rows = [json.loads(line) for line in items.read_text().splitlines()]
    for number, row in enumerate(rows):
        row |= {"cluster": f"story of number {number // 2}", "subject": f"subject{number % 2}"}
        row |= {"context": f"A long passage about number {number}.", "options": [*row["options"]]}
        row["options"][(number + 1) % 4] = "Yes"
    jsonl(items, rows)
    study(items, "sim:prior?know=0.6", root / "run", probes=PROBES, shots=0, against=OTHER)
    return horsesense.open(root / "run")


@pytest.fixture(scope="module")
def file(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_redacted(run.results, tmp_path_factory.mktemp("redacted") / "run.zip", KEY)


def contents(path: Path) -> Iterator[tuple[str, str]]:
    """Every file with all that is in it as text; of tables, all their values."""
    with zipfile.ZipFile(path) as packed:
        for name in packed.namelist():
            data = packed.read(name)
            if name.endswith(".parquet"):
                yield name, repr(pl.read_parquet(data).to_dicts())
            else:
                yield name, data.decode()


def test_no_text_no_id_and_no_key_of_the_run_is_in_the_file(run: Run, file: Path) -> None:
    texts = {t for i in run.items for t in (i.question, i.context, *i.options, i.cluster) if t}
    texts.add(OTHER)
    texts -= {"Yes"}
    assert len(texts) > 100
    ids = {f'"{item.id}"' for item in run.items} | {f"'{item.id}'" for item in run.items}
    keys = {repr(key) for key in run.trials["key"].unique()}
    with run.directory.store() as store:
        replies = {r.text for r in store.get(run.trials["key"].to_list()).values()}
    told = {text for text in replies if len(text) > 3}
    prints = {run.items.fingerprint, str(run.directory.asked().plan[1])}  # type: ignore[union-attr]
    for name, found in contents(file):
        for text in (*texts, *ids, *keys, *told, *prints, KEY.hex()):
            assert text not in found, (name, text)
        assert '"Yes"' not in found, name
        assert str(run.path.parent) not in found, name


def test_a_short_text_can_neither_be_guessed_nor_counted(run: Run) -> None:
    hidden = Redaction(KEY, run.items)
    first, second = run.items.items[:2]
    assert hidden.option(first.id, "Yes") != hidden.option(second.id, "Yes")
    assert hidden.option(first.id, "Yes") == hidden.option(first.id, "Yes")
    assert hidden.option(first.id, "Yes") != Redaction(KEY[::-1], run.items).option(first.id, "Yes")
    assert fingerprint("Yes") not in hidden.option(first.id, "Yes")


def test_numbers_and_readings_are_whole(run: Run, file: Path) -> None:
    opened = horsesense.open(file)
    kept = ["trial", "reader", "status", "positions", "option", "correct", "rule", "confidence"]
    assert opened.readings.select(kept).equals(run.readings.select(kept))
    same = ["trial", "item", "probe", "condition", "repetition", "origin", "gold_at", "form"]
    assert opened.trials.select(same).equals(run.trials.select(same))
    for one, other in zip(opened.results.estimates, run.results.estimates, strict=True):
        assert (one.measure, one.value, one.low, one.high, one.n) == (
            (other.measure, other.value, other.low, other.high, other.n)
        )
    assert opened.verify().sound
    assert len(opened.items) == len(run.items)
    assert [i.gold for i in opened.items] == [i.gold for i in run.items]
    assert {i.subject for i in opened.items} == {"subject0", "subject1"}
    assert len({i.cluster for i in opened.items}) == 12


def test_runs_with_one_key_are_compared_and_others_share_nothing(
    run: Run, file: Path, tmp_path: Path
) -> None:
    source = run.path.parent / "secret-name.jsonl"
    other = study(source, "sim:oracle", tmp_path / "other", probes=PROBES[:1]).done
    second = write_redacted(other.results, tmp_path / "second.zip", KEY)
    found = horsesense.compare([file, second])
    whole = horsesense.compare([run.path, other.path])
    assert found.items["shared"] == whole.items["shared"] == 24
    assert [d.value for d in found.differences] == [d.value for d in whole.differences]
    strange = write_redacted(other.results, tmp_path / "strange.zip", secret(None))
    for pair, told in (
        ([file, strange], "share no item"),
        ([file, other.path], "redacted, .* not"),
    ):
        with pytest.raises(UsageError, match=told):
            horsesense.compare(pair)


def test_what_needs_the_texts_is_refused(file: Path) -> None:
    opened = horsesense.open(file)
    for stage in (opened.report, opened.measure, lambda: opened.read("text")):
        with pytest.raises(UsageError, match="neither prompts nor replies") as refused:
            stage()
        assert "gate, verify, cite" in str(refused.value.hint)


def test_the_key_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "salt"
    made = secret(path)
    assert secret(path) == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert secret(None) != secret(None)
    path.write_text("short")
    with pytest.raises(UsageError, match="does not hold a key"):
        secret(path)


@pytest.mark.parametrize(
    "name", ["../run.toml", "/etc/passwd", "store.sqlite", "trials/../../x", "run.toml/x", "x.pkl"]
)
def test_a_strange_file_is_not_unpacked(file: Path, tmp_path: Path, name: str) -> None:
    bad = tmp_path / "bad.zip"
    bad.write_bytes(file.read_bytes())
    with zipfile.ZipFile(bad, "a") as packed:
        packed.writestr(name, b"x")
    with pytest.raises(StoreError, match="neither a run directory nor a redacted run"):
        horsesense.open(bad)


def test_a_file_that_is_none_is_refused(tmp_path: Path, monkeypatch: Any) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no run")
    with pytest.raises(StoreError, match=r"redacted run\.\n"):
        horsesense.open(text)
    empty = tmp_path / "empty.zip"
    with zipfile.ZipFile(empty, "w") as packed:
        packed.writestr("run.toml", b"")
    with pytest.raises(StoreError, match=f"no {MARK}"):
        horsesense.open(empty)
    monkeypatch.setattr("horsesense.runs.redacted.LARGEST", 10)
    with zipfile.ZipFile(empty, "w") as packed:
        packed.writestr(MARK, b"x" * 11)
    with pytest.raises(StoreError, match="take more than"):
        horsesense.open(empty)
    assert LARGEST > 10


def test_the_command_line(run: Run, tmp_path: Path) -> None:
    out, salt = tmp_path / "shown.run", tmp_path / "salt"
    words = ("export", str(run.path), "--redacted", str(out), "--salt-file", str(salt), "--json")
    done = call(*words, code=0)
    assert done.json["out"] == str(out)
    call("verify", out, code=0)
    for command in ("view", "report"):
        call(command, out, code=2)
    assert "items, fingerprint of the hashed texts" in call("cite", out).stdout
    assert "key was not kept" in call(*words[:3], tmp_path / "again.run").stdout
    call("gate", out, "--require", "accuracy > 0", "--baseline", run.path, code=2)
    call("gate", out, "--require", "accuracy > 0", code=0)

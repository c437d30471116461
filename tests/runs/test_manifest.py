"""Damage to any file of a run is noticed, and what the answers give again is made again."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import horsesense as hs
from command_line import call
from damaging import made_in, spoilt
from horsesense.errors import StoreError
from horsesense.kept import keep
from horsesense.readers.registry import READERS
from horsesense.readers.text_answers import TextAnswers
from horsesense.runs.asked import AskedRecord

DERIVED = (
    *("estimates.json", "asked.json", "trials/*/*.parquet"),
    *("readings/text-*/reader.json", "readings/text-*/*/*.parquet"),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("manifest") / "run"
    hs.audit("sample", "sim:prior", out=out, limit=4, probes="order").report()
    return out


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "run"))


def flip(root: Path, pattern: str, part: float = 0.6) -> Path:
    """One bit of a digit of a file, so that its form stays as it was."""
    [path] = root.glob(pattern)
    content = bytearray(path.read_bytes())
    digits = [i for i, byte in enumerate(content) if 48 <= byte <= 57]
    content[digits[int(part * len(digits))]] ^= 1
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("name", [*DERIVED, "run.toml", "items.json", "name", "report.html"])
def test_every_flipped_bit_is_a_fault(run: Path, name: str) -> None:
    assert hs.open(run).verify().sound
    changed = flip(run, name)
    done = call("verify", run, code=3)
    assert changed.name in done.stdout + done.stderr
    if changed.suffix == ".parquet":  # in a file of its own it would be sound again
        done = call("export", run, "--redacted", run.parent / "shared.run", code=3)
        assert changed.name in done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("name", DERIVED)
def test_what_the_answers_give_again_is_made_again(made: Path, run: Path, name: str) -> None:
    changed = flip(run, name)
    done = call("report", run, code=0)
    assert f"{changed}: it is damaged and made again" in done.stderr
    assert hs.open(run).results.estimates == hs.open(made).results.estimates
    assert hs.open(run).verify().sound


@pytest.mark.thorough
def test_what_was_put_back_from_an_earlier_state_is_seen(tmp_path: Path) -> None:
    made = made_in(tmp_path)
    for name in ("estimates.json", "asked.json", "run.toml"):
        run = Path(shutil.copytree(made, tmp_path / name))
        shutil.copy(tmp_path / "earlier" / name, run)
        done = call("verify", run, code=3)
        assert "not as it was written" in done.stdout + done.stderr
        if name != "run.toml":
            assert "made again" in call("report", run).stderr
            assert hs.open(run).results.estimates == hs.open(made).results.estimates
        if name == "estimates.json":
            shutil.copy(tmp_path / "earlier" / name, run)
            done = call("gate", run, "--require", "accuracy > 0", "--json")
            assert "made again" in done.stderr


@pytest.mark.parametrize("to", ["5", "-1", "'x'"])
def test_an_account_below_what_the_answers_took_is_seen(run: Path, to: str) -> None:
    with closing(sqlite3.connect(run / "store.sqlite")) as database, database:
        database.execute(f"UPDATE spending SET requests = {to}")
    done = call("verify", run, code=3)
    assert "the account of what was spent is" in done.stdout + done.stderr
    words = ("-m", "sim:prior", "--limit", "4", "--probes", "order,labels", "--out", str(run))
    call("audit", "sample", *words, "--budget", "requests=10", code=4 if to == "5" else 3)
    assert hs.open(run).verify().checked == 19


@pytest.mark.parametrize(("which", "gone"), [("", 19), ("WHERE rowid % 2", 10)])
def test_answers_that_are_gone_are_a_fault(run: Path, which: str, gone: int) -> None:
    spoilt(run, f"DELETE FROM responses {which}")
    assert f"{gone} of 19 answers read are gone" in str(hs.open(run).verify().faults)


def test_a_gate_never_judges_changed_estimates(run: Path) -> None:
    words = ("gate", str(run), "--require", "accuracy > 0.5")
    sound = call(*words)
    for part in (0.2, 0.8):
        flip(run, "estimates.json", part)
        done = call(*words)
        assert (done.returncode, done.stdout) == (sound.returncode, sound.stdout)
        assert "made again" in done.stderr


@pytest.mark.parametrize("name", DERIVED[2:])
def test_a_comparison_leaves_no_reader_out(made: Path, run: Path, name: str) -> None:
    flip(run, name)
    done = call("compare", f"one={made}", f"two={run}", code=3)
    assert "horsesense report" in done.stderr


def test_a_changed_prompt_is_not_exported(run: Path) -> None:
    spoilt(run, "UPDATE responses SET request = replace(request, 'nswer', 'nswor')")
    done = call("export", run, run.parent / "found", "--to", "csv")
    assert "is damaged and left out" in done.stderr
    [*pages] = (run.parent / "found").glob("*.csv")
    assert pages
    assert not any("nswor" in page.read_text() for page in pages)


def test_a_copy_beside_a_part_is_no_part(made: Path, run: Path) -> None:
    for path in run.glob("*/*/**/000000.parquet"):
        for name in ("000000 2", "000000 (conflicted copy)"):  # as programs for backups leave them
            shutil.copy(path, path.with_name(f"{name}.parquet"))
    one, two = hs.open(made), hs.open(run)
    assert two.trials.equals(one.trials)
    assert two.readings.equals(one.readings)
    assert two.verify().sound
    call("export", run, "--redacted", run.parent / "a.run", code=0)
    assert hs.open(run.parent / "a.run").verify().sound


def test_a_part_that_somebody_added_is_refused(run: Path) -> None:
    [part, *_] = run.glob("trials/*/000000.parquet")
    shutil.copy(part, part.with_name("000001.parquet"))
    for words in (
        ("export", str(run), str(run.parent / "csv"), "--to", "csv"),
        ("verify", str(run)),
    ):
        done = call(*words)
        assert (done.returncode, "000001.parquet" in done.stdout + done.stderr) == (3, True), done


def test_nothing_is_exported_before_it_is_planned_again(run: Path) -> None:
    (run / "asked.json").unlink()
    for words in ("csv --to csv", "a.eval --to inspect", "--redacted a.run"):
        done = call("export", run, *words.split(), cwd=run.parent)
        assert (done.returncode, "makes them again" in done.stderr) == (3, True), (words, done)
    call("report", run, code=0)
    call("export", run, "csv", "--to", "csv", cwd=run.parent, code=0)


def test_a_run_that_was_killed_between_two_files_goes_on(run: Path) -> None:
    """The digest of a new file is there, the file is not; half a line stands at the end."""
    with (run / "manifest").open("a") as file:
        file.write(f"\n{'0' * 32} run.toml\n\n{'0' * 32} asked.json\n\n{'0' * 20}")
    assert hs.audit("sample", "sim:prior", out=run, limit=4, probes="order").verify().sound


def test_a_long_manifest_is_shortened(run: Path) -> None:
    manifest = run / "manifest"
    with manifest.open("a") as file:  # of 2,000 sessions, of which the last were killed
        file.writelines(f"\n{n:032x} run.toml\n" for n in range(2_000))
    call("read", run, "--readers", "text", code=0)
    assert manifest.stat().st_size < 10_000
    assert manifest.read_text().count(" run.toml\n") <= 16
    assert hs.open(run).verify().sound
    flip(run, "estimates.json")
    assert len(hs.open(run).verify().faults) == 1


def test_readings_of_a_reader_that_is_not_installed_are_spared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Mine(TextAnswers):
        name = "mine"

    out = tmp_path / "run"
    with monkeypatch.context() as there:
        there.setitem(READERS.own, "mine", Mine)
        hs.audit("sample", "sim:prior", out=out, limit=2, probes="", readers="text,mine")
    changed = flip(out, "readings/mine-*/*/*.parquet")
    before = changed.read_bytes()
    done = call("report", out, code=3)
    assert "its reader mine is not installed here" in done.stderr
    assert changed.read_bytes() == before


def test_what_people_decided_is_missed(run: Path) -> None:
    for name in ("reviews.json", "sample.json", "imported.json", "merged.json"):
        keep(run / name, "{}")
        (run / name).unlink()
        assert f"{name}: it is missing" in call("verify", run).stdout


def test_a_run_without_a_manifest_says_so(run: Path) -> None:
    (run / "manifest").unlink()
    done, imported = call("verify", run, code=0), hs.open(run).directory
    assert "no manifest" in done.stdout
    (run / "manifest").write_bytes(bytes(64))
    call("verify", run, code=3)
    imported.record = imported.known.model_copy(update={"kind": "imported"})
    with pytest.raises(StoreError, match="manifest beside it is damaged"):
        imported.check_given()
    (new := run / "new").mkdir()
    (new / "manifest").write_bytes(bytes(8))
    with pytest.raises(StoreError, match="manifest beside it is damaged"):
        hs.audit("sample", "sim:prior", out=new, limit=4, probes="repeat")
    assert not (new / "store.sqlite").exists(), "nothing was asked"
    (run / "manifest").unlink()
    (run / "manifest").mkdir()
    with pytest.raises(StoreError):
        hs.open(run)


def test_answers_that_came_and_are_gone_are_a_fault(run: Path) -> None:
    opened = hs.open(run)
    asked = AskedRecord.load(opened.directory.layout.asked)
    assert asked.spent["answered"] == opened.verify().checked
    asked.spent["answered"] += 1
    asked.save(opened.directory.layout.asked)
    assert [*opened.verify().faults] == [
        f"store: {asked.spent['answered'] - 1} answers stand there, {asked.spent['answered']} came"
    ]

"""A store that lost answers is noticed by every command that uses them; a run under way is none."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

import horsesense as hs
from command_line import call
from damaging import made_in, spoilt
from each import each
from horsesense.errors import StoreError
from horsesense.inference.store import Store
from horsesense.report.viewed import Viewed

USES = (
    *("gate {} --require accuracy>0", "report {}", "read {} --readers text"),
    *("annotate {} --sample 4", "compare {} made", "export {} tables --to csv"),
    *("export {} out.eval --to inspect", "export {} out --to lm-eval"),
    "export {} columns --to parquet",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole run, what it was when half was asked, and another run of the same items and model."""
    place = tmp_path_factory.mktemp("lost")
    made_in(place)
    words = ("sample", "-m", "sim:prior", "--limit", "3", "--probes", "order", "--seed", "1")
    call("audit", *words, "--out", str(place / "other"))
    return place


def deleted(store: Path) -> None:
    spoilt(store.parent, "DELETE FROM responses WHERE rowid = 2")


def emptied(store: Path) -> None:
    store.unlink()
    Store.open(store).close()


LOST: dict[str, Callable[[Path], object]] = {
    "1 of the 14 answers that it held are gone": deleted,
    "8 of the 14 answers": lambda store: shutil.copy("earlier/store.sqlite", store),
    "14 of the 14 answers": emptied,
    "is missing, with 14 answers": Path.unlink,
    "it belongs to another run": lambda store: shutil.copy("other/store.sqlite", store),
}


@pytest.mark.parametrize("said", LOST)
def test_every_command_that_uses_answers_says_what_is_lost(
    place: Path, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(place)
    run = Path("run")
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree("made", run)
    LOST[said](run / "store.sqlite")

    for use in USES:
        code = 2 if use.startswith("gate") else 3
        done = call(*use.format(run).split(), cwd=place, code=code)
        assert said in done.stderr, (use, done.stderr)
        assert "audit again" in done.stderr, (use, done.stderr)
    with pytest.raises(StoreError, match=said):
        hs.open(run).results  # noqa: B018
    with pytest.raises(StoreError, match=said):
        Viewed(run).results()
    call("verify", run, code=3)

    words = ("sample", "-m", "sim:prior", "--limit", "3", "--probes", "order", "--out", str(run))
    call("audit", *words, cwd=place, code=0)
    assert hs.open(run).verify().sound
    assert hs.open(run).readings.equals(hs.open("made").readings)


def test_answers_that_came_again_are_read_anew(tmp_path: Path) -> None:
    out, said = tmp_path / "run", tmp_path / "said"

    def model(prompts: Sequence[str]) -> list[str]:
        return [said.read_text()] * len(prompts)

    for place, letter in enumerate("AB"):
        said.write_text(letter)
        run = hs.audit("sample", model, out=out, limit=3, probes="repeat")
        assert {tuple(each) for each in run.readings["positions"]} == {(place,)}
        emptied(out / "store.sqlite")


@each("stopped", ("budget", "killed", "of 0.2.0", "redacted"))
def test_no_run_is_refused_that_lost_nothing(place: Path, tmp_path: Path, stopped: str) -> None:
    run = Path(
        shutil.copytree(place / ("earlier" if stopped == "budget" else "made"), tmp_path / stopped)
    )
    if stopped == "killed":  # run.toml is older than what the store holds by then
        for name in ("run.toml", "manifest"):
            shutil.copy(place / "earlier" / name, run)
    if stopped == "of 0.2.0":
        text = (run / "run.toml").read_text()
        (run / "run.toml").write_text("\n".join(s for s in text.split("\n") if "answer" not in s))
        (run / "manifest").unlink()
    if stopped == "redacted":
        shared = tmp_path / "shared.run"
        call("export", run, "--redacted", shared, code=0)
        run = shared
    assert not [f for f in hs.open(run).verify().faults if "store" in f]
    assert hs.open(run).results.estimates

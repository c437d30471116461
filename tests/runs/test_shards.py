"""Shards asked apart and merged say what one process says."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from command_line import call
from damaging import rewritten, spoilt
from each import each
from horsesense.api import Run
from horsesense.errors import ExitCode, StoreError, UsageError
from horsesense.inference.limits import Limits
from horsesense.inference.store import Store
from horsesense.items.item import Item, ItemSet
from horsesense.models.base import Asked
from horsesense.models.messages import Key, Response
from horsesense.rng import fingerprint
from horsesense.runs import stored_items
from horsesense.runs.merge import merge
from horsesense.runs.settings import Settings
from horsesense.runs.shard import Shard, placement
from studies import estimates

SUITES: Sequence[dict[str, Any]] = (
    {"suite": "multi-problem", "sizes": "2,5", "bundles": 10},
    {"probes": ("order", "misleading_replaced", "true_false")},
    {"probes": ("order", "labels"), "readers": ("text", "pride")},
)


_FOLDER = tempfile.TemporaryDirectory()


def asked(path: Path, model: str = "sim:talker", **settings: Any) -> Run:
    """A copy of a run that is asked once for all tests."""
    made = Path(_FOLDER.name) / fingerprint(f"{model} {settings}")
    if not made.exists():
        run = Run.start(made, Settings.of(items="sample", model=model, limit=24, **settings))
        run.ask(model, tell=None)
    return Run.open(Path(shutil.copytree(made, path)))


@pytest.mark.thorough
@pytest.mark.parametrize("study", SUITES, ids=["bundles", "two stages", "fitted reader"])
def test_shards_merged_say_what_one_process_says(tmp_path: Path, study: dict[str, Any]) -> None:
    whole = asked(tmp_path / "whole", **study)
    shards = [asked(tmp_path / f"{n}", **study, shard=f"{n}/3") for n in (1, 2, 3)]
    assert sum(len(run.trials) for run in shards) == len(whole.trials)
    merged = merge([run.path for run in shards], tmp_path / "merged")
    assert merged.missing == merged.unfinished == ()
    run = Run.open(tmp_path / "merged")
    assert estimates(run) == estimates(whole)
    assert run.verify().sound


def test_merging_is_idempotent_and_has_no_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [asked(tmp_path / f"{n}", probes=("order",), shard=f"{n}/2").path for n in (1, 2)]
    read = Mock(wraps=stored_items._sound)
    with monkeypatch.context() as patch:
        patch.setattr(stored_items, "_sound", read)
        first = merge(paths, tmp_path / "one")
    assert read.call_count == 1  # shards hold the same items, a hundred of them all the more
    assert first.answers.new > 0
    merge(paths[::-1], tmp_path / "other")
    again = merge(paths, tmp_path / "one")
    assert (again.answers.new, again.answers.different) == (0, set())
    assert again.answers.same == first.answers.new
    runs = [Run.open(tmp_path / name) for name in ("one", "other")]
    assert estimates(runs[0]) == estimates(runs[1])
    with runs[0].directory.store() as store, runs[1].directory.store() as other:
        assert store.spent() == other.spent()
        [spent] = store.spent().values()
        assert spent.requests == first.answers.new


def answered_twice(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[Path], Key, Response]:
    """Two shards, of which the second has later another answer to a request of the first; its key
    and the first answer."""
    paths = [asked(folder / f"{n}", probes=("order",), shard=f"{n}/2").path for n in (1, 2)]
    with Store.open(paths[0] / "store.sqlite", read_only=True) as store:
        [(request, response)] = store.latest(1)
        identity = next(iter(store.spent()))
    key = request.key(identity)
    monkeypatch.setattr("horsesense.inference.store.time.time", lambda: 4e9)
    with Store.open(paths[1] / "store.sqlite") as store:
        store.put([(Asked(key, request), Response("something else"))], identity=identity)
    return paths, key, response


@pytest.mark.parametrize("at_once", [True, False])
def test_of_two_answers_to_one_request_the_earlier_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: bool
) -> None:
    paths, key, response = answered_twice(tmp_path, monkeypatch)
    found = []
    for order in itertools.permutations(paths):
        out = tmp_path / "-".join(path.name for path in order)
        for some in [order] if at_once else [[path] for path in order]:
            merged = merge(some, out)
            found.append(estimates(Run.open(out)))  # read in between: no reading may stay behind
        assert merged.answers.different == {key}
        with Store.open(out / "store.sqlite", read_only=True) as store:
            assert store.get([key])[key].text == response.text
        assert Run.open(out).verify().sound
    assert found[len(found) // 2 - 1] == found[-1]
    assert merged.whole


@pytest.mark.parametrize(
    "change",
    [
        "response = '{'",
        "response = '[1, 2]', digest = x'00'",
        "response = x'ff00', digest = x'00'",
        "request = '{'",
        "model = 77",
    ],
)
def test_a_damaged_answer_of_the_merged_run_is_replaced_from_the_shards(
    tmp_path: Path, change: str
) -> None:
    paths = [asked(tmp_path / f"{n}", probes=(), shard=f"{n}/2").path for n in (1, 2)]
    merge(paths, out := tmp_path / "out")
    before = answers(out)
    spoilt(out, f"UPDATE responses SET {change} WHERE rowid IN (2, 3)")
    merged = merge(paths, out)
    assert merged.answers.replaced == merged.answers.new == 2
    assert merged.whole
    assert Run.open(out).verify().sound
    assert answers(out) == before


def answers(run: Path) -> list[str]:
    """Every request with its answer."""
    with Store.open(run / "store.sqlite", read_only=True) as store:
        return sorted(map(repr, store.latest(10_000)))


def test_answers_that_a_finished_run_lost_are_named(tmp_path: Path) -> None:
    runs = [asked(tmp_path / f"{n}", probes=(), shard=f"{n}/2") for n in (1, 2)]
    paths = [run.path for run in runs]
    merge(paths, whole := tmp_path / "whole")
    spoilt(paths[1], "DELETE FROM responses WHERE rowid % 2 = 0")
    lost = len(runs[1].trials) // 2
    done = call("merge", *map(str, paths), "--out", "out", cwd=tmp_path, code=ExitCode.TROUBLE)
    assert f"2: {lost} trials that were asked have no answer any more" in done.stdout
    assert Run.open(tmp_path / "out").directory.known.stages["ask"].state == "stopped"
    assert merge(paths, whole).whole  # what is there already makes up for it
    Run.open(paths[1]).ask("sim:talker", tell=None)
    assert merge(paths, tmp_path / "out").whole
    spoilt(whole, "DELETE FROM responses")
    assert merge(paths[:1], whole).lost == {whole: len(runs[1].trials)}


def test_answers_that_are_lost_together_with_what_was_asked_are_named(tmp_path: Path) -> None:
    runs = [asked(tmp_path / f"{n}", probes=(), shard=f"{n}/2") for n in (1, 2)]
    paths, trials = [run.path for run in runs], len(runs[1].trials)
    spoilt(paths[1], "DELETE FROM responses WHERE rowid > 1")
    runs[1].directory.layout.asked.unlink()
    merged = merge(paths, tmp_path / "out")
    assert merged.lost == {paths[1]: trials - 1}
    assert merged.directory.known.stages["ask"].state == "stopped"
    Run.open(paths[1]).ask("sim:talker", tell=None)
    assert merge(paths, tmp_path / "out").whole


def test_a_folder_of_several_runs_says_what_to_merge(tmp_path: Path) -> None:
    models = ("-m", "sim:prior", "-m", "sim:talker")
    for number in "12":
        words = ("--probes", "", "--limit", "4", "--shard", f"{number}/2", "--out", number)
        call("audit", "sample", *models, *words, cwd=tmp_path, code=0)
    done = call("merge", "1", "2", "--out", "out", cwd=tmp_path, code=ExitCode.TROUBLE)
    names = sorted(path.parent.name for path in (tmp_path / "1").glob("*/run.toml"))
    assert f"1 is not a run but holds 2: {', '.join(names)}." in done.stderr
    assert f"horsesense merge RUN.*/{names[0]} --out" in done.stderr
    paths = [f"{number}/{names[0]}" for number in "12"]
    call("merge", *paths, "--out", "out", cwd=tmp_path, code=0)


def test_what_lies_at_a_path_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    paths = [asked(tmp_path / f"{n}", probes=(), shard=f"{n}/2").path for n in (1, 2)]
    settings = Settings.of(items="sample", model="sim:talker", limit=24, probes=(), shard="2/2")
    with pytest.raises(UsageError, match=r"1 holds shard 1/2 of a study, not shard 2/2"):
        Run.start(paths[0], settings)
    whole = asked(tmp_path / "whole", probes=()).directory.layout.root
    with pytest.raises(UsageError, match=r"whole holds a whole study, not shard 2/2"):
        Run.start(whole, settings)
    with pytest.raises(UsageError, match=r"1 holds shard 1/2 of a study"):
        merge(paths[1:], paths[0])
    (file := tmp_path / "file").touch()
    for run in (file, file / "below"):
        with pytest.raises(StoreError, match=r"no run directory|not a run directory"):
            merge([run], tmp_path / "out")
    for out in (file, file / "below"):
        with pytest.raises(StoreError, match=r"file is a file"):
            merge(paths, out)
    assert file.read_bytes() == b""


def test_an_account_that_no_run_can_have_is_damaged(tmp_path: Path) -> None:
    path = asked(tmp_path / "1", probes=(), shard="1/2").path
    for count in (2**63 - 1, -7):
        spoilt(path, "UPDATE spending SET requests = ?", count)
        with pytest.raises(StoreError, match="account of what was spent is damaged"):
            merge([path], tmp_path / "out")


def test_what_is_judged_otherwise_is_refused_and_readers_are_united(tmp_path: Path) -> None:
    study = {"probes": (), "smallest": {"accuracy_change": 0.2}}
    paths = [
        asked(tmp_path / "1", probes=(), shard="1/2").path,
        asked(tmp_path / "2", probes=(), shard="2/2").path,
        asked(tmp_path / "3", shard="2/2", **study).path,
    ]
    with pytest.raises(UsageError, match=r"not of one study.*smallest"):
        merge([paths[0], paths[2]], tmp_path / "out")
    assert not (tmp_path / "out").exists()
    Run.open(paths[1]).read("first_token(token=found)")
    outs = [tmp_path / "one", tmp_path / "other"]
    for order, out in zip((paths[:2], paths[1::-1]), outs, strict=True):
        for path in order:
            merge([path], out)
    readers = [Run.open(out).settings.readers for out in outs]
    assert readers[0] == readers[1]
    assert "first_token(token=found)" in readers[0]


def test_a_shard_that_is_missing_or_unfinished_is_named(tmp_path: Path) -> None:
    run = Run.start(
        tmp_path / "1", Settings.of(items="sample", model="sim:prior", probes=(), shard="1/2")
    )
    run.ask("sim:prior", limits=Limits(requests=10), tell=None)
    done = call("merge", "1", "--out", "whole", cwd=tmp_path, code=ExitCode.TROUBLE)
    assert "Missing: shard 2/2." in done.stdout
    assert "1 is unfinished" in done.stdout
    missing = Run.open(tmp_path / "whole").results
    assert missing.findings["stages"]["ask"]["state"] == "stopped"


def test_shards_merged_one_by_one_are_complete_with_the_last(tmp_path: Path) -> None:
    whole = asked(tmp_path / "whole", probes=())
    paths = [asked(tmp_path / f"{n}", probes=(), shard=f"{n}/3").path for n in (1, 2, 3)]
    out = tmp_path / "out"
    seen = [merge([path], out) for path in paths]
    assert [one.missing for one in seen] == [("2/3", "3/3"), ("3/3",), ()]
    assert [one.whole for one in seen] == [False, False, True]
    assert Run.open(out).directory.known.stages["ask"].state == "complete"
    assert Run.open(out).directory.asked() == merged_asked(paths, tmp_path / "at once")
    before = whole.directory.asked()
    again = merge(paths[1:2], whole.path)  # into a run that was finished
    assert again.whole
    assert again.directory.known.stages["ask"].state == "complete"
    told = Run.open(whole.path).directory.asked()
    assert told.spent["asked"] == before.spent["asked"]


def merged_asked(paths: Sequence[Path], out: Path) -> Any:
    merge(paths, out)
    return Run.open(out).directory.asked()


def test_what_is_merged_twice_or_from_a_copy_or_another_run_counts_once(tmp_path: Path) -> None:
    def told(run: Path) -> tuple[Any, Any]:
        with Store.open(run / "store.sqlite", read_only=True) as store:
            return Run.open(run).directory.asked(), store.spent()

    paths = [asked(tmp_path / f"{n}", probes=(), shard=f"{n}/2").path for n in (1, 2)]
    merge(paths, out := tmp_path / "out")
    part = merge(paths[:1], first := tmp_path / "first")
    assert part.missing == ("2/2",)
    once = told(out)
    moved = [Path(shutil.copytree(path, tmp_path / "moved" / path.name)) for path in paths]
    for n, runs in enumerate((moved, [*paths, *moved], [*paths, paths[0]])):
        for place in (out, tmp_path / f"anew{n}"):
            merge(runs, place)
            assert told(place) == once
    merge([first, *paths], tmp_path / "both")
    assert told(tmp_path / "both") == once


def test_damaged_answers_are_named(tmp_path: Path) -> None:
    paths = [asked(tmp_path / f"{n}", probes=(), shard=f"{n}/2").path for n in (1, 2)]
    spoilt(paths[1], "UPDATE responses SET response = 'no' WHERE rowid IN (2, 3)")
    done = call("merge", *map(str, paths), "--out", "out", cwd=tmp_path, code=ExitCode.TROUBLE)
    assert f"{Path('2') / 'store.sqlite'}: 2 answers are damaged" in done.stdout.replace(
        f"{tmp_path}{os.sep}", ""
    )
    assert Run.open(tmp_path / "out").directory.known.stages["ask"].state == "stopped"


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"[]",
        b'{"a": 5}',
        b'{"a": {"m": [1]}}',
        b'{"a": {"m": [-1, 0, 0]}}',
        b'{"a": {"m": [10000000000000000000000, 0, 0]}}',
    ],
)
def test_a_damaged_account_is_an_error_that_says_so(tmp_path: Path, content: bytes) -> None:
    path = asked(tmp_path / "1", probes=(), shard="1/9").path
    merge([path], tmp_path / "out")
    (tmp_path / "out" / "merged.json").write_bytes(content)
    with pytest.raises(StoreError, match=r"merged\.json cannot be read"):
        merge([path], tmp_path / "out")


def test_a_session_that_is_no_number_is_an_error_that_says_so(tmp_path: Path) -> None:
    path = asked(tmp_path / "1", probes=(), shard="1/9").path
    rewritten(path / "asked.json", lambda told: told["spent"].update(sent="many"))
    with pytest.raises(StoreError, match=r"(?s)asked\.json cannot be read.*sent is not a number"):
        merge([path], tmp_path / "out")


def test_other_versions_and_shards_of_a_huge_division_are_told_shortly(tmp_path: Path) -> None:
    paths = [asked(tmp_path / n, probes=(), shard=f"{n}/30").path for n in "12"]
    toml = (paths[1] / "run.toml").read_text(encoding="utf-8")
    old = re.sub(r'(?m)^horsesense = ".*"', 'horsesense = "0.1.9"', toml)
    (paths[1] / "run.toml").write_text(old, encoding="utf-8")
    (paths[1] / "manifest").unlink()
    done = call("merge", *map(str, paths), "--out", "out", cwd=tmp_path)
    assert "different horsesense: 0.1.9, " in done.stdout
    [line] = [line for line in done.stdout.splitlines() if line.startswith("Missing")]
    assert re.fullmatch(r"Missing: shard 4/30, .* and \d+ more\.", line)


def test_runs_of_different_studies_are_not_merged(tmp_path: Path) -> None:
    paths = [
        asked(tmp_path / "a", probes=(), shard="1/2").path,
        asked(tmp_path / "b", probes=(), shard="2/2", seed=1).path,
        asked(tmp_path / "c", probes=(), shard="2/2", model="sim:prior").path,
    ]
    for other, named in zip(paths[1:], ("seed", "model"), strict=True):
        with pytest.raises(UsageError, match=rf"not of one study.*{named}"):
            merge([paths[0], other], tmp_path / "out")
    assert not (tmp_path / "out").exists()
    with pytest.raises(UsageError, match="is one of the runs"):
        merge([paths[0]], paths[0])


@each("shards", [1, 2, 3, 7, 40])
def test_every_item_has_one_shard_and_clusters_stay_whole(shards: int) -> None:
    rows = [Item(str(n), "?", ("a", "b"), 0, cluster=f"c{n // 4}") for n in range(40)]
    items = ItemSet("made", "choice", tuple(rows))
    placed = placement(items, shards)
    assert set(placed) == {item.id for item in rows}
    assert all(1 <= number <= shards for number in placed.values())
    for start in range(0, 40, 4):
        assert len({placed[str(n)] for n in range(start, start + 4)}) == 1
    parts = [Shard(number, shards).ids(items) for number in range(1, shards + 1)]
    assert sum(map(len, parts)) == 40
    if shards in (2, 5):
        assert {len(part) for part in parts} == {40 // shards}


@each("text", ["0/4", "5/4", "1", "1/0", "a/b", "-1/4", "1/4/2", "", "\uff11/\uff14"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="--array=1-8"):
        Settings.of(items="sample", model="sim:prior", shard=text)


def test_a_shard_cannot_decide_when_to_stop() -> None:
    with pytest.raises(UsageError, match="--shard and --until"):
        Settings.of(items="sample", model="sim:prior", shard="1/2", until="decided")


def test_the_plan_says_what_each_shard_asks(tmp_path: Path) -> None:
    done = call("plan", "sample", "-m", "sim:prior", "--shards", "3", "--json", cwd=tmp_path)
    found = done.json
    assert [row["shard"] for row in found["shards"]] == ["1/3", "2/3", "3/3"]
    assert sum(row["items"] for row in found["shards"]) == found["items"]
    assert sum(row["prompts"] for row in found["shards"]) == found["trials"]


def test_a_plan_lists_the_shards_that_have_items(tmp_path: Path) -> None:
    words = ("plan", "sample", "-m", "sim:prior", "--limit", "3", "--shards")
    done = call(*words, "9999999", cwd=tmp_path)
    assert done.stdout.count("--shard ") == 3
    assert "9,999,996 of the shards would have no item" in done.stdout
    call(*words, "10000000", cwd=tmp_path, code=ExitCode.USAGE)

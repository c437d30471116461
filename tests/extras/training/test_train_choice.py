"""`horsesense train choice` from items to its page, on a tiny model with random weights."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from studies import jsonl

torch = pytest.importorskip("torch", reason="needs torch: pip install 'horsesense[train]'")
pytest.importorskip("peft", reason="needs peft: pip install 'horsesense[train]'")

from command_line import call  # noqa: E402
from horsesense import open as open_run  # noqa: E402
from horsesense.cli.schemas import OUTPUTS  # noqa: E402
from horsesense.items.load import load_items  # noqa: E402
from horsesense_extras.build.stages import STAGED_ARMS, staged  # noqa: E402
from horsesense_extras.models.hf.pickled import ADAPTER  # noqa: E402
from horsesense_extras.models.hf.tuning import Encoded, Recipe, Tuner  # noqa: E402
from horsesense_extras.models.hf.weights import find_weights  # noqa: E402
from horsesense_extras.training.api import Laboratory  # noqa: E402
from horsesense_extras.training.comparison import COLUMNS  # noqa: E402
from horsesense_extras.training.experiment import Experiment  # noqa: E402
from horsesense_extras.training.lessons import Lessons  # noqa: E402
from tiny_model import make_model  # noqa: E402

pytestmark = pytest.mark.local

ARMS = ("--arms", "mixed,shuffled")
SMALL = ("--train", "12", "--test", "8", "--seeds", "2", "--epochs", "2", "--batch", "4", *ARMS)
ROOM = 2048
"""Tokens of the longest prompt that is asked."""
ASKED = ("--probes", "order", "--readers", "first_token", "--max-tokens", "0")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("models") / "tiny", room=ROOM)


@pytest.fixture(scope="module")
def done(base: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    """An experiment with all arms, and its JSON."""
    out = tmp_path_factory.mktemp("experiments") / "out"
    return out, train(base, out, "--rate", "1e-2", "--json").json


def train(base: Path, out: Path, *more: str, code: int = 0):
    words = ("train", "choice", "sample", "--base", base, "--out", out)
    return call(*words, *SMALL, *ASKED, *more, code=code)


def test_every_arm_and_seed_is_trained_on_as_many_tokens(done: tuple[Path, dict]) -> None:
    _, found = done
    assert len(found["trainings"]) == 4
    for row in found["trainings"]:
        assert 0 <= found["tokens"] - row["tokens"] < 400  # the shortest statement, or so
        assert row["statements"] in (23, 24, 25)
        assert row["items"] == 12
        assert row["updates"] == -(-row["statements"] // 4) == len(row["losses"])
        assert (row["true"] == row["statements"]) == (row["arm"] != "shuffled")
        assert sum(row["losses"][-3:]) < sum(row["losses"][:3])


def test_every_evaluation_is_a_run_of_other_items(done: tuple[Path, dict]) -> None:
    out, _ = done
    learned = {json.loads(line)["id"] for line in (out / "train.jsonl").read_text().splitlines()}
    names = ["before", *(f"{a}-{s}/run" for a in ("mixed", "shuffled") for s in (0, 1))]
    for name in names:
        run = open_run(out / name)
        assert len(run.items) == 8
        assert not learned & set(run.items.by_id)
        assert run.verify().sound
        assert (out / name / "report.html").is_file()


def test_what_is_done_is_not_done_again(base: Path, done: tuple[Path, dict]) -> None:
    out, before = done
    files = [*out.glob(f"*/adapter/{ADAPTER}"), *out.glob("*/run/store.sqlite")]
    stamps = [path.stat().st_mtime_ns for path in files]
    again = train(base, out, "--rate", "1e-2", "--json")
    assert again.json["effects"] == before["effects"]
    assert "4 of them done" in again.stderr
    assert [path.stat().st_mtime_ns for path in files] == stamps
    other = train(base, out, "--rate", "1e-3", code=2)
    assert "holds another experiment (recipe" in other.stderr


def test_the_plan_is_told_and_nothing_is_written(base: Path, tmp_path: Path) -> None:
    found = train(base, tmp_path / "out", "--plan", "--json")
    OUTPUTS["train-choice-plan"].model_validate_json(found.stdout)
    planned = found.json
    assert 8 * 4 <= planned["requests"] <= 8 * 5 + 1
    assert planned["peak"] > 0
    said = train(base, tmp_path / "out", "--plan").stdout
    assert "4 trainings" in said
    assert "It runs on the CPU" in said
    assert not (tmp_path / "out").exists()


def test_only_the_reply_is_learned_whatever_the_padding(base: Path) -> None:
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(base)
    tuner = Tuner(model, Recipe(dropout=0.0), seed=0)
    tuner.adapted.eval()
    short, long = Encoded((9, 8), (4, 0)), Encoded((1, 2, 3, 7, 5), (5, 6, 0))
    together = tuner.loss([short, long]).item()
    alone = [tuner.loss([one]).item() for one in (short, long)]
    assert together == pytest.approx((2 * alone[0] + 3 * alone[1]) / 5, abs=1e-5)


def written(path: Path, n: int, long: int = 1) -> Path:
    """Items of their own words each, the right option `long` times as long as the others."""
    rows = [
        {
            "id": str(k),
            "question": f"Who made number {k}?",
            "options": [" ".join([f"gold{k}"] * long), f"one{k}", f"two{k}"],
            "gold": 0,
        }
        for k in range(n)
    ]
    return jsonl(path, rows)


def test_a_folder_goes_on_with_the_items_and_the_base_that_it_began_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, items = make_model(tmp_path / "base", room=ROOM), written(tmp_path / "items.jsonl", 12)
    more = ("--train", "6", "--test", "4", "--seeds", "1", "--epochs", "1", "--arms", "positive")

    def again(items="items.jsonl", out="out", cwd: Path = tmp_path, code: int = 0):
        words = ("train", "choice", items, "--base", base, "--out", out)
        return call(*words, *more, *ASKED, cwd=cwd, code=code)

    first = again()
    assert "% by guessing" in first.stdout
    assert "10 of the 10 items name no cluster" in first.stderr
    table = first.stdout.partition("Report")[0]

    # The folder has moved, the command runs elsewhere, and an evaluation was never finished.
    moved = tmp_path / "other" / "moved"
    moved.parent.mkdir()
    (tmp_path / "out").rename(moved)
    unfinished = moved / "positive-0" / "run" / "run.toml"
    unfinished.with_name("manifest").unlink()
    text = unfinished.read_text()
    unfinished.write_text(text[: text.index("[stages.read]")])
    renamed = shutil.copy(items, tmp_path / "renamed.jsonl")
    elsewhere = again(renamed, "moved", moved.parent)
    assert elsewhere.stdout.partition("Report")[0] == table
    assert open_run(moved / "positive-0" / "run").verify().sound
    rows = items.read_text()
    items.write_text(rows.replace("Who made number", "Who found number"))
    others = again(items, moved, code=2)
    assert "the items to train on are not those that it began with" in others.stderr
    items.write_text(rows)

    record = moved / "experiment.json"
    held = record.read_text()
    record.write_text("{}")
    damaged = again(items, moved, code=3)
    assert "does not say all that it should" in damaged.stderr
    record.write_text(held)

    with monkeypatch.context() as patched:
        patched.setattr(Laboratory, "run", interrupt)
        stopped = again(items, moved, code=130)
    assert "The same command continues" in stopped.stderr

    make_model(base, width=16, room=ROOM)
    swapped = again(items, moved, code=2)
    assert "the weights of the base are not those" in swapped.stderr


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--arms", "positive,upside"), "arm"),
        (("--seed", "99999999999999999999"), "--seed is 99999999999999999999"),
        (("--rate", "inf"), "rate is inf.\nGive a finite number above 0."),
        (("--tokens", "1000000000000"), "passes over 12 items"),
        (("--epochs", "1001"), "--epochs is 1,001"),
        (("--equal", "items"), "kind of equality"),
        (("--equal", "statements", "--tokens", "9"), "--tokens with --equal statements"),
        (("--suite", "nosuch"), "nosuch"),
        (("--readers", "nosuch", "--max-tokens", "9"), "nosuch"),
        (("--readers", "text"), "With --max-tokens 0 nothing is written"),
        (("--arms", "positive,positive"), "twice"),
        (("--seeds", "0"), "--seeds is 0"),
        (("--rate", "0"), "rate is 0"),
        (("--tokens", "10"), "No statement fits"),
        (("--train", "1000"), "are wanted"),
        (("--stages", "sft,pretrain"), "order of stages"),
        (("--test-on", "learned"), "Give --stages pretrain,sft"),
        (("--tune", "3"), "no tuning without --stages"),
    ],
)
def test_what_does_not_fit_is_said(
    base: Path, tmp_path: Path, more: tuple[str, ...], said: str
) -> None:
    assert said in train(base, tmp_path / "out", *more, code=2).stderr


FEW = (
    "--stages pretrain,sft --test-on learned --tune 6 --tune-epochs 1 --train 4 --seeds 1"
    " --epochs 1 --batch 4 --readers first_token --max-tokens 0 --json"
)


@pytest.mark.slow
def test_two_stages_go_on_where_they_were_stopped(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("train", "choice", str(written(tmp_path / "i.jsonl", 12)), "--base", str(base))
    train, left = Tuner.train, iter("abc")
    a, b = ((*words, *FEW.split(), "--out", str(tmp_path / name)) for name in "ab")
    with monkeypatch.context() as patched:
        patched.setattr(Tuner, "train", lambda *g: train(*g) if next(left, "") else interrupt())
        call(*a, code=130)  # between the stages of the third training
    resumed, whole = (call(*each).json for each in (a, b))
    assert (resumed["scores"], resumed["effects"]) == (whole["scores"], whole["effects"])
    rows = {row["arm"]: row for row in whole["trainings"]}
    assert [rows[arm]["statements"] for arm in rows] == [6, 8 + 6, 8 + 6, 8 + 6]
    assert [rows[arm]["true"] for arm in rows] == [0, 8, 8, 0]
    assert [rows[arm]["marked_right"] for arm in rows] == [0, 8, 4, 0]
    main = [(row["n"], row["arm"]) for row in whole["scores"] if row["view"] in COLUMNS]
    assert main == [(4, arm) for _ in COLUMNS for arm in ("before", *STAGED_ARMS)]
    assert "of those learned are asked about" in (tmp_path / "a" / "training.html").read_text()


def test_the_control_reads_the_same_tokens_in_texts_as_long(base: Path, tmp_path: Path) -> None:
    items = load_items(str(written(tmp_path / "items.jsonl", 12)))
    asked = Experiment("", str(base), ("pretrain", "sft"), tuple(STAGED_ARMS), equal="statements")
    lessons = Lessons(asked, find_weights(str(base)), staged(items, 4, 6, None, 0))
    learned = (lessons.stages(arm, 0)[0] for arm in ("pos+neg+sft", "random+sft"))
    real, random = ([one.example for one in each] for each in learned)
    assert [len(example) for example in real] == [len(example) for example in random]
    pools = [sorted(token for one in each for token in one.reply) for each in (real, random)]
    assert pools[0] == pools[1]
    assert set(real).isdisjoint(random)
    assert len(set(random)) == 8  # as the others, each is read in every pass

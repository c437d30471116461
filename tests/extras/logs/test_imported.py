"""Runs made from logs: scores as reported and as said, orders, failures, replay and cues."""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from command_line import call
from fuzzing import CORPUS
from horsesense.errors import ItemsError, StoreError, UsageError
from horsesense.report.behind_score import caveats
from horsesense.report.score_bar import score_bar
from horsesense_extras.cli.schemas import ImportOutput
from horsesense_extras.cue_tests.answers import load_answers
from horsesense_extras.integrations.exports import write_lm_eval
from horsesense_extras.logs.carried import import_own
from horsesense_extras.logs.lm_eval import open_log
from horsesense_extras.logs.log_score import findings, log_scores
from horsesense_extras.logs.sample import Log
from horsesense_extras.logs.told import logs_of
from studies import jsonl

REPORTED = {
    "inspect/mmlu_shuffled_mock.eval": {"choice/accuracy": 0.275},
    "inspect/mmlu-summary-choices.eval": {"choice/accuracy": 0.0},
    "lm_eval/samples_mmlu_letters_smollm2.jsonl": {"acc,none": 0.31666666666666665},
    "lm_eval/samples_mmlu_option_texts_smollm2.jsonl": {"acc,none": 0.25, "acc_norm,none": 0.25},
    "lm_eval/samples_mmlu_gen_smollm2.jsonl": {
        "exact_match,strict": 0.25,
        "exact_match,flexible": 0.25,
    },
    "helm/mmlu_philosophy_gpt2": {
        "exact_match (test)": 0.1111111111111111,
        "exact_match (valid)": 0.0,
    },
}


@pytest.mark.thorough
@pytest.mark.parametrize("name", REPORTED)
def test_the_logs_own_score_is_the_mean_of_its_samples_to_the_last_digit(
    logs: Path, name: str, tmp_path: Path
) -> None:
    run = hs.load_log(logs / name, out=tmp_path / "run")
    assert hs.open(run.path).directory.question() == run.directory.question()
    assert log_scores(run.results) is log_scores(run.results)  # which take a while
    [log] = logs_of(run.directory)
    found = {row["name"]: row for row in log["reported"]}
    for metric, value in REPORTED[name].items():
        assert found[metric]["value"] == value
        assert found[metric]["from_samples"] == value
    assert not log["left_out"]
    record = tomllib.loads((run.path / "run.toml").read_text())
    assert record["kind"] == "imported"
    assert run.verify().sound
    assert run.trials.filter(run.trials["probe"] == "original").height == log["samples"]


def test_scored_letters_and_texts_are_read_as_the_log_reads_them(
    logs: Path, tmp_path: Path
) -> None:
    """SmolLM2's scores have no ties, so that every single answer must agree."""
    letters = hs.load_log(logs / "lm_eval/samples_mmlu_letters_smollm2.jsonl", out=tmp_path / "l")
    texts = hs.load_log(
        logs / "lm_eval/samples_mmlu_option_texts_smollm2.jsonl", out=tmp_path / "t"
    )
    [score] = log_scores(letters.results)
    assert (score.reader, score.both, score.differ) == ("first_token", 60, 0)
    assert "text" not in letters.results.findings["readers"]
    by_text = texts.estimate("accuracy", reader="option_text")
    by_character = texts.estimate("accuracy", reader="option_text(norm=char)")
    assert (by_text.value, by_character.value) == (0.25, 0.25)
    assert next(s.differ for s in log_scores(texts.results)) == 0


def test_replies_cut_off_are_counted_once_however_they_are_graded(
    logs: Path, tmp_path: Path
) -> None:
    run = hs.load_log(logs / "lm_eval/samples_mmlu_gen_smollm2.jsonl", out=tmp_path / "run")
    first, *_, last = findings(run.results, log_scores(run.results))
    assert "1 was cut off (item mmlu-college_physics-test-0011); it counts as wrong (25.0" in first
    assert "25.4\u202f% without it, 25.0\u202f% with it wrong, 26.7\u202f% with it right" in first
    assert last.startswith("No stop reason stands in the log")
    assert not any("that could be read" in line for line in caveats(run.results)), "not this one"


def test_a_shuffled_log_gives_the_order_probe_for_nothing(logs: Path, tmp_path: Path) -> None:
    run = hs.load_log(logs / "inspect/mmlu_shuffled_mock.eval", out=tmp_path / "run")
    truth = json.loads((logs / "inspect/mmlu_shuffled_mock.truth.json").read_text())
    assert run.estimate("accuracy", reader="text").value == truth["accuracy"]
    assert run.estimate("accuracy", reader="first_token").value == truth["accuracy"]
    several = run.trials.filter(run.trials["probe"] == "order")
    assert several["item_id"].n_unique() == 57
    # Of two orders, pairs of answers that differ are changed answers: the first order is the
    # original's own and is not compared with itself.
    changed = run.estimate("answer_change_rate", "order", reader="text")
    pairs = run.estimate("answer_disagreement", "order", reader="text")
    assert changed.value == pytest.approx(pairs.value)
    assert changed.n == 57
    assert all("as_recorded" in e.signature.format() for e in run.results.estimates[:3])
    # All that could not be placed is right in one order and wrong in another.
    told = {(row["id"], row["correct"]) for row in truth["rows"]}
    mixed = {name for name, right in told if not right and (name, True) in told}
    block = run.results.findings["composition"]["text"]
    assert block["unclassified"] == block["mixed"] == len(mixed) > 0
    share = len(mixed) / block["items"]
    ends = [part["most"] - part["least"] for part in block["parts"]]
    assert ends == pytest.approx([0, share, share, 0])
    page = run.report().read_text(encoding="utf-8")
    assert "120 answers in the log, 114 of them also compared as orders of the options." in page
    assert "wrong at least once" in page
    assert [f.probe for f in run.results.verdict if f.kind == "accuracy_change"] == ["order"]
    assert any(
        line.endswith("option in each place equally often.") for line in caveats(run.results)
    )
    bar = score_bar(run.results)
    told = "they were answered both right and wrong as the log asked"
    assert any(told in note for note in bar.notes)


def inspect_log(path: Path, rows: list[dict[str, Any]], model: str = "m") -> Path:
    header = {
        "version": 2, "status": "success", "eval": {"task": "colours", "model": model},
        "results": {"scores": [{"name": "choice", "metrics": {"accuracy": {"value": 0.5}}}]},
    }  # fmt: skip
    path.write_text(json.dumps({**header, "samples": rows}))
    return path


def row(number: int, reply: str, options: list[str], **changes: Any) -> dict[str, Any]:
    shown = "\n".join(f"{'ABCD'[n]}) {text}" for n, text in enumerate(options))
    right = options.index(f"right {number}")
    return {
        "id": f"q{number}", "epoch": 1, "input": f"Question {number}?", "choices": options,
        "target": "ABCD"[right],
        "messages": [{"role": "user", "content": f"Question {number}?\n{shown}"}],
        "output": {"choices": [{"message": {"content": reply}}]},
        "scores": {"choice": {"value": "C" if reply == "ABCD"[right] else "I", "answer": reply}},
        **changes,
    }  # fmt: skip


def options(number: int) -> list[str]:
    return [f"right {number}", f"wrong {number}", f"other {number}"]


def test_errors_are_failures_and_unknown_prompts_are_not_shown(tmp_path: Path) -> None:
    told = (
        "Choices were shuffled before generating a response, the following was sent to the model:"
        "\n\nA) other 0\nB) right 0\nC) wrong 0\nShuffled answer:\nB"
    )
    score = {"choice": {"value": "C", "answer": "A", "explanation": told}}
    rows = [
        row(0, "A", options(0), scores=score),
        row(1, "", options(1), error={"message": "<script>down</script>"}, output={}, scores={}),
    ]
    run = hs.load_log(inspect_log(tmp_path / "log.json", rows), out=tmp_path / "run")
    accuracy = run.estimate("accuracy", reader="text")
    assert (accuracy.value, accuracy.n, accuracy.n_missing) == (1.0, 1, 1)
    assert run.results.findings["failures"] == 1
    html = run.report().read_text()
    assert "Prompt not in the log" in html
    assert "<script" not in html
    assert "down" in html


def test_several_logs_other_models_and_failed_samples_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def said(*logs: Path) -> str:
        return call("import", *logs, "--out", tmp_path / f"run-{len(logs)}").stdout

    def log(name: str, **changes: Any) -> Path:
        return inspect_log(tmp_path / name, [row(n, "A", options(n), **changes) for n in range(3)])

    (tmp_path / "x").mkdir()
    told = said(log("a.json"), log("b.json"), log("x/a.json")).replace("choice/", "")
    for name in (tmp_path / "a.json", "b.json", tmp_path / "x/a.json"):
        assert f" {name}: accuracy 50.0 % (0.5)" in told
    assert "3 logs are of colours: answers to one question count as asked again." in told
    rows = [row(n, "A", options(n)) for n in range(4)]
    for n, name in enumerate(("m-1", "m-1", "n", "n")):
        rows[n]["output"]["model"] = name
    rows[3] |= {"error": {"message": "down"}, "output": {}, "scores": {}}
    told = said(inspect_log(tmp_path / "c.json", rows))
    assert told.startswith("m: 3 answers to 4 items")
    assert "; 1 more sample failed." in told
    assert "c.json: its replies name 2 models: m-1 (2), n (1). All are counted as m's." in told


def test_other_models_and_nothing_of_multiple_choice_are_refused(
    logs: Path, tmp_path: Path
) -> None:
    one = inspect_log(tmp_path / "a.json", [row(0, "A", options(0))])
    other = inspect_log(tmp_path / "b.json", [row(0, "A", options(0))], model="n")
    with pytest.raises(UsageError, match="2 models: m, n"):
        hs.load_log(one, other, out=tmp_path / "run")
    with pytest.raises(UsageError, match="not multiple choice: the sample has no options"):
        hs.load_log(logs / "inspect/message_deduplication.eval", out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.json", "b.json"]
    hs.load_log(one, out=tmp_path / "run")
    with pytest.raises(UsageError, match="is there already"):
        hs.load_log(one, out=tmp_path / "run")


def test_a_folder_is_one_run_unless_its_tasks_ask_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "org__m"
    folder.mkdir()
    for task, first in (("anatomy", 0), ("law", 3)):
        lines = [
            {"doc_id": n, "doc": {"question": f"{first + n}?", "choices": options(first + n)},
             "target": "0", "metrics": ["acc"], "acc": 1.0, "filter": "none",
             "arguments": [[f"{first + n}?", f" {text}"] for text in options(first + n)],
             "resps": [[["-1.0", "True"]], [["-2.0", "False"]], [["-3.0", "False"]]]}
            for n in range(3)
        ]  # fmt: skip
        jsonl(folder / f"samples_{task}.jsonl", lines)
    run = hs.load_log(tmp_path, out=tmp_path / "run")
    assert len(run.items) == 6
    assert run.directory.known.model.name == "org/m"
    [score] = log_scores(run.results)
    assert (score.from_samples, score.both, score.differ) == (1.0, 6, 0)
    text = (folder / "samples_law.jsonl").read_text()
    (folder / "samples_law_again.jsonl").write_text(text)
    with pytest.raises(UsageError, match="law and law_again ask the same questions"):
        hs.load_log(folder, out=tmp_path / "other")


def test_known_items_give_right_answers_to_a_batch(tmp_path: Path) -> None:
    items = [{"id": f"i{n}", "question": f"Question {n}?", "options": options(n), "answer": "A"}
             for n in range(2)]  # fmt: skip
    asked = [(0, options(0)), (1, options(1)[::-1]), (7, options(7))]
    requests = [
        {"custom_id": f"r{n}", "method": "POST", "url": "/v1/chat/completions", "body": {
            "model": "m", "messages": [{"role": "user", "content": f"Question {n}?\n" + "\n".join(
                f"{'ABC'[place]}. {text}" for place, text in enumerate(shown))}]}}
        for n, shown in asked
    ]  # fmt: skip
    body = {"choices": [{"message": {"content": "A"}}]}
    answers = [{"custom_id": f"r{n}", "response": {"status_code": 200, "body": body}}
               for n, _ in asked]  # fmt: skip
    for name, lines in (("in", requests), ("out", answers)):
        jsonl(tmp_path / f"{name}.jsonl", lines)
    run = hs.load_log(tmp_path / "out.jsonl", out=tmp_path / "run", items=items)
    assert sorted(item.id for item in run.items) == ["i0", "i1"]
    assert run.estimate("accuracy", reader="text").value == 0.5
    assert logs_of(run.directory)[0]["left_out"][0]["reason"] == "about none of the given items"


def test_every_command_that_takes_a_run_takes_a_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = inspect_log(tmp_path / "log.json", [row(n, "A", options(n)) for n in range(3)])
    monkeypatch.chdir(tmp_path)
    for name, *more in (["report"], ["verify"], ["read", "--readers", "text"]):
        call(name, path, *more, code=0)
    # It is taken, and holds nothing of the kind that people judge.
    assert "has no question of the suite know-no" in call("annotate", path).stderr
    assert len(list((tmp_path / "imports").iterdir())) == 1
    assert hs.open(path).estimate("accuracy", reader="text").value == 1.0
    rows = [row(n, "A" if n else "I wonder.", options(n)) for n in range(3)]
    said = call("import", inspect_log(tmp_path / "half.json", rows)).stdout
    assert (
        "Accuracy as the replies say: 66.7 % (read by text; 1 of 3 answers missing or unclear"
        in said
    )
    assert str(tmp_path) not in call("cite", path).stdout, "a place on this machine is no source"
    made = call("import", path, "--out", "other", "--json")
    found = ImportOutput.model_validate_json(made.stdout)
    assert (found.items, found.answers, found.scores[0]["differ"]) == (3, 3, 0)


def test_answers_recorded_in_another_order_are_replayed_in_that_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    items = hs.load_items("sample", limit=12)
    rows = []
    for item in items:
        shown = [*reversed(item.options)]
        letter = "ABCDEFGH"[shown.index(item.options[item.gold])]
        rows.append({"item_id": item.id, "options": shown, "response": letter, "gold": letter})
    rows[5]["finish_reason"] = "content_filter"
    path = jsonl(tmp_path / "answers.jsonl", rows)
    run = hs.audit(items, f"replay:{path}", out=tmp_path / "run", probes="original")
    assert run.estimate("accuracy", reader="text").value == 1.0
    assert run.results.replies()["causes"] == {"choice": 11, "filtered": 1}
    assert run.trials["options"][0].to_list() == rows[0]["options"]
    [answers] = load_answers(path, items)
    assert set(answers.right.values()) == {1.0}
    rows[3]["options"] = ["something else", *rows[3]["options"][1:]]
    jsonl(path, rows)
    with pytest.raises(ItemsError, match="was shown other options"):
        hs.audit(items, f"replay:{path}", out=tmp_path / "other", probes="original")
    [answers] = load_answers(path, items)
    assert (len(answers.right), answers.right.get(rows[3]["item_id"])) == (11, None)
    assert "1 shown other options" in capsys.readouterr().err


def test_a_log_is_replayed_and_gives_answers_for_cues(tmp_path: Path) -> None:
    rows = [row(n, "C", options(n)[::-1]) for n in range(5)]
    path = inspect_log(tmp_path / "log.json", [*rows, row(9, "A", options(9))])
    given = [{"id": f"i{n}", "question": f"Question {n}?", "options": options(n), "answer": "A"}
             for n in range(5)]  # fmt: skip
    items = hs.load_items(given)
    run = hs.audit(items, f"replay:{path}", out=tmp_path / "run", probes="original")
    assert run.estimate("accuracy", reader="text").value == 1.0
    for source in (path, run.path):
        [answers] = load_answers(source, items)
        assert answers.right == {f"i{n}": 1.0 for n in range(5)}


@pytest.mark.parametrize("content", ["[]", "{}", '{"logs": [{"path": "x"}]}', '{"logs": 3}'])
def test_what_logs_say_in_another_form(tmp_path: Path, content: str) -> None:
    (log := tmp_path / "log.json").write_bytes((CORPUS / "log-inspect" / "three").read_bytes())
    run = hs.load_log(log, out=tmp_path / "run")
    run.measure()
    (run.path / "manifest").unlink()
    run.directory.layout.imported.write_text(content)
    with pytest.raises(StoreError, match=r"imported\.json cannot be read: "):
        run.report()


@pytest.mark.parametrize("name", ["asked.json", "trials", "recorded", "imported.json"])
def test_what_nothing_gives_again_is_never_made_up(tmp_path: Path, name: str) -> None:
    (log := tmp_path / "log.json").write_bytes((CORPUS / "log-inspect" / "three").read_bytes())
    made = hs.load_log(log, out=tmp_path / "made").path
    assert "import LOG LOG" in call("merge", made, "--out", tmp_path / "merged").stderr

    def refused(run: Path, *commands: str) -> None:
        for words in map(str.split, commands):
            done = call(words[0], run, *words[1:], code=2 if words[0] == "gate" else 3)
            assert "Import the log again: " in done.stderr

    for kind in ("damaged", "gone"):
        run = Path(shutil.copytree(made, tmp_path / kind))
        path = next(run.glob(f"{name}/**/*.parquet"), run / name)
        path.write_bytes(path.read_bytes()[:-1])
        if kind == "gone":
            shutil.rmtree(run / name) if path.parent != run else path.unlink()
        refused(run, "report", "read", "gate --require found>=0")
        done = call("verify", run)
        assert (done.returncode, name in done.stdout) == (3, True), done
    (run / "manifest").unlink()  # as of an earlier version
    if name in ("asked.json", "trials"):
        refused(run, "report", "read", "export --to csv")


def test_a_study_of_ours_in_another_form_is_refused(tmp_path: Path) -> None:
    for own in ({"a": 1}, {"settings": 3}, {"unshown": 3}):
        with pytest.raises(StoreError, match="its study is damaged"):
            import_own(tmp_path / "run", [Log(tmp_path, "inspect", lambda _: iter(()), own=own)])


def test_what_lm_eval_was_told_besides_and_a_second_evaluation_are_seen(tmp_path: Path) -> None:
    run = hs.audit("sample", "sim:prior", out=tmp_path / "run", probes="order", limit=4)
    place = write_lm_eval(run.results, tmp_path / "out")
    [path], [first, *_] = place.glob("results_*.json"), place.glob("samples_*order*")
    content = json.loads(path.read_bytes())
    told = {"system_instruction": "Say A.", "n-shot": dict.fromkeys(content["n-shot"], 2)}
    path.write_text(json.dumps(content | told))
    model = content["model_name"]
    assert (
        open_log(first, [path]).model == f"{model} with the system instruction 'Say A.', 2 examples"
    )
    for sample in place.glob("samples_*"):
        (place / sample.name.replace("_20", "_19")).write_bytes(sample.read_bytes())
    with pytest.raises(UsageError, match="answers too"):
        hs.load_log(place, out=tmp_path / "twice")

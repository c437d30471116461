"""Several models and sets: a run each in one folder, which can be given back."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import ClassVar

import pytest

import horsesense as hs
from command_line import call
from horsesense.cli.schemas import OUTPUTS
from horsesense.errors import EXIT_CODES, ExitCode, UsageError
from horsesense.findings.sentences import sentence, statement
from horsesense.inference.store_file import held
from horsesense.report.item_text import item_text
from horsesense.runs.settings import Settings
from horsesense.runs.studies import StudyFile
from horsesense.testing.faults import FaultServer
from studies import jsonl

SMALL = ("sample", "--probes", "repeat", "--limit", "6")


def test_two_models_are_two_runs_and_the_study_can_be_given_back(tmp_path: Path) -> None:
    both = ("-m", "sim:oracle", "-m", "sim:position?k=1", "--price", "0.15,0.6")
    call("audit", *SMALL, *both, "--out", "study", cwd=tmp_path, code=0)
    folders = {path.name for path in (tmp_path / "study").iterdir() if path.is_dir()}
    assert folders == {"sim-oracle-sample", "sim-position-k-1-sample"}
    saved = tomllib.loads((tmp_path / "study" / "study.toml").read_text())
    assert saved["models"] == ["sim:oracle", "sim:position?k=1"]
    assert saved["settings"]["limit"] == 6
    assert saved["price"] == [0.15, 0.6]
    (mine := tmp_path / "mine").mkdir()
    (mine / "study.toml").write_text(words := "# my own\nmodels = ['sim:oracle']\nitems = ['x']\n")
    call("audit", *SMALL, "-m", "sim:oracle", "--out", "mine", cwd=tmp_path, code=0)
    assert (mine / "study.toml").read_text() == words
    money = ("run", "study", "--budget", "money=2", "--json")
    assert "add them: --price 0.15,0.6" in call(*money, cwd=tmp_path).stderr, "a file may lie"
    again = call(*money, "--price", "0.15,0.6", cwd=tmp_path, code=0)
    other = call("report", "study/oracle", cwd=tmp_path)
    assert other.stderr.endswith("Runs in study: sim-oracle-sample, sim-position-k-1-sample.\n")
    OUTPUTS["run"].model_validate_json(again.stdout, strict=True)
    told = again.json["runs"]
    of_one = [
        hs.open(tmp_path / "study" / path.name) for path in map(Path, (r["run"] for r in told))
    ]
    assert [row["verdict"] for row in told] == [
        [{**f.as_json(), "sentence": sentence(f)} for f in run.results.verdict] for run in of_one
    ]
    assert [row["headline"] for row in told] == [run.verdict()[0] for run in of_one]
    reported = call("report", "study", cwd=tmp_path)
    assert reported.stdout.count("report.html") == 2
    assert all(f"{row['headline']}\n" in reported.stdout for row in told), "as audit prints it"
    lines = call("report", "study", "--json", cwd=tmp_path).stdout.splitlines()
    assert [json.loads(line)["schema"] for line in lines] == ["horsesense.report/3"] * 2
    assert [json.loads(line)["verdict"] for line in lines] == [row["verdict"] for row in told]
    call("compare", "study", "--json", cwd=tmp_path, code=0)
    (tmp_path / "study" / "study.toml").write_text(
        'models = ["sim:oracle"]\nitems = ["sample"]\nprice = "0.4,1.6"\n'
    )
    assert StudyFile.load(tmp_path / "study").price == (0.4, 1.6), "as it is typed"
    assert "take no timeout" in call("run", "study", "--timeout", "5", cwd=tmp_path).stderr
    (tmp_path / "study" / "study.toml").unlink()
    replaced = "study/comparison.html (in place of an earlier one)"
    assert replaced in call("compare", "study", cwd=tmp_path).stdout, "of any folder of runs"
    one_file = call("report", "study", "--to", "page.html", cwd=tmp_path)
    assert "holds 2 runs" in one_file.stderr


def test_a_single_audit_can_be_given_back_too(tmp_path: Path) -> None:
    words = ("audit", *SMALL, "--suite", "know-no", "-m", "sim:oracle", "--out", "one")
    call(*words, cwd=tmp_path, code=0)
    one = tmp_path / "one"
    [(path, settings)] = StudyFile.load(one).runs(one)
    assert path == one
    assert settings == hs.open(one).settings.model_copy(update={"readers": settings.readers})
    again = call("run", "one", "--json", cwd=tmp_path, code=0)
    [told] = again.json["runs"]
    assert told["run"] == "one"
    assert 0 < told["expected"]["stored"] <= told["expected"]["requests"]
    assert "different requests" not in again.stderr
    assert not (one / "0.1.0").exists()
    copied = tmp_path / "copied"
    copied.mkdir()
    (copied / "study.toml").write_text((one / "study.toml").read_text())
    assert [p.name for p, _ in StudyFile.load(copied).runs(copied)] == ["sim-oracle-sample"]


def test_a_study_by_hand(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(
        'models = ["sim:oracle"]\nitems = ["sample"]\nsuites = ["revas", "know-no"]\n'
        "[settings]\nlimit = 3\n"
    )
    runs = list(StudyFile.load(tmp_path).runs(tmp_path))
    assert [path.name for path, _ in runs] == [
        "sim-oracle-sample-revas",
        "sim-oracle-sample-know-no",
    ]
    assert runs[0][1].suite == "revas"
    assert runs[0][1].limit == 3
    planned = call("plan", "study.toml", "--json", cwd=tmp_path).stdout.splitlines()
    assert [json.loads(line)["items"] for line in planned] == [3, 3]
    assert "Name it alone" in call("plan", "study.toml", "--limit", "2", cwd=tmp_path).stderr


def test_models_of_a_study_may_have_settings_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text("""
items = ["sample"]
models = [
  {model = "sim:thinker", effort = "low", max_tokens = 256},
  {model = "sim:thinker", effort = "high", thinking_tokens = 300, temperature = 0.6},
  "sim:oracle",
]
[settings]
probes = ["repeat"]
limit = 6
temperature = 0.1
stop_if = "never"
""")
    call("run", "study.toml", "--out", "out", cwd=tmp_path, code=0)
    names = ("effort", "thinking_tokens", "max_tokens", "temperature")
    asked = {
        path.name: tuple(getattr(settings, name) for name in names)
        for path, settings in StudyFile.load(tmp_path / "out").runs(tmp_path / "out")
    }
    assert asked == {
        "sim-thinker-effort-low-max-tokens-256-sample": ("low", None, 256, 0.1),
        "sim-thinker-effort-high-thinking-tokens-300-temperature-0.6-sample": (
            *("high", 300, 16, 0.6),
        ),
        "sim-oracle-sample": (None, None, 16, 0.1),
    }
    found = {path.parent.name for path in (tmp_path / "out").glob("*/run.toml")}
    assert found == asked.keys()
    call("compare", "out", cwd=tmp_path, code=0)


@pytest.mark.thorough
def test_a_study_of_several_sets_is_compared_set_by_set(tmp_path: Path) -> None:
    rows = [{"question": f"{n}?", "options": ["a", "b"], "answer": "a"} for n in range(30)]
    for name, some in (("one", rows), ("two", rows[:20])):
        jsonl(tmp_path / f"{name}.jsonl", some)
    (tmp_path / "study.toml").write_text(
        'models = ["sim:oracle", "sim:uniform"]\nitems = ["one.jsonl", "two.jsonl"]\n'
        '[settings]\nprobes = ["repeat"]\n'
    )
    call("run", ".", cwd=tmp_path, code=0)
    done = call("compare", ".", cwd=tmp_path, code=0)
    assert done.stdout.count("Report:") == 2
    assert {"1. one", "2. two"} <= {*done.stdout.splitlines()}
    assert (tmp_path / "comparison-2-two.html").exists()
    lines = call("compare", ".", "--json", "--out", "t.md", cwd=tmp_path).stdout.splitlines()
    assert [json.loads(line)["items"]["shared"] for line in lines] == [30, 20]
    assert "| Mean rank in 2 sets |" in (tmp_path / "t.md").read_text()
    for name in ("sim-oracle-two", "sim-uniform-one"):
        (tmp_path / name / "run.toml").unlink()
    assert "20 items that all runs share" in call("compare", ".", cwd=tmp_path).stdout


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('models = []\nitems = ["x"]', "models"),
        ('models = ["sim:oracle"]\nitems = ["x"]\nmodel = "y"', "model"),
        ("models = [", "cannot be read"),
        ('models = ["a", "a"]\nitems = ["x/sample.csv"]', "are both a-sample"),
        ('models = ["a"]\nitems = ["x"]\n[settings]\nlimits = 3', "did you mean 'limit'"),
        (
            'models = [{model = "a", limit = 3}]\nitems = ["x"]',
            "A table has model, and any of temp",
        ),
        ('models = [{effort = "low"}]\nitems = ["x"]', "A table has model"),
        ('models = [{model = "a", effort = 3}]\nitems = ["x"]', "effort"),
        ('model = ["a"]\nitems = ["x"]', "models is missing; there is no 'model' .*'models'"),
        ('models = ["a"]\nitems = ["x"]\n[settings]\nlimit = 0', "limit should be greater"),
        ('models = ["a"]\nitems = ["x\\u0000"]', "null character"),
        (f"models = {['a'] * 101}\nitems = {['x'] * 100}", "10,100 runs; at most 10,000"),
    ],
)
def test_what_does_not_fit(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(text)
    with pytest.raises(UsageError, match=says):
        list(StudyFile.load(tmp_path).runs(tmp_path))


def test_sets_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    sets = ["sample", "x/sample.csv", "y/sample.csv", "y/sample.jsonl"]
    (tmp_path / "study.toml").write_text(f'models = ["sim:oracle"]\nitems = {sets}\n')
    names = [path.name for path, _ in StudyFile.load(tmp_path).runs(tmp_path)]
    ends = ["sample", "x-sample", "y-sample", "y-sample.jsonl"]
    assert names == [f"sim-oracle-{end}" for end in ends]


def test_files_are_found_from_where_study_toml_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {"id": "q1", "question": "2 + 2 =", "options": ["3", "4"], "answer_index": 1}
    for name in ("items.jsonl", "shots.jsonl"):
        (tmp_path / name).write_text(json.dumps(row | {"id": name}))
    (tmp_path / "answers.jsonl").write_text("")
    monkeypatch.chdir(tmp_path)
    shots = {"shots": 1, "shots_from": "shots.jsonl"}
    made = StudyFile.of(
        Settings.of(items="items.jsonl", model="replay:answers.jsonl?model=m", **shots)
    )
    made.save(tmp_path / "audits" / "one")
    here = [path.name for path, _ in made.runs(Path("audits/one"))]
    for place in (tmp_path / "audits" / "one", Path("/")):
        monkeypatch.chdir(place)
        folder = tmp_path / "audits" / "one"
        [(path, settings)] = StudyFile.load(folder).runs(folder)
        assert [path.name] == here
        assert Path(settings.items).resolve() == tmp_path / "items.jsonl"
        assert Path(settings.shots_from or "").resolve() == tmp_path / "shots.jsonl"
        model = settings.model.removeprefix("replay:").removesuffix("?model=m")
        assert Path(model).resolve() == tmp_path / "answers.jsonl"


def test_a_study_is_asked_again_from_another_folder(tmp_path: Path) -> None:
    row = {"id": "q1", "question": "2 + 2 =", "options": ["3", "4"], "answer_index": 1}
    (tmp_path / "items.jsonl").write_text(json.dumps(row))
    words = ("audit", "items.jsonl", "--probes", "repeat", "-m", "sim:oracle", "--out", "a/one")
    call(*words, cwd=tmp_path, code=0)
    call("run", ".", cwd=tmp_path / "a" / "one", code=0)


def test_where_there_is_none(tmp_path: Path) -> None:
    assert "There is no study" in call("run", "study.toml", cwd=tmp_path).stderr


def test_version_and_exit_codes_are_told(tmp_path: Path) -> None:
    assert call("--version", cwd=tmp_path).stdout.startswith("horsesense 0.")
    told = " ".join(call("--help", cwd=tmp_path).stdout.split())
    assert set(EXIT_CODES) == set(ExitCode)
    for code, meaning in EXIT_CODES.items():
        assert f"{code.value} {meaning}" in told


def test_a_budget_stop_has_a_code_of_its_own(tmp_path: Path) -> None:
    words = ("audit", *SMALL, "-m", "sim:oracle", "--out", "run")
    stopped = call(*words, "--budget", "requests=5", cwd=tmp_path, code=ExitCode.BUDGET)
    assert "The budget may stop this audit early (requests=5 left" in stopped.stderr
    assert re.search(r"7 of 12 prompts were not asked, .*\. Numbers leave these", stopped.stdout)
    resumed = call(*words, "--budget", "requests=500", "--price", "1,1", cwd=tmp_path)
    assert "(requests=495 left, about 7 needed)" in resumed.stderr
    spent = r"12 calls, at most ([\d,]+) prompt and (\d+) completion tokens \((.*) at these prices"
    said = re.search(f"Spent over all sessions: {spent}", resumed.stdout)
    assert int(said[1].replace(",", "")) + int(said[2]) == round(1e6 * float(said[3]))
    may = ("-m", "sim:oracle", "--budget", "tokens=9,money=0.01", "--price", "9,9", "--rate", "2")
    planned = call("plan", *SMALL, *may, "--max-connections", "4", cwd=tmp_path)
    assert re.search(r"early \(tokens=9 left, .* needed; money=0.01 left, ", planned.stdout)
    assert "\nall" in planned.stdout.partition("At 2 requests a second: ")[0]
    for money, said in (
        ("1", r"suffices \(money=1 left, about 0.0\d+ needed\)\.$"),
        ("0.1", r"suffices if the server counts tokens .* may take money=0.1\d\.$"),
    ):
        may = ("-m", "sim:oracle", "--budget", f"money={money}", "--price", "20,20", "--json")
        told = call("plan", *SMALL, *may, cwd=tmp_path).json
        assert re.match(f"The budget {said}", told["short"]), told["short"]
        assert f"about {told['cost']} needed" in told["short"]


def test_a_budget_counts_what_runs_sent_before_they_were_refused(tmp_path: Path) -> None:
    with FaultServer() as server:
        models = [word for n in range(4) for word in ("-m", f"http:m{n}@{server.url}")]
        call("audit", *SMALL, *models, "--budget", "requests=3", "--out", "runs", cwd=tmp_path)
    assert server.sent.total() == 3


@pytest.mark.thorough
def test_calls_without_counts_are_told_where_they_eat_the_budget(tmp_path: Path) -> None:
    few, no_counts = "tokens=4500,excess=0", {"usage": None}
    for budget, gone, told in (
        ("requests=9", {}, 0), ("requests=9", no_counts, 0),
        ("tokens=600,excess=0", {}, 0), (few, no_counts, 1),
    ):  # fmt: skip
        with FaultServer(describe=lambda body, gone=gone: {**body, **gone}) as server:
            words = ("-m", f"http:m@{server.url}", "--budget", budget, "--out", server.url[-8:-3])
            done = call("audit", *SMALL, *words, cwd=tmp_path, code=ExitCode.BUDGET)
        assert done.stderr.count("without token counts") == told, (budget, gone)


KEY = "sk-0123456789abcdef0123"


class Keyed(FaultServer):
    """Remembers with which keys it was asked."""

    def fault(self, prompt: str, time: int) -> str | None:
        self.keys.add(self.headers.get("Authorization", ""))
        return super().fault(prompt, time)

    keys: ClassVar[set[str]] = set()


@pytest.mark.parametrize("variable", ["OPENAI_API_KEY", "HORSESENSE_API_KEY", "MINE"])
def test_no_key_goes_to_a_server_that_a_file_alone_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    monkeypatch.setattr("horsesense.models.openai.api_key._JUDGES", {})  # as in a new process
    for name in (variable, "HORSESENSE_JUDGE_API_KEY"):
        monkeypatch.setenv(name, KEY)
    with Keyed() as server:
        readers = f"['text', 'judge:http:j@{server.url}']"
        told = f"models = ['http:m@{server.url}']\nitems = ['sample']\n[settings]\nlimit = 1\n"
        study = tmp_path / "study.toml"
        study.write_text(f"{told}probes = []\nreaders = {readers}", encoding="utf-8")
        runs = {"strange": "", "own": server.url.removesuffix("/v1")}
        for folder, hosts in runs.items():
            monkeypatch.setenv("HORSESENSE_KEY_HOSTS", f"https://mine.example,{hosts}")
            server.keys.clear()
            named = ("--key-env", variable) * (variable == "MINE")
            call("run", study, "--out", tmp_path / folder, *named, code=0)
            assert server.keys == {f"Bearer {KEY}" if hosts else ""}
        assert server.sent.total() > 4


@pytest.mark.parametrize("command", ["plan", "audit"])
def test_no_key_goes_to_two_servers(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("MINE", KEY)
    models = [word for n in (1, 2) for word in ("-m", f"http:m@http://127.0.0.{n}:9/v1")]
    done = call(command, "sample", *models, "--key-env", "MINE")
    assert (done.returncode, "MINE holds the key of one server" in done.stderr) == (2, True)
    monkeypatch.setenv("HORSESENSE_API_KEY", KEY)
    one = (*models[:2], "--key-env", "MINE", "--against", models[3])
    if command == "audit":  # the one that --key-env does not name is the one to unset
        assert "horsesense: HORSESENSE_API_KEY holds" in call("audit", "sample", *one).stderr


def test_an_item_in_the_terminal(tmp_path: Path) -> None:
    call("audit", *SMALL, "--probes", "order", "-m", "sim:oracle", "--out", "run", cwd=tmp_path)
    run = hs.open(tmp_path / "run")
    item = run.items.items[0]
    shown = call("report", "run", "--item", item.id, cwd=tmp_path).stdout
    assert shown.count(item.question) == 1 + run.trials.filter(item_id=item.id).height
    assert f"  * {item.options[item.gold or 0]}" in shown
    assert "\nreply (ended by stop" in shown
    assert "text: " in shown
    assert all(f": Options reordered ({n} of 4, right: " in shown for n in (1, 4))
    read = {"reader": "first_token", "status": "illegal", "cause": "no_choice", "correct": False}
    read |= {"chosen": [], "rule": "position_1", "confidence": 0.49}
    form = {"form": "f", "right": None, "prompt": [], "reasoning": None, "reply": None}
    form |= {"failure": None, "readings": [read]}
    of = dict.fromkeys(("subject", "context", "question", "text_b", "gold")) | {"id": "x"}
    words = "first_token: names an option that was not offered, wrong (token 1, confidence 0.49)"
    assert words in item_text({"item": of | {"options": []}, "forms": [form]})
    told = call("report", "run", "--item", item.id, "--json", "--to", "page.html", cwd=tmp_path)
    OUTPUTS["item"].model_validate_json(told.stdout, strict=True)
    assert (tmp_path / "page.html").exists()
    near = call("report", "run", "--item", f"{item.id}x", cwd=tmp_path, code=ExitCode.USAGE)
    assert near.stderr.splitlines()[1].count("-") <= 5


def test_of_many_names_at_most_five_are_listed() -> None:
    error = UsageError.unknown("item", "q7", [f"q{n}" for n in range(500)])
    assert error.hint.count("q") == 5


def test_a_plan_needs_no_server(tmp_path: Path) -> None:
    model = "http:m@http://127.0.0.1:9/v1"
    done = call("plan", *SMALL, "-m", model, "--price", "0.001,0.001", cwd=tmp_path, code=0)
    assert "different requests" in done.stdout
    assert "at most 0.00 " not in done.stdout
    assert "could not be asked what it offers" in done.stdout
    words = ("plan", *SMALL, "-m", "sim:oracle", "-m", model, "--price", "9,9", "--rate", "2")
    both = call(*words, "--json", cwd=tmp_path).stdout
    assert [json.loads(line)["requests"] for line in both.splitlines()] == [12, 12]
    end = r"together: 24 requests, about 0\.\d+ at these prices\. At 2 requests a second: .*12 s"
    assert re.search(end, call(*words, cwd=tmp_path).stdout)
    call("plan", *SMALL, "-m", model, "--out", "p", cwd=tmp_path, code=3)


def test_findings_about_the_items_come_before_the_search_for_cues(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("horsesense_extras.cue_tests.task.PACKAGES", ("no_such_package",))
    told = call("cues", "sample", code=ExitCode.USAGE)
    assert told.stdout.startswith("sample\n")
    assert "horsesense[cues]" in told.stderr


@pytest.mark.thorough
def test_of_several_models_nothing_that_was_found_is_cut(tmp_path: Path) -> None:
    few = ("audit", "sample", "--limit", "40", "--probes", "order,repeat,options_only")
    both = ("-m", "sim:position?k=1", "-m", "sim:slips")
    done = call(*few, *both, "--until", "decided", "--out", "study", cwd=tmp_path, code=0)
    first, second = done.stdout.split("2 of 2:")
    verdict = hs.open(tmp_path / "study" / "sim-position-k-1-sample").results.verdict
    found = [statement(f, short=True) for f in verdict if f.conclusion == "found"]
    assert len(found) > 2
    assert all(sentence in first for sentence in found)
    assert re.search(r"and \d+ more checks \(open \S+report\.html\)", second)
    name = hs.open(tmp_path / "study" / "sim-slips-sample").results.findings["model"]["name"]
    assert second.startswith(f" {name} on sample")
    assert first.count("- Until decided") == second.count("- Until decided") == 1


def test_a_study_is_asked_by_one_process_at_a_time(tmp_path: Path) -> None:
    """Two would both spend what a run leaves of the budget."""
    words = (*SMALL, "-m", "sim:oracle", "-m", "sim:prior")
    with held(tmp_path / "study.lock"):
        done = call("audit", *words, "--budget", "requests=99", "--out", tmp_path, code=3)
        call("audit", *words, "--out", tmp_path, code=0)
    assert "is in use by another run" in done.stderr

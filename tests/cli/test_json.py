"""Every `--json` output has the fields that its published schema names."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

from command_line import call
from horsesense.cli.output import SCHEMA_VERSION, json_text
from horsesense.cli.schemas import OUTPUTS, json_schemas
from horsesense.version import __version__
from studies import jsonl


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("json") / "run")
    words = ["audit", "sample", "-m", "sim:oracle", "--limit", "12", "--probes", "gold_absent"]
    call(*words, "--out", path)
    return path


def check(name: str, text: str) -> None:
    assert json.loads(text)["schema"] == f"horsesense.{name}/{SCHEMA_VERSION}"
    OUTPUTS[name].model_validate_json(text, strict=True)


SMALL = ("sample", "-m", "sim:oracle", "--limit", "12", "--probes", "gold_absent", "--json")


def test_a_study(run: str) -> None:
    check("plan", call("plan", *SMALL).stdout)
    told = call("audit", *SMALL, "--out", run).stdout
    check("audit", told)
    assert json.loads(told)["study"]["model"] == "sim:oracle"
    check("report", call("report", run, "--json").stdout)
    check("read", call("read", run, "--readers", "text", "--json").stdout)
    check("verify", call("verify", run, "--json").stdout)
    check("annotate", call("annotate", run, "--json").stdout)


@pytest.mark.slow
def test_the_benchmark_of_readers() -> None:
    words = ("read", "--benchmark", "--part", "development", "--errors", "--json")
    check("read-benchmark", call(*words).stdout)


def test_lists() -> None:
    check("list", call("list", "--json").stdout)
    check("list", call("list", "probes", "--json").stdout)
    listed = call("list", "schemas", "--json").stdout
    check("schemas", listed)
    assert json.loads(listed)["schemas"] == json_schemas()
    assert all("json-schema.org" in each["$schema"] for each in json_schemas().values())
    assert "audit" in call("list", "schemas").stdout
    (found,) = call("list", "order", "--json").json["probes"].items()
    assert found[0] == "order"
    assert found[1].endswith("order(design=auto)")
    assert list(json.loads(call("list", "rstd_null", "--json").stdout)["measures"]) == ["rstd_null"]
    for name, first in (("hf", "hf:PATH"), ("sim", "sim:PROFILE"), ("openai", "http:NAME")):
        found = call("list", "models", name, "--json").json["models"]
        assert next(iter(found)).startswith(first), (name, found)


def test_every_response_of_a_file_is_a_line(tmp_path: Path) -> None:
    rows = [{"options": ["x", "y"], "response": text} for text in ("B", "I \ud83d cannot say")]
    file = tmp_path / "answers.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    for words in ((), ("--explain",)):
        lines = call("read", file, "--json", *words).stdout.splitlines()
        assert len(lines) == 2
        for line in lines:
            check("reading", line)


def test_what_needs_no_model(tmp_path: Path) -> None:
    rows = [{"text": f"text {i} about animal {i % 7}", "label": str(i * 5 % 3 % 2)}
            for i in range(60)]  # fmt: skip
    items = jsonl(tmp_path / "texts.jsonl", rows)
    out = str(tmp_path / "out.jsonl")
    check("cues", call("cues", items, "--json", "--repeats", "1", "--jobs", "1").stdout)
    pairs = ("--same", "10", "--different", "10", "--out", out, "--json")
    check("build", call("build", "pairs", items, *pairs).stdout)
    check("build-balanced", call("build", "balanced", items, "--out", f"{out}2", "--json").stdout)
    words = ("sample", "-m", "sim:oracle", "--limit", "3", "--out", str(tmp_path / "new.jsonl"))
    check("build-paraphrases", call("build", "paraphrases", *words, "--json").stdout)
    pytest.importorskip("pylatexenc", reason="needs pylatexenc (extra latex)")
    paper = tmp_path / "paper.tex"
    words = " ".join(["All of it is said in words."] * 30)
    paper.write_text(f"{words} $$ y = a x_i + b^2 - c $$ {words}")
    made = ("build", "equinfer", str(paper), "--out", out.replace("out", "equations"), "--json")
    check("build-equinfer", call(*made).stdout)
    check("annotate", call("annotate", made[4], "--json").stdout)


def test_what_to_cite(tmp_path: Path) -> None:
    cited = call("cite", "sample", "--limit", "2", "--json").stdout
    check("cite", cited)
    out = str(tmp_path / "suite")
    call("plan", "sample", "-m", "sim:oracle", "--limit", "2", "--suite", "know-no", "--out", out)
    told = call("cite", out).stdout
    assert json.loads(cited)["data"] in told, "the items' fingerprint is that of the run"
    call("cite", out, "--limit", "2", code=2)
    assert told.count("2406.16203") == 2, "as a source and as an entry"
    for part in (f"horsesense {__version__}", "fingerprint", "\n@software{horsesense,", "\n@misc{"):
        assert part in told
    said = call("report", out).stdout
    assert "nothing was asked.\n" in said
    assert "Nothing was asked yet. Run the same" in said
    assert "No answer was judged." in Path(out, "report.html").read_text(encoding="utf-8")


def test_claims(tmp_path: Path) -> None:
    claims = tmp_path / "claims.yaml"
    claims.write_text("claims:\n- {id: one, kind: proportion, value: '33.3', n: 3}\n")
    check("check-paper", call("check-paper", claims, "--json").stdout)


def test_errors() -> None:
    done = call("audit", "sample", "-m", "sim:oracl", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    check("error", done.stderr)
    assert json.loads(done.stderr)["hint"].startswith("Known:")


def test_no_output_holds_a_number_that_json_has_not() -> None:
    assert json.loads(json_text({"value": float("nan")})) == {"value": None}


def test_warnings_for_users_are_plain_lines() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        done = call("plan", "sample", "-m", "sim:slot?k=1", "--limit", "3", code=0)
    told = [line for line in done.stderr.splitlines() if "slot" in line]
    assert told
    assert all(line.startswith("horsesense: ") for line in told)
    assert "FutureWarning" not in done.stderr
    assert ".py:" not in done.stderr

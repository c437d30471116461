"""The plain prompts asked alone, in other company and elsewhere: what is the server's part?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

import horsesense as hs
from cells import cell_of, study_of
from horsesense.errors import UsageError
from horsesense.findings.finding import Finding
from horsesense.findings.sentences import sentence
from horsesense.measures.estimate import found_all
from horsesense.measures.registry import MEASURES
from horsesense.models.registry import make_model
from horsesense.runs.settings import Settings
from horsesense.stats.change import Change
from horsesense.testing.faults import FaultServer, letter
from horsesense.trials.condition import Condition
from studies import Result, items_file, study, too_many

ALONE, SOME, OTHER = "together=1", "together=16", "against=other"


def rate(run: Result, form: str, measure: str = "answer_change_rate") -> float | None:
    found = run.results.one(measure, "server", condition=Condition.parse(form))
    return None if found is None else found.value


def told(run: Result) -> Finding:
    (found,) = (f for f in run.results.verdict if f.kind == "server_change")
    return found


def test_a_server_that_answers_differently_in_company_is_found_and_alone_means_alone(
    tmp_path: Path,
) -> None:
    alone: list[bool] = []

    def answer(prompt: str) -> str:
        alone.append(server._in_flight == 1)
        crowded = not alone[-1] and crc32(prompt.encode()) % 4 == 0
        return "ABCD"[("ABCD".index(letter(prompt)) + crowded) % 4]

    with FaultServer(latency=0.01, answer=answer) as server:
        model = f"http:m@{server.url}"
        run = study(120, model, tmp_path / "run", probes=("server",), no_preflight=True)
    assert alone[-120:] == [True] * 120
    assert sum(alone[:-120]) < 60  # the first of them, and the last of each way of asking
    assert (rate(run, SOME) or 0) < 0.1
    assert rate(run, ALONE) == pytest.approx(0.25, abs=0.1)
    assert (told(run).conclusion, told(run).condition) == ("found", ALONE)
    assert "one at a time: answers change" in sentence(told(run))


@pytest.mark.thorough
def test_noise_is_not_the_servers_part_and_certain_answers_rule_it_out(tmp_path: Path) -> None:
    items = items_file(tmp_path / "items.jsonl", 160)
    noisy = study(items, "sim:uniform", tmp_path / "noisy", probes=("server",), temperature=1.0)
    assert rate(noisy, ALONE) == pytest.approx(0.75, abs=0.08)
    assert told(noisy).conclusion == "undecided"
    page = noisy.done.report().read_text(encoding="utf-8")
    assert "At temperature 1 answers are drawn" in page
    assert "Does the answer depend on the server?" in page
    certain = study(items, "sim:oracle", tmp_path / "certain", probes=("server",))
    assert rate(certain, ALONE, "answer_change_beyond_repeat") == 0
    assert told(certain).conclusion == "ruled_out"
    faulty = "sim:slips?under=server&wrong=0.2"
    assert told(study(items, faulty, tmp_path / "faulty", probes=("server",))).conclusion == "found"


def test_another_engine_is_asked_the_plain_prompts_and_a_later_command_asks_nothing_again(
    tmp_path: Path,
) -> None:
    items = items_file(tmp_path / "items.jsonl", 100)
    other = "sim:slips?under=server&wrong=0.3"
    run = study(items, "sim:oracle", tmp_path / "run", probes=("original",), against=other)
    assert rate(run, OTHER) == pytest.approx(0.3, abs=0.12)
    assert rate(run, ALONE) == 0
    assert told(run).condition == OTHER
    assert run.done.verify().sound
    again = run.done.ask(make_model("sim:oracle"))
    assert (again.sent, again.cached) == (0, 500)
    # What it loses is no change of answers, though first tokens are read of the other forms.
    lost = study(
        items, "sim:oracle", tmp_path / "lost", probes=("original",), against="sim:thinker"
    )
    assert (told(lost).conclusion, told(lost).reason) == ("undecided", "lost")


def test_no_key_reaches_a_second_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HORSESENSE_API_KEY", "secret-key-of-one-server")
    one, two = (f"http:m@http://127.0.0.{n}:9/v1" for n in (1, 2))
    settings = Settings.of(items="sample", model=one, against=two, limit=3)
    with pytest.raises(UsageError, match="key of one server"):
        hs.Run.start(tmp_path / "run", settings).ask(make_model(one), tell=None)


def beyond(rng: np.random.Generator, n: int, noise: float, fault: float) -> Change:
    """The change beyond asking again of one simulated study."""

    def asked(share: float) -> list[list[int | None]]:
        return [[int(moved)] for moved in rng.random(n) < share]

    original = cell_of(asked(noise), [0] * n, probe="original")
    again = cell_of(asked(noise), [0] * n, probe="repeat")
    alone = cell_of(asked(noise + fault), [0] * n, probe="server")
    cells = [original, again, replace(alone, condition=Condition.parse(ALONE))]
    (found,) = found_all(cells, [MEASURES.get("answer_change_beyond_repeat")], study_of(cells))
    assert isinstance(found.about, Change)
    return found.about


@pytest.mark.thorough
def test_false_alarms_and_power_over_simulated_studies() -> None:
    rng = np.random.default_rng(34)
    false = sum(beyond(rng, 200, 0.2, 0.0).p_above() <= 0.05 for _ in range(100))
    assert not too_many(false, 100, 0.05)
    found = sum(beyond(rng, 200, 0.05, 0.1).p_above() <= 0.05 for _ in range(50))
    assert found > 35  # .86 of studies find 10 points more, .47 find 5

"""What is told before the first request is what is asked, and what it could show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import horsesense as hs
from command_line import call
from horsesense.api import plan_study
from horsesense.errors import UsageError
from horsesense.models.registry import make_model
from horsesense.runs import ask, plan
from horsesense.runs.plan import Plan
from horsesense.runs.plan_text import DISCORDANT, NO_SMALLEST, OF_THESE, plan_json
from horsesense.runs.settings import Settings
from horsesense.runs.shard import Shard
from horsesense.stats.power import power
from horsesense.testing.faults import FaultServer
from studies import items_file, jsonl

N = 24


def asked(
    out: Path, *probes: str, limit: int = 12, shard: str | None = None
) -> tuple[Plan, hs.Run]:
    """The sample, asked of the oracle; what was told before, and the run."""
    asks = {"items": "sample", "model": "sim:oracle", "probes": probes, "shard": shard}
    run = hs.Run.start(out, Settings.of(**asks, limit=limit))
    run.ask(make_model("sim:oracle"), tell=None)
    return run.expected, run


@pytest.mark.parametrize(
    ("probes", "shard"),
    [
        (("order", "repeat"), None),
        (("gold_absent",), None),
        (("batch(sizes=4,bundles=3)",), None),
        (("order",), "1/3"),
        (("batch(sizes=4,bundles=3)",), "1/3"),
    ],
)
def test_small_sets_are_counted_whole(
    tmp_path: Path, probes: tuple[str, ...], shard: str | None
) -> None:
    told, run = asked(tmp_path / "run", *probes, shard=shard)
    assert told.exact
    assert told.stored == 0
    assert told.items == (12 if shard is None else len(Shard.parse(shard).ids(run.items)))
    assert told.trials == run.trials["trial"].n_unique()
    assert told.requests == run.trials["key"].n_unique()
    again, _ = asked(tmp_path / "run", *probes, shard=shard)
    assert again.stored == again.requests == told.requests
    assert again.prompt_tokens == again.completion_tokens == 0


def test_bundles_are_no_forms_and_what_is_never_asked_is_named(tmp_path: Path) -> None:
    told, _ = asked(tmp_path / "run", "batch(sizes=3/4,bundles=3)", "select_one(sizes=3)")
    assert told.forms == 3
    assert [shown.form for shown in told.prompts] == ["choice", "batch_choice"]
    assert "\n3. " in told.prompts[1].text
    assert [probe.name for probe in told.probes] == ["original", "batch"]
    assert told.never == ("select_one",)
    assert any("select_one" in line for line in told.sentences())


def test_the_pace_is_that_of_the_rate_and_of_the_budget(tmp_path: Path) -> None:
    """It was "64 at a time" where no more than one may be under way."""
    told, _ = asked(tmp_path / "run", "order")
    assert told.pace(0.01, 10).endswith("takes 1 s.")
    assert told.pace(0.01, 10, rate=told.to_ask / 90).endswith("takes 1 min 30 s.")
    one = hs.Limits(tokens=3_000)
    assert f"at most {1} at a time under this budget" in told.pace(9, 64, limits=one)
    assert told.pace(9, 64, limits=one).endswith("s or more.")
    assert "5 at a time under" in told.pace(9, 64, limits=hs.Limits(requests=5))
    assert "64 at a time, asking" in told.pace(9, 64, limits=hs.Limits(tokens=10**9))


def test_large_sets_are_estimated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more answers are there than were bought: 1,611 were "there", after a budget of 1,500."""
    monkeypatch.setattr(ask, "LOOKED_AT", 5)
    monkeypatch.setattr(plan, "SOME", 5)
    items = str(items_file(tmp_path / "items.jsonl", 40))
    settings = Settings.of(items=items, model="sim:oracle", probes="order")

    def told(**limits: int) -> tuple[Plan, hs.Run]:
        run = hs.Run.start(tmp_path / "run", settings)
        run.ask(make_model("sim:oracle"), tell=None, limits=hs.Limits(**limits))
        return run.expected, run

    first, _ = told(requests=20)
    assert not first.exact
    assert "about" in first.sentences()[0]
    again, _ = told(requests=21)
    assert again.stored == 20, "a fifth of the sample, of which each item stands for eight"
    assert again.requests == first.requests
    assert again.prompt_tokens / again.to_ask == pytest.approx(
        first.prompt_tokens / first.to_ask, rel=0.02
    )
    _, run = told()
    assert first.trials == pytest.approx(run.trials["trial"].n_unique(), rel=0.1)
    done, _ = told()
    assert done.to_ask == done.prompt_tokens == done.completion_tokens == 0
    assert done.stored == done.requests


def test_it_is_told_before_a_server_is_asked_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "MANY_REQUESTS", 5)
    words = ["audit", "sample", "--limit", "4", "--probes", "order", "--price", "1,2"]
    with FaultServer() as server:
        before: list[int] = []
        settings = Settings.of(items="sample", model="http:m", probes=("order",), limit=4)
        hs.Run.start(tmp_path / "run", settings).ask(
            make_model(f"http:m@{server.url}"),
            tell=lambda sentence: before.append(server.sent.total()),
        )
        assert before[:2] == [0, 0]
        words += ["-m", f"http:m@{server.url}", "--out"]
        done = call(*words, tmp_path / "told")
        quiet = call(*words, tmp_path / "q", "--json", "--budget", "requests=99")
        limited = call(*words, tmp_path / "l", "--budget", "requests=99")
    assert "at these prices" in done.stderr
    assert "A first reply took" in done.stderr
    assert "No limit is set: --budget" in done.stderr
    assert "No limit is set" not in limited.stderr
    assert "different requests" not in quiet.stderr


def planned(root: Path, model: str = "sim:oracle", **asks: Any) -> dict[str, Any]:
    items = str(items_file(root / "items.jsonl", N))
    settings = Settings.of(items=items, model=model, **asks)
    return plan_json(*plan_study(settings, make_model(model)))


@pytest.mark.parametrize(
    ("asks", "once"),
    [({}, 4), ({"probes": ("labels(set=digits)",)}, 1), ({"suite": "know-no", "probes": ()}, 0)],
    ids=["basic", "labels", "know-no"],
)
def test_the_change_that_is_named_is_found_with_the_power_that_is_named(
    tmp_path: Path, asks: dict[str, Any], once: int
) -> None:
    told = planned(tmp_path, **asks)
    assert told["accuracy_changes_asked_once"] == once
    assert (told["smallest_detectable_change"] is None) == (once == 0)
    if once:
        level = told["smallest_detectable_level"]
        found = power(N, DISCORDANT, told["smallest_detectable_change"], level)
        assert found == pytest.approx(0.8, abs=0.01)


def test_no_change_is_named_where_none_is_judged(tmp_path: Path) -> None:
    assert planned(tmp_path, probes=("repeat",))["accuracy_changes"] == 0
    with pytest.raises(UsageError, match="nothing is written that --readers text could read"):
        planned(tmp_path, "sim:oracle", probes=("labels",), readers=("text",), max_tokens=0)
    rows = [{"question": f"{n}?", "options": ["yes", "no"]} for n in range(8)]
    jsonl(tmp_path / "open.jsonl", rows)
    settings = Settings.of(items=str(tmp_path / "open.jsonl"), model="sim:oracle")
    found = plan_json(*plan_study(settings, make_model("sim:oracle")))
    assert found["accuracy_changes"] == 0
    assert found["smallest_detectable_change"] is None


def test_no_change_is_named_where_asking_may_stop(tmp_path: Path) -> None:
    whole = planned(tmp_path, probes=("labels",))
    assert whole["smallest_detectable_change"] > 0
    assert whole["until_notes"] == []
    for until in ("decided=0.1", "decided=all", "precision=0.1"):
        told = planned(tmp_path, probes=("labels",), until=until)
        assert told["smallest_detectable_change"] is None
        assert told["smallest_detectable_level"] is None
        assert told["accuracy_changes"] == whole["accuracy_changes"] > 0
        assert told["until_notes"].count(NO_SMALLEST) == 1


class TestPlanOfClusters:
    """What a plan says that items in clusters could show."""

    @pytest.fixture
    def said(self, tmp_path: Path) -> Callable[..., str]:
        def of(sizes: Sequence[int], *options: str) -> str:
            rows = [
                {"question": f"{c}.{i}?", "options": ["yes", "no"], "answer": 0, "cluster": f"c{c}"}
                for c, size in enumerate(sizes)
                for i in range(size)
            ]
            jsonl(tmp_path / "set.jsonl", rows)
            words = "set.jsonl", "-m", "sim:oracle", "--probes", "labels", *options
            return call("plan", *words, cwd=tmp_path).stdout

        return of

    def test_what_few_clusters_could_show_is_not_known(self, said: Callable[..., str]) -> None:
        none = "No change of accuracy can be found: the 15 items come in 3 clusters"
        assert none in said([5, 5, 5])
        assert "is not known beforehand" in said([5] * 8)

    def test_a_copy_among_many_items_leaves_the_change_that_will_be_found(
        self, said: Callable[..., str]
    ) -> None:
        """One of 1,542 items made it "cannot be said beforehand"."""
        alone, copied = said([1] * 60), said([2] + [1] * 59)
        assert "With 60 items, changes of accuracy of" in alone
        assert "which count as 59, changes of accuracy of" in copied

    def test_what_is_decided_early_is_about_these_items(self, said: Callable[..., str]) -> None:
        assert OF_THESE in said([4] * 10, "--until", "decided")
        alone = said([1] * 40, "--until", "decided")
        assert OF_THESE not in alone
        assert NO_SMALLEST in alone


@pytest.mark.thorough
@pytest.mark.parametrize("until", ["decided", "precision=0.03"])
def test_what_stopping_early_leaves_untold_is_said_before_asking(
    tmp_path: Path, until: str
) -> None:
    words = ("audit", str(items_file(tmp_path / "items.jsonl", 40)), "-m", "sim:oracle")
    done = call(*words, "--probes", "order", "--until", until, "--out", tmp_path / "run", code=0)
    lines = done.stderr.splitlines()
    [told] = [n for n, line in enumerate(lines) if line.startswith("With --until")]
    assert told < next(n for n, line in enumerate(lines) if line.startswith("To ask:"))
    assert ("within 3 points either way" in lines[told]) == until.startswith("precision")


def test_what_more_samples_buy_is_told_from_an_earlier_run_of_the_same_items_and_model(
    tmp_path: Path,
) -> None:
    settings = Settings.of(items="sample", model="sim:prior", probes=("repeat(3)",), limit=20)
    model = make_model("sim:prior")
    ready = plan_study(settings, model)
    assumed = plan_json(*ready, earlier=tmp_path / "none")["samples"]
    assert (assumed["items"], assumed["measured"]) == (pytest.approx(1 / 3), False)
    assert "a second reply to each prompt 18" in assumed["says"]
    assert all(len(each.split()) <= 25 for each in assumed["says"].split(". "))
    run = hs.audit("sample", model, out=tmp_path / "run", probes="repeat(3)", limit=20)
    found = plan_json(*ready, earlier=tmp_path / "run")["samples"]
    parts = [max(e.value, 0.0) for e in run.results.select("sample_variance", "repeat")]
    assert found["measured"]
    assert found["samples"] == pytest.approx(parts[1] / sum(parts[:2]))
    others = plan_study(settings.model_copy(update={"limit": 19}), model)
    assert not plan_json(*others, earlier=tmp_path / "run")["samples"]["measured"]
    alone = plan_study(settings.model_copy(update={"probes": ("order",)}), model)
    assert plan_json(*alone)["samples"] is None
